/* measure [-f FD] COMMAND...: runs the command and prints what it cost, on one line: wall, user and
 * system seconds, and the peak resident KiB of its largest process. To stderr, or to the descriptor
 * FD, which the command does not get. The exit status is the command's.
 *
 * Owns nothing but the child. What it prints includes the fork and the exec. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    return 126;
}

static int usage(void)
{
    fputs("usage: measure [-f FD] COMMAND...\n", stderr);
    return 126;
}

int main(int argc, char **argv)
{
    int fd = STDERR_FILENO;
    int opt, status;
    double start, wall;
    struct rusage cost;
    pid_t child;

    while ((opt = getopt(argc, argv, "+f:")) != -1) {
        if (opt != 'f') {
            return usage();
        }
        fd = atoi(optarg);
    }
    if (optind == argc) {
        return usage();
    }
    if (fd > STDERR_FILENO && fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
        return fail("descriptor");
    }
    start = now();
    child = fork();
    if (child < 0) {
        return fail("fork");
    }
    if (child == 0) {
        execvp(argv[optind], argv + optind);
        _exit(fail(argv[optind]));
    }
    while (wait4(child, &status, 0, &cost) < 0) {
        if (errno != EINTR) {
            return fail("wait");
        }
    }
    wall = now() - start;
    dprintf(fd, "%.6f %.6f %.6f %ld\n", wall, seconds(cost.ru_utime), seconds(cost.ru_stime),
            cost.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
