/* Reading ahead: a chunk's events are read from a place that looks like an event's begin on, before
 * the chunks in front of it are split. Events of a known layout need not be split then: reading
 * them finds where they end. What was guessed wrong is found out when the chunk is split
 * (lf_feed_split). */
#ifndef LF_RUN_AHEAD_H
#define LF_RUN_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "run/feed.h"
#include "trace/event.h"

enum { LF_AHEAD_HEAD = 8 };

/* Zero-initialise; release with lf_ahead_fini. */
struct lf_ahead {
    struct lf_event *events; /* one for each of the chunk's spans that are ahead */
    size_t cap_events;
    uint8_t head[LF_AHEAD_HEAD]; /* how the last event seen begins */
    bool has_head;
    unsigned rest;             /* chunks that are not read ahead */
    struct lf_split_batch one; /* an event of unknown layout */
};

void lf_ahead_fini(struct lf_ahead *ahead);

/* Reads what it can of what was read to make chunk, which is not split yet. Chunks may be read
 * ahead in any order and, each with an ahead and a reader of its own, at the same time.
 * LANEFIX_ERR_MEMORY. */
enum lanefix_status lf_ahead_read(struct lf_ahead *ahead, struct lf_event_reader *reader,
                                  struct lf_chunk *chunk, struct lanefix_error *err) LF_MUST_USE;

/* Learns from chunk, which has been split: how events begin, and whether reading ahead was worth
 * it. */
void lf_ahead_learn(struct lf_ahead *ahead, const struct lf_chunk *chunk);

#endif
