/* A source: raw bytes (a file in place, or a pipe through the spool), through a decoder where they
 * are compressed.
 *
 * Plain files are read, not mapped: a file that is cut meanwhile is a short read, not a SIGBUS, and
 * into a buffer that stays in the cache a read is a little faster than the page faults of a mapping
 * (make bench shows both). */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/codec.h"
#include "io/file.h"
#include "io/spool.h"

#define PIPE_NBYTES   (1 << 20)
#define PACKED_NBYTES ((size_t)1 << 20)

struct lf_source {
    int fd;
    bool owns_fd;
    int64_t (*read)(void *arg, void *buf, size_t n); /* NULL: fd is read */
    void *read_arg;
    char *name;
    bool in_place;         /* a regular file from its first byte: read at pos, as often as wanted */
    struct stat stat;      /* in_place: as it was when it was opened */
    struct lf_spool spool; /* else: all that was read so far, but for what is to be kept yet */
    uint64_t n_fetched;    /* bytes that were read so far */
    bool deferred;         /* they are spooled by lf_source_keep */
    bool pipe_ended;
    uint64_t pos; /* of the next raw byte */
    enum lanefix_form form;
    const struct lf_codec *codec; /* NULL: plain */
    void *decoder;
    int window_log_max;
    uint8_t *packed;
    const uint8_t *packed_next;
    size_t n_packed;
    uint64_t unpacked; /* bytes handed out in this pass */
};

enum lanefix_status lf_source_check_unchanged(const struct lf_source *s, struct lanefix_error *err)
{
    struct stat now;

    if (!s->in_place) {
        return LANEFIX_OK;
    }
    if (fstat(s->fd, &now) != 0) {
        return lf_fail_errno(err, errno, "%s: cannot be read", s->name);
    }
    if (now.st_size != s->stat.st_size || now.st_mtim.tv_sec != s->stat.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != s->stat.st_mtim.tv_nsec) {
        return lf_fail(err, LANEFIX_ERR_IO, LANEFIX_NO_OFFSET,
                       "%s: was changed while it was read (%lld bytes, now %lld)", s->name,
                       (long long)s->stat.st_size, (long long)now.st_size);
    }
    return LANEFIX_OK;
}

/* Reads what was never read before of a pipe, or from the caller. */
static enum lanefix_status read_new(struct lf_source *s, uint8_t *buf, size_t n, size_t *got,
                                    struct lanefix_error *err)
{
    int64_t k = 1;

    if (s->read == NULL) {
        return lf_file_read(s->fd, s->name, buf, n, got, err);
    }
    for (*got = 0; *got < n && k > 0; *got += (size_t)k) {
        k = s->read(s->read_arg, buf + *got, n - *got);
        if (k < 0 || (uint64_t)k > n - *got) {
            return lf_fail_errno(err, k < 0 && k > -4096 ? (int)-k : EIO, "%s: cannot be read",
                                 s->name);
        }
    }
    return LANEFIX_OK;
}

/* Reads raw bytes; *got < n only at the end. */
static enum lanefix_status read_raw(struct lf_source *s, void *buf, size_t n, size_t *got,
                                    struct lanefix_error *err)
{
    if (s->in_place) {
        LF_TRY(lf_file_read_at(s->fd, s->name, buf, n, s->pos, got, err));
        s->pos += *got;
        return *got < n ? lf_source_check_unchanged(s, err) : LANEFIX_OK;
    }
    *got = 0;
    if (s->pos < s->n_fetched) { /* the spool is not looked at where another thread may fill it */
        LF_TRY(lf_spool_read(&s->spool, s->pos, buf, n, got, err));
        s->pos += *got;
    }
    if (*got < n && !s->pipe_ended) {
        size_t more = 0;

        LF_TRY(read_new(s, (uint8_t *)buf + *got, n - *got, &more, err));
        if (!s->deferred) {
            LF_TRY(lf_spool_append(&s->spool, (char *)buf + *got, more, err));
        }
        s->n_fetched += more;
        s->pipe_ended = more < n - *got;
        s->pos += more;
        *got += more;
    }
    return LANEFIX_OK;
}

