/* A sink: bytes through an encoder where one is wanted, gathered into large writes. */
#include "io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/codec.h"
#include "io/file.h"
#include "io/target.h"

#define BUF_NBYTES  ((size_t)1 << 20)
#define OUT_NBYTES  ((uint64_t)4 << 20) /* written out at once */
#define COPY_NBYTES ((size_t)16 << 20)  /* copied at once, while what was before is written out */

struct lf_sink {
    char *name;
    struct lf_target target; /* unused where a descriptor is written */
    bool has_target;
    int (*write)(void *arg, const void *buf, size_t n); /* NULL: fd is written */
    void *write_arg;
    int fd;
    const struct lf_codec *codec; /* NULL: plain */
    void *encoder;
    uint8_t *buf;
    size_t n_buf;
    uint64_t written;
    uint64_t begun; /* bytes that the system was told to write out already */
    bool raw;       /* the whole content is copied past the encoder */
};

static enum lanefix_status open_codec(struct lf_sink *s, const struct lf_sink_options *o,
                                      struct lanefix_error *err)
{
    enum lanefix_form form = o->form;
    int level = o->level;

    if (form == LANEFIX_FORM_AUTO) {
        form = o->path != NULL ? lf_form_of_name(o->path) : LANEFIX_FORM_PLAIN;
    }
    s->codec = lf_codec_of_form(form);
    if (s->codec == NULL) {
        return LANEFIX_OK;
    }
    if (level == LF_LEVEL_DEFAULT) {
        level = s->codec->level_default;
    }
    if (level < s->codec->level_min || level > s->codec->level_max) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "%s level %d: expected %d to %d", s->codec->name, level, s->codec->level_min,
                       s->codec->level_max);
    }
    return s->codec->encoder_create(&s->encoder, level, o->threads, err);
}

