/* measure COMMAND...: runs it, then prints "<wall s> <user s> <system s> <peak KiB>" to standard error. Its
 * status is the command's. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    struct timespec begin, end;
    struct rusage use;
    int status = 0;
    pid_t pid;

    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND...\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid = fork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &use) != pid) {
        perror("measure");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    fprintf(stderr, "%.3f %.3f %.3f %ld\n",
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9, seconds(use.ru_utime),
            seconds(use.ru_stime), use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
