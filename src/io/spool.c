/* The spool. Its file is unlinked before a byte is written, so nothing is left however the program
 * ends. */
#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"

#define RELEASE_NBYTES ((uint64_t)8 << 20) /* given back at once: few calls, whole blocks */

void lf_spool_init(struct lf_spool *s, const char *dir, uint64_t memory_max)
{
    memset(s, 0, sizeof *s);
    s->dir = dir;
    s->memory_max = memory_max;
    s->fd = -1;
}

void lf_spool_fini(struct lf_spool *s)
{
    if (s->fd >= 0) {
        close(s->fd);
    }
    s->fd = -1;
    lf_bytes_fini(&s->bytes);
}

static enum lanefix_status open_file(struct lf_spool *s, struct lanefix_error *err)
{
    const char *dir = s->dir != NULL ? s->dir : getenv("TMPDIR");
    char path[4096];
    int n;

    dir = dir != NULL && *dir != '\0' ? dir : "/tmp";
    snprintf(s->name, sizeof s->name, "copy of piped input in %s", dir);
    s->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (s->fd >= 0) {
        return LANEFIX_OK;
    }
    /* some file systems know no files without names */
    n = snprintf(path, sizeof path, "%s/lanefix-spool-XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        return lf_fail_errno(err, ENAMETOOLONG, "%s: no temporary file can be made here", dir);
    }
    s->fd = mkostemp(path, O_CLOEXEC);
    if (s->fd < 0) {
        return lf_fail_errno(err, errno, "%s: no temporary file can be made here", dir);
    }
    unlink(path);
    return LANEFIX_OK;
}

enum lanefix_status lf_spool_append(struct lf_spool *s, const void *buf, size_t n,
                                    struct lanefix_error *err)
{
    if (s->fd < 0 && s->n + n <= s->memory_max) {
        LF_TRY(lf_bytes_append(&s->bytes, buf, n, err));
        s->n += n;
        return LANEFIX_OK;
    }
    if (s->fd < 0) {
        LF_TRY(open_file(s, err));
        LF_TRY(lf_file_write(s->fd, s->name, s->bytes.data, s->bytes.n, err));
        lf_bytes_fini(&s->bytes);
    }
    LF_TRY(lf_file_write(s->fd, s->name, buf, n, err));
    s->n += n;
    return LANEFIX_OK;
}

enum lanefix_status lf_spool_read(struct lf_spool *s, uint64_t off, void *buf, size_t n,
                                  size_t *got, struct lanefix_error *err)
{
    uint64_t left = off < s->n ? s->n - off : 0;

    n = left < n ? (size_t)left : n;
    *got = n;
    if (n == 0) {
        return LANEFIX_OK;
    }
    if (s->fd < 0) {
        memcpy(buf, s->bytes.data + off, n);
        return LANEFIX_OK;
    }
    LF_TRY(lf_file_read_at(s->fd, s->name, buf, n, off, got, err));
    if (*got < n) {
        return lf_fail_errno(err, EIO, "%s: was cut", s->name);
    }
    return LANEFIX_OK;
}

void lf_spool_release(struct lf_spool *s, uint64_t off)
{
    uint64_t end = off - off % RELEASE_NBYTES;

    if (s->fd >= 0 && end > s->released) {
        /* a wish: without it the room is given back at the end */
        (void)fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->released,
                        (off_t)(end - s->released));
        s->released = end;
    }
}