static enum lanefix_status open_sink(struct lf_sink *s, const struct lf_sink_options *o,
                                     struct lanefix_error *err)
{
    s->name = strdup(o->name);
    if (s->name == NULL) {
        return lf_fail_memory(err, strlen(o->name) + 1);
    }
    LF_TRY(lf_alloc(&s->buf, BUF_NBYTES, 1, err));
    LF_TRY(open_codec(s, o, err));
    s->fd = o->fd;
    s->write = o->path == NULL ? o->write : NULL;
    s->write_arg = o->write_arg;
    if (o->path != NULL) {
        LF_TRY(lf_target_open(&s->target, o->path, s->name, err));
        s->has_target = true;
        s->fd = s->target.fd;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_sink_open(struct lf_sink **out, const struct lf_sink_options *o,
                                 struct lanefix_error *err)
{
    struct lf_sink *s;
    enum lanefix_status status;

    LF_TRY(lf_alloc_zero(&s, 1, sizeof *s, err));
    status = open_sink(s, o, err);
    if (status != LANEFIX_OK) {
        lf_sink_close(s);
        return status;
    }
    *out = s;
    return LANEFIX_OK;
}

/* What is synced in the end may be on its way to the disk while the rest is still being made. Where
 * the file system does not know how, syncing does it all. */
static void begin_writing_out(struct lf_sink *s)
{
    if (s->has_target && !s->target.stream && s->written - s->begun >= OUT_NBYTES) {
        (void)sync_file_range(s->fd, (off_t)s->begun, (off_t)(s->written - s->begun),
                              SYNC_FILE_RANGE_WRITE);
        s->begun = s->written;
    }
}

static enum lanefix_status write_raw(struct lf_sink *s, const void *buf, size_t n,
                                     struct lanefix_error *err)
{
    int failed;

    if (s->write == NULL) {
        LF_TRY(lf_file_write(s->fd, s->name, buf, n, err));
    } else if (n != 0 && (failed = s->write(s->write_arg, buf, n)) != 0) {
        return lf_fail_errno(err, failed > 0 ? failed : EIO, "%s: cannot be written", s->name);
    }
    s->written += n;
    begin_writing_out(s);
    return LANEFIX_OK;
}

static enum lanefix_status flush(struct lf_sink *s, struct lanefix_error *err)
{
    size_t n = s->n_buf;

    s->n_buf = 0;
    return write_raw(s, s->buf, n, err);
}

static enum lanefix_status write_plain(struct lf_sink *s, const void *buf, size_t n,
                                       struct lanefix_error *err)
{
    bool large = n > BUF_NBYTES / 2;

    if (large || n > BUF_NBYTES - s->n_buf) {
        LF_TRY(flush(s, err));
    }
    if (large) {
        LF_TRY(write_raw(s, buf, n, err));
    } else if (n != 0) {
        memcpy(s->buf + s->n_buf, buf, n);
        s->n_buf += n;
    }
    return LANEFIX_OK;
}

static enum lanefix_status write_packed(struct lf_sink *s, const void *buf, size_t n, bool end,
                                        struct lanefix_error *err)
{
    struct lf_codec_io io = {buf, n, NULL, 0};
    bool done = false;

    while (io.n_in > 0 || (end && !done)) {
        io.out = s->buf + s->n_buf;
        io.n_out = BUF_NBYTES - s->n_buf;
        LF_TRY(s->codec->encode(s->encoder, &io, end, &done, err));
        s->n_buf = BUF_NBYTES - io.n_out;
        if (io.n_out == 0 || (end && done)) {
            LF_TRY(flush(s, err));
        }
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_sink_write(struct lf_sink *s, const void *buf, size_t n,
                                  struct lanefix_error *err)
{
    return s->codec != NULL ? write_packed(s, buf, n, false, err) : write_plain(s, buf, n, err);
}

/* Copies through memory where the kernel won't. */
static enum lanefix_status copy_by_hand(struct lf_sink *s, int fd, uint64_t off, uint64_t n,
                                        const char *source_name, struct lanefix_error *err)
{
    while (n > 0) {
        size_t want = n < BUF_NBYTES ? (size_t)n : BUF_NBYTES;
        size_t got = 0;

        LF_TRY(lf_file_read_at(fd, source_name, s->buf, want, off, &got, err));
        if (got < want) {
            return lf_fail(err, LANEFIX_ERR_IO, LANEFIX_NO_OFFSET,
                           "%s: was cut while it was read, at byte %llu", source_name,
                           (unsigned long long)(off + got));
        }
        s->n_buf = got;
        LF_TRY(flush(s, err));
        off += got;
        n -= got;
    }
    return LANEFIX_OK;
}

/* A whole file may share its blocks with the copy, where the file system can. Only a temporary file
 * of our own, still empty: what stood in it before would be gone. */
static bool share_blocks(struct lf_sink *s, int fd, uint64_t n)
{
    struct stat whole;

    return s->written == 0 && s->has_target && !s->target.stream && fstat(fd, &whole) == 0 &&
           (uint64_t)whole.st_size == n && ioctl(s->fd, FICLONE, fd) == 0 &&
           lseek(s->fd, (off_t)n, SEEK_SET) >= 0;
}

enum lanefix_status lf_sink_copy(struct lf_sink *s, int fd, uint64_t off, uint64_t n,
                                 const char *source_name, struct lanefix_error *err)
{
    off_t at = (off_t)off;

    s->raw = s->raw || s->codec != NULL;
    LF_TRY(flush(s, err));
    if (s->write != NULL) {
        return copy_by_hand(s, fd, off, n, source_name, err);
    }
    if (off == 0 && share_blocks(s, fd, n)) {
        s->written += n;
        return LANEFIX_OK;
    }
    while (n > 0) {
        size_t want = n < COPY_NBYTES ? (size_t)n : COPY_NBYTES;
        ssize_t k = copy_file_range(fd, &at, s->fd, NULL, want, 0);

        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k < 0 && (errno == ENOSPC || errno == EFBIG || errno == EIO || errno == EDQUOT)) {
            return lf_fail_errno(err, errno, "%s: cannot be written", s->name);
        }
        if (k <= 0) {
            return copy_by_hand(s, fd, (uint64_t)at, n, source_name, err);
        }
        n -= (uint64_t)k;
        s->written += (uint64_t)k;
        begin_writing_out(s);
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_sink_commit(struct lf_sink *s, struct lanefix_error *err)
{
    if (s->codec != NULL && !s->raw) {
        LF_TRY(write_packed(s, s->buf, 0, true, err)); /* no bytes, but not NULL */
    }
    LF_TRY(flush(s, err));
    return s->has_target ? lf_target_commit(&s->target, s->name, err) : LANEFIX_OK;
}

void lf_sink_close(struct lf_sink *s)
{
    if (s == NULL) {
        return;
    }
    if (s->has_target) {
        lf_target_abandon(&s->target);
    }
    if (s->encoder != NULL) {
        s->codec->encoder_destroy(s->encoder);
    }
    free(s->buf);
    free(s->name);
    free(s);
}

bool lf_sink_is_file(const struct lf_sink *s)
{
    struct stat file;

    return s->write == NULL && s->codec == NULL && fstat(s->fd, &file) == 0 &&
           S_ISREG(file.st_mode);
}

uint64_t lf_sink_bytes_written(const struct lf_sink *s)
{
    return s->written;
}
