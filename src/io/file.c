/* Plain reading and writing. What goes wrong is told with the name that the caller gives. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* One system call moves at most about 2 GiB. */
#define CALL_MAX ((size_t)1 << 30)

static size_t call_size(size_t n)
{
    return n < CALL_MAX ? n : CALL_MAX;
}

/* Whether the call that failed is to be made again; waits where fd does not block. */
static bool again(int fd, short events)
{
    struct pollfd wait = {fd, events, 0};

    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return poll(&wait, 1, -1) >= 0 || errno == EINTR;
    }
    return errno == EINTR;
}

int lf_file_dup_named(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(path, names[i]) == 0) {
            return fcntl(i, F_DUPFD_CLOEXEC, 0);
        }
    }
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(folders[i]);
        char *end;
        long fd;

        if (strncmp(path, folders[i], n) != 0 || path[n] < '0' || path[n] > '9') {
            continue;
        }
        fd = strtol(path + n, &end, 10);
        if (*end == '\0' && fd < 1 << 30) {
            return fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
        }
    }
    return -1;
}

int lf_file_open(const char *path, int flags)
{
    int fd = lf_file_dup_named(path);

    while (fd < 0) {
        fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
        if (fd < 0 && errno != EINTR) {
            return -1;
        }
    }
    return fd;
}

enum lanefix_status lf_file_read(int fd, const char *name, void *buf, size_t n, size_t *got,
                                 struct lanefix_error *err)
{
    *got = 0;
    while (*got < n) {
        ssize_t k = read(fd, (char *)buf + *got, call_size(n - *got));

        if (k < 0 && again(fd, POLLIN)) {
            continue;
        }
        if (k < 0) {
            return lf_fail_errno(err, errno, "%s: cannot be read", name);
        }
        if (k == 0) {
            break;
        }
        *got += (size_t)k;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_file_read_at(int fd, const char *name, void *buf, size_t n, uint64_t off,
                                    size_t *got, struct lanefix_error *err)
{
    *got = 0;
    while (*got < n) {
        ssize_t k = pread(fd, (char *)buf + *got, call_size(n - *got), (off_t)(off + *got));

        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k < 0) {
            return lf_fail_errno(err, errno, "%s: cannot be read at byte %llu", name,
                                 (unsigned long long)(off + *got));
        }
        if (k == 0) {
            break;
        }
        *got += (size_t)k;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_file_write(int fd, const char *name, const void *buf, size_t n,
                                  struct lanefix_error *err)
{
    size_t done = 0;

    while (done < n) {
        ssize_t k = write(fd, (const char *)buf + done, call_size(n - done));

        if (k < 0 && again(fd, POLLOUT)) {
            continue;
        }
        if (k < 0) {
            return lf_fail_errno(err, errno, "%s: cannot be written", name);
        }
        done += (size_t)k;
    }
    return LANEFIX_OK;
}
