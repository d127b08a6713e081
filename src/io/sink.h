/* A sink: where the rewritten trace goes, compressed or not. A file appears at its name whole or
 * not at all: it is written beside it under a temporary name, synced and renamed.
 *
 * Used by one thread at a time. */
#ifndef LF_IO_SINK_H
#define LF_IO_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct lf_sink;

#define LF_LEVEL_DEFAULT (-1000)

struct lf_sink_options {
    const char *path;       /* NULL: write is called, or fd written */
    int fd;                 /* used where path and write are NULL; stays open */
    int (*write)(void *arg, const void *buf, size_t n); /* see lanefix_output */
    void *write_arg;
    const char *name;       /* for messages */
    enum lanefix_form form; /* LANEFIX_FORM_AUTO: by path's extension (.zst, .gz), else plain */
    int level;              /* LF_LEVEL_DEFAULT, or of the codec's own range */
    unsigned threads;       /* for the codec's own workers */
};

/* Opens. A symbolic link is followed; a device or FIFO at path is written to as a stream. The mode
 * of a replaced file is kept. LANEFIX_ERR_IO; LANEFIX_ERR_ARGUMENT for a level out of range. */
enum lanefix_status lf_sink_open(struct lf_sink **out, const struct lf_sink_options *options,
                                 struct lanefix_error *err) LF_MUST_USE;

enum lanefix_status lf_sink_write(struct lf_sink *s, const void *buf, size_t n,
                                  struct lanefix_error *err) LF_MUST_USE;

/* Writes bytes [off, off + n) of the file fd as they are, past the codec: within a plain sink like
 * lf_sink_write of them; with a compressing sink only as the whole content (raw copy of an already
 * compressed file). The kernel copies where it can. */
enum lanefix_status lf_sink_copy(struct lf_sink *s, int fd, uint64_t off, uint64_t n,
                                 const char *source_name,
                                 struct lanefix_error *err) LF_MUST_USE;

/* Ends the stream: flushes the codec, syncs, renames. Without it lf_sink_close leaves nothing. */
enum lanefix_status lf_sink_commit(struct lf_sink *s, struct lanefix_error *err) LF_MUST_USE;
void lf_sink_close(struct lf_sink *s); /* NULL is fine */

/* Whether it is a plain file, into which the kernel may copy. */
bool lf_sink_is_file(const struct lf_sink *s);

uint64_t lf_sink_bytes_written(const struct lf_sink *s);

/* The form that path's extension tells: .zst, .gz, else plain. */
enum lanefix_form lf_form_of_name(const char *path);

#endif
