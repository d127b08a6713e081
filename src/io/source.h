/* A source: the bytes of a trace, decompressed, from the first to the last, as often as asked.
 *
 * A regular file is read in place. A pipe (or any file that cannot seek) is spooled while it is read
 * for the first time: compressed bytes as they are, plain bytes in an unlinked temporary file, in
 * memory while they are few. The form is told by magic bytes, never by name.
 *
 * Used by one thread at a time. */
#ifndef LF_IO_SOURCE_H
#define LF_IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct lf_source;

struct lf_source_options {
    const char *path;      /* opened and closed by the source; NULL: read is called, or fd read */
    int fd;                /* used where path and read are NULL; stays open */
    int64_t (*read)(void *arg, void *buf, size_t n); /* see lanefix_input */
    void *read_arg;
    const char *name;      /* for messages: path, or "standard input" */
    const char *spool_dir; /* NULL: TMPDIR, then /tmp */
    uint64_t spool_memory; /* a pipe's bytes up to this many stay in memory */
    int window_log_max;    /* zstd: largest window accepted, as a power of two (27: 128 MiB) */
};

/* Opens and looks at the first bytes. /dev/stdin and the like are the descriptors they name, with
 * their offset; a regular file that is not at its first byte is read as a pipe. LANEFIX_ERR_IO where
 * the file cannot be opened or is a directory; LANEFIX_ERR_INPUT where it is empty. */
enum lanefix_status lf_source_open(struct lf_source **out, const struct lf_source_options *options,
                                   struct lanefix_error *err) LF_MUST_USE;
void lf_source_close(struct lf_source *s); /* NULL is fine; the spool is gone */

/* Reads up to n decompressed bytes; *n_read < n only at the end. After a failure only rewind and
 * close are allowed. LANEFIX_ERR_INPUT where compressed data is broken or cut short: err->offset is
 * the trace's byte up to which it was good, err->packed_offset the file's. LANEFIX_ERR_IO also where
 * the file was found changed at the end. */
enum lanefix_status lf_source_read(struct lf_source *s, void *buf, size_t n, size_t *n_read,
                                   struct lanefix_error *err) LF_MUST_USE;

/* From now on what is read of a plain pipe for the first time is not spooled by that call; each piece
 * is to be handed to lf_source_keep, in the order in which it was read: n bytes that began at off.
 * While one thread does that another may read on. Of other sources nothing is kept, and what is
 * known is not kept again. LANEFIX_ERR_IO. */
void lf_source_defer(struct lf_source *s);
enum lanefix_status lf_source_keep(struct lf_source *s, uint64_t off, const void *buf, size_t n,
                                   struct lanefix_error *err) LF_MUST_USE;

/* Begins again at the first byte. LANEFIX_ERR_IO where the file was changed meanwhile. */
enum lanefix_status lf_source_rewind(struct lf_source *s, struct lanefix_error *err) LF_MUST_USE;

/* Bytes of a plain spool before off are not read again; their room may be used for something else.
 * Another thread may read what is behind meanwhile. */
void lf_source_release(struct lf_source *s, uint64_t off);

/* Whether there is such a spool: all before what is released must have been read then, not only
 * what is released itself. */
bool lf_source_releases(const struct lf_source *s);

/* LANEFIX_ERR_IO where the file's size or mtime is not what it was when it was opened. To be asked
 * when all is read, where lf_source_plain_fd or lf_source_packed_fd was read from. */
enum lanefix_status lf_source_check_unchanged(const struct lf_source *s,
                                              struct lanefix_error *err) LF_MUST_USE;

enum lanefix_form lf_source_form(const struct lf_source *s);
const char *lf_source_name(const struct lf_source *s);

/* A plain file (or plain spool file) that can be read at any offset: its descriptor, else -1. The
 * trace's byte 0 is the file's byte 0. The descriptor stays the source's. */
int lf_source_plain_fd(const struct lf_source *s);

/* Reads up to n bytes at off, only where lf_source_plain_fd is not -1; *got < n only at the end.
 * Several threads may do so at the same time. */
enum lanefix_status lf_source_read_at(const struct lf_source *s, void *buf, size_t n, uint64_t off,
                                      size_t *got, struct lanefix_error *err) LF_MUST_USE;

/* The descriptor of a regular input file in whatever form (to copy it as it is), or of the spool of
 * a compressed pipe, else -1; *nbytes its size. */
int lf_source_packed_fd(const struct lf_source *s, uint64_t *nbytes);

/* For progress: bytes of the (compressed) input read in this pass, and its size, 0 where unknown. */
uint64_t lf_source_packed_pos(const struct lf_source *s);
uint64_t lf_source_packed_size(const struct lf_source *s);

/* Whether path (or fd, where path is NULL) and other are one file. */
bool lf_same_file(const char *path, int fd, const char *other);

#endif
