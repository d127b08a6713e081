/* The feed: the trace as a run of chunks of whole events, for both passes. Joins source and
 * splitter; serial, but for the splitting of chunks whose borders are known. */
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

/* Events that were found without the splitter, from a place on that was guessed: one after the other,
 * with nothing but white space and commas between them. */
struct lf_span_list {
    struct lf_span *spans; /* counted from lf_chunk.read */
    size_t n, cap;
};

/* Bytes [off, off + n) of the trace. Zero-initialise; release with lf_chunk_fini. */
struct lf_chunk {
    uint8_t *space; /* what is allocated, */
    size_t cap;     /* and how much */
    uint8_t *buf;   /* in it */
    size_t n; /* bytes of buf that are this chunk's own: up to the end of its last whole event */
    uint64_t off;
    /* What was read to make it, as far as lf_feed_keep asks for it: in its own space, and perhaps
     * beyond its n bytes. */
    const uint8_t *read;
    size_t n_read;
    uint64_t read_off;
    bool read_last; /* it ends the input */
    struct lf_span_list ahead;
    struct lf_split_batch batch;
    size_t first_ahead, n_ahead; /* of the batch, what was ahead; none where that did not fit */
    struct lf_split_batch rest;  /* of the batch, what is behind that */
    bool in_events;              /* it begins between two events */
    /* A plain file's bytes are read by need: from here; NULL: they are in buf. */
    const struct lf_source *unread;
    /* Where it was not split: how to. */
    const struct lf_splitter *splitter; /* as it stands at the chunk's begin; NULL: it was split */
    bool last;
    /* A fault found behind the events of the batch; it counts unless one of them is faulty. */
    enum lanefix_status fault;
    struct lanefix_error fault_err;
};

void lf_chunk_fini(struct lf_chunk *chunk);

/* Says that what was read again at off is not what was read first. */
enum lanefix_status lf_fail_changed(uint64_t off, struct lanefix_error *err) LF_MUST_USE;

/* For these, what is needed of a chunk is read first. They may run for several chunks at the same
 * time. LANEFIX_ERR_IO where the chunk is not as it was when it was cut.
 *
 * lf_chunk_load reads it, lf_chunk_split splits it if it was not. */
enum lanefix_status lf_chunk_load(struct lf_chunk *chunk, struct lanefix_error *err) LF_MUST_USE;
enum lanefix_status lf_chunk_split(struct lf_chunk *chunk, struct lanefix_error *err) LF_MUST_USE;

/* Makes the event that starts at buf[start] the batch's only one; the chunk stays as it is, unread
 * but for that event. */
enum lanefix_status lf_chunk_split_event(struct lf_chunk *chunk, uint32_t start,
                                         struct lanefix_error *err) LF_MUST_USE;

/* Where the chunks of a pass began: what is read again is cut there without being split, which is
 * then done by need and on any thread. Some 300 bytes a chunk. Zero-initialise. */
struct lf_cuts {
    struct lf_splitter *list;
    size_t n, cap;
    uint64_t end; /* of the last chunk */
};

void lf_cuts_fini(struct lf_cuts *cuts);

struct lf_feed {
    /* touched by reading: */
    struct lf_source *source;
    size_t chunk_nbytes;        /* read at once */
    uint64_t pos;               /* offset of the next byte to be read */
    bool ended;                 /* the source has no more bytes */
    const struct lf_cuts *cuts; /* where the trace is cut; NULL: that is found out */
    size_t next_cut;
    /* touched by splitting, which another thread may do: */
    bool failed; /* a fault was found: nothing is split any more */
    struct lf_splitter splitter;
    struct lf_bytes carry; /* the beginning of an event, read already */
    size_t carry_wanted;   /* it is not looked at again before there is so much of it */
    struct lf_cuts *noted; /* where chunks are noted; NULL: nowhere */
};

/* Feeds source from its first byte. */
void lf_feed_init(struct lf_feed *feed, struct lf_source *source);
void lf_feed_fini(struct lf_feed *feed);

/* Reads what the next chunk is made of; *end: there was nothing left, and chunk is empty. */
enum lanefix_status lf_feed_read(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err) LF_MUST_USE;

/* Keeps what was read, where the source is deferred; in the order in which it was read, before the
 * chunk is split or behind that. */
enum lanefix_status lf_feed_keep(struct lf_feed *feed, const struct lf_chunk *chunk,
                                 struct lanefix_error *err) LF_MUST_USE;

/* Makes the chunk of what was read, where it was not cut; in the order in which it was, and while
 * more may be read into other chunks. It may be empty: an event goes on. A fault of the text is
 * stored in the chunk. What is ahead is taken for events, without their nested values, where the
 * splitter comes to stand between two events where it begins. */
enum lanefix_status lf_feed_split(struct lf_feed *feed, struct lf_chunk *chunk,
                                  struct lanefix_error *err) LF_MUST_USE;

/* Both, for the next chunk that is not empty; not where it is cut as was noted: that is read only.
 */
enum lanefix_status lf_feed_next(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err) LF_MUST_USE;

/* Makes a feed that has read nothing note its cuts, or cut as was noted. Cutting a plain file reads
 * nothing: see lf_chunk.unread. */
void lf_feed_note(struct lf_feed *feed, struct lf_cuts *cuts);
void lf_feed_cut(struct lf_feed *feed, const struct lf_cuts *cuts);

#endif
