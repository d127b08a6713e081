/* The feed: the trace as a run of chunks of whole events, for both passes. Joins source and splitter;
 * serial. */
#ifndef LF_RUN_FEED_H
#define LF_RUN_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "io/source.h"
#include "json/split.h"

#define LF_CHUNK_NBYTES ((size_t)1 << 20)

/* Bytes [off, off + n) of the trace. Zero-initialise; release with lf_chunk_fini. */
struct lf_chunk {
    uint8_t *buf;
    size_t cap;
    size_t n;    /* bytes of buf that are this chunk's own: up to the end of its last whole event */
    uint64_t off;
    struct lf_split_batch batch;
    bool in_events; /* it begins between two events */
    /* A fault found behind the events of the batch; it counts unless one of them is faulty. */
    enum lanefix_status fault;
    struct lanefix_error fault_err;
};

void lf_chunk_fini(struct lf_chunk *chunk);

struct lf_feed {
    struct lf_source *source;
    size_t chunk_nbytes; /* read at once: LF_CHUNK_NBYTES, or less where little is looked at */
    int plain_fd;  /* may be read at any offset; -1: the source is read in order */
    uint64_t pos;  /* offset of the next byte to be read */
    bool ended;    /* the source has no more bytes */
    bool finished; /* the last chunk was given */
    struct lf_splitter splitter;
    struct lf_bytes carry; /* the beginning of an event, read already */
};

/* Feeds source from its first byte. */
void lf_feed_init(struct lf_feed *feed, struct lf_source *source);
void lf_feed_fini(struct lf_feed *feed);

/* Fills chunk; *end: there was nothing left and chunk is empty. A fault of the text is stored in the
 * chunk; the status is that of reading. */
enum lanefix_status lf_feed_next(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err) LF_MUST_USE;

/* Goes on at the event that starts at off (plain_fd >= 0 only); array_form: see lf_splitter. */
void lf_feed_seek(struct lf_feed *feed, uint64_t off, bool array_form);

#endif