static enum lanefix_status open_decoder(struct lf_source *s, struct lanefix_error *err)
{
    if (s->decoder != NULL) {
        s->codec->decoder_destroy(s->decoder);
        s->decoder = NULL;
    }
    s->pos = 0;
    s->n_packed = 0;
    s->unpacked = 0;
    return s->codec != NULL ? s->codec->decoder_create(&s->decoder, s->window_log_max, err)
                            : LANEFIX_OK;
}

/* Tells the form by the first bytes. */
static enum lanefix_status detect(struct lf_source *s, struct lanefix_error *err)
{
    uint8_t head[4];
    size_t n = 0;

    LF_TRY(read_raw(s, head, sizeof head, &n, err));
    if (n == 0) {
        return lf_fail(err, LANEFIX_ERR_INPUT, 0, "%s: empty: expected a trace", s->name);
    }
    s->form = lf_codec_detect(head, n);
    s->codec = lf_codec_of_form(s->form);
    if (s->codec != NULL) {
        LF_TRY(lf_alloc(&s->packed, PACKED_NBYTES, 1, err));
    }
    return open_decoder(s, err);
}

static enum lanefix_status open_file(struct lf_source *s, const struct lf_source_options *o,
                                     struct lanefix_error *err)
{
    s->fd = o->fd;
    s->read_arg = o->read_arg;
    s->read = o->path == NULL ? o->read : NULL;
    if (s->read != NULL) {
        return LANEFIX_OK;
    }
    if (o->path != NULL) {
        s->fd = lf_file_open(o->path, O_RDONLY);
        s->owns_fd = s->fd >= 0;
    }
    if (s->fd < 0 || fstat(s->fd, &s->stat) != 0) {
        return lf_fail_errno(err, s->fd < 0 && o->path == NULL ? EBADF : errno,
                             "%s: cannot be opened", s->name);
    }
    if (S_ISDIR(s->stat.st_mode)) {
        return lf_fail_errno(err, EISDIR, "%s: cannot be read", s->name);
    }
    /* files of /proc are regular ones of size 0: what they hold is known only when it is read */
    s->in_place = S_ISREG(s->stat.st_mode) && s->stat.st_size > 0 && lseek(s->fd, 0, SEEK_CUR) == 0;
    if (s->in_place) {
        posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISFIFO(s->stat.st_mode)) {
        fcntl(s->fd, F_SETPIPE_SZ, PIPE_NBYTES); /* fewer turns with the writer; a wish */
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_source_open(struct lf_source **out, const struct lf_source_options *o,
                                   struct lanefix_error *err)
{
    struct lf_source *s;
    enum lanefix_status status;

    LF_TRY(lf_alloc_zero(&s, 1, sizeof *s, err));
    s->fd = -1;
    s->window_log_max = o->window_log_max;
    lf_spool_init(&s->spool, o->spool_dir, o->spool_memory);
    s->name = strdup(o->name);
    status = s->name != NULL ? open_file(s, o, err) : lf_fail_memory(err, strlen(o->name) + 1);
    if (status == LANEFIX_OK) {
        status = detect(s, err);
    }
    if (status != LANEFIX_OK) {
        lf_source_close(s);
        return status;
    }
    *out = s;
    return LANEFIX_OK;
}

void lf_source_close(struct lf_source *s)
{
    if (s == NULL) {
        return;
    }
    if (s->decoder != NULL) {
        s->codec->decoder_destroy(s->decoder);
    }
    if (s->owns_fd) {
        close(s->fd);
    }
    lf_spool_fini(&s->spool);
    free(s->packed);
    free(s->name);
    free(s);
}

/* Where in the file and in the trace a compressed stream is broken. */
static enum lanefix_status fail_packed(const struct lf_source *s, const char *fault,
                                       struct lanefix_error *err)
{
    uint64_t at = s->pos - s->n_packed;

    lf_fail(err, LANEFIX_ERR_INPUT, s->unpacked,
            "%s: %s, at byte %llu of the file, byte %llu of "
            "the trace",
            s->name, fault, (unsigned long long)at, (unsigned long long)s->unpacked);
    err->packed_offset = at;
    return LANEFIX_ERR_INPUT;
}

static enum lanefix_status read_packed(struct lf_source *s, void *buf, size_t n, size_t *n_read,
                                       struct lanefix_error *err)
{
    struct lf_codec_io io = {s->packed_next, s->n_packed, buf, n};
    bool raw_ended = false;

    while (io.n_out > 0) {
        size_t before = io.n_out;
        size_t n_in;
        const char *fault = NULL;
        enum lanefix_status status;

        if (io.n_in == 0) {
            LF_TRY(read_raw(s, s->packed, PACKED_NBYTES, &io.n_in, err));
            io.in = s->packed;
            raw_ended = io.n_in == 0;
        }
        n_in = io.n_in;
        status = s->codec->decode(s->decoder, &io, &fault, err);
        s->packed_next = io.in;
        s->n_packed = io.n_in;
        s->unpacked += before - io.n_out;
        if (status == LANEFIX_ERR_INPUT) {
            return fail_packed(s, fault, err);
        }
        LF_TRY(status);
        if (before == io.n_out && n_in == io.n_in && n_in > 0) {
            return fail_packed(s, "compressed data that leads nowhere", err);
        }
        if (raw_ended && before == io.n_out) {
            if (!s->codec->decoder_idle(s->decoder)) {
                return fail_packed(s,
                                   s->form == LANEFIX_FORM_GZIP ? "gzip stream ends in the middle"
                                                                : "zstd stream ends in the middle",
                                   err);
            }
            break;
        }
    }
    *n_read = n - io.n_out;
    return LANEFIX_OK;
}

enum lanefix_status lf_source_read(struct lf_source *s, void *buf, size_t n, size_t *n_read,
                                   struct lanefix_error *err)
{
    if (s->codec != NULL) {
        return read_packed(s, buf, n, n_read, err);
    }
    LF_TRY(read_raw(s, buf, n, n_read, err));
    s->unpacked += *n_read;
    return LANEFIX_OK;
}

/* Whether what is spooled is the trace itself. */
static bool has_plain_spool(const struct lf_source *s)
{
    return !s->in_place && s->codec == NULL;
}

void lf_source_defer(struct lf_source *s)
{
    s->deferred = has_plain_spool(s);
}

enum lanefix_status lf_source_keep(struct lf_source *s, uint64_t off, const void *buf, size_t n,
                                   struct lanefix_error *err)
{
    uint64_t n_known = s->deferred && s->spool.n > off ? s->spool.n - off : 0;

    if (!s->deferred || n_known >= n) {
        return LANEFIX_OK;
    }
    return lf_spool_append(&s->spool, (const char *)buf + n_known, n - (size_t)n_known, err);
}

enum lanefix_status lf_source_rewind(struct lf_source *s, struct lanefix_error *err)
{
    LF_TRY(lf_source_check_unchanged(s, err));
    return open_decoder(s, err);
}

enum lanefix_status lf_source_read_at(const struct lf_source *s, void *buf, size_t n, uint64_t off,
                                      size_t *got, struct lanefix_error *err)
{
    return lf_file_read_at(lf_source_plain_fd(s), s->name, buf, n, off, got, err);
}

bool lf_source_releases(const struct lf_source *s)
{
    return has_plain_spool(s);
}

void lf_source_release(struct lf_source *s, uint64_t off)
{
    if (has_plain_spool(s)) {
        lf_spool_release(&s->spool, off);
    }
}

enum lanefix_form lf_source_form(const struct lf_source *s)
{
    return s->form;
}

const char *lf_source_name(const struct lf_source *s)
{
    return s->name;
}

int lf_source_plain_fd(const struct lf_source *s)
{
    if (s->codec != NULL) {
        return -1;
    }
    return s->in_place ? s->fd : s->pipe_ended ? s->spool.fd : -1;
}

int lf_source_packed_fd(const struct lf_source *s, uint64_t *nbytes)
{
    *nbytes = s->in_place ? (uint64_t)s->stat.st_size : s->spool.n;
    return s->in_place ? s->fd : s->pipe_ended ? s->spool.fd : -1;
}

uint64_t lf_source_packed_pos(const struct lf_source *s)
{
    return s->pos;
}

uint64_t lf_source_packed_size(const struct lf_source *s)
{
    return s->in_place ? (uint64_t)s->stat.st_size : s->pipe_ended ? s->spool.n : 0;
}

bool lf_same_file(const char *path, int fd, const char *other)
{
    struct stat a, b;

    if ((path != NULL ? stat(path, &a) : fstat(fd, &a)) != 0 || stat(other, &b) != 0) {
        return false;
    }
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
