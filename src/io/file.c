/* Plain reading and writing. */
#include "io/file.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

/* One system call moves at most about 2 GiB. */
#define CALL_MAX ((size_t)1 << 30)

static size_t call_size(size_t n)
{
    return n < CALL_MAX ? n : CALL_MAX;
}

enum lanefix_status lf_file_read(int fd, const char *name, void *buf, size_t n, size_t *got,
                                 struct lanefix_error *err)
{
    *got = 0;
    while (*got < n) {
        ssize_t k = read(fd, (char *)buf + *got, call_size(n - *got));

        if (k < 0 && errno == EINTR) {
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

        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k < 0) {
            return lf_fail_errno(err, errno, "%s: cannot be written", name);
        }
        done += (size_t)k;
    }
    return LANEFIX_OK;
}
