/* The metadata events that are added: names and sort indices of lanes, names of unfolded tracks and
 * processes, and what undoing needs. They carry no ts, which Perfetto reads as 0. */
#ifndef LF_REWRITE_METADATA_H
#define LF_REWRITE_METADATA_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "solve/layout.h"
#include "trace/tracks.h"

/* What the last of the added events, named "lanefix", tells of the whole trace. */
struct lf_summary {
    uint64_t trace_bytes;  /* of the original */
    uint32_t crc32;        /* of its bytes */
    int64_t base_ns;       /* taken off every ts; 0: none */
    unsigned decimals;     /* see lf_patcher */
    bool base_time_put;    /* baseTimeNanoseconds was put in, or changed */
    const char *base_time; /* what it was; NULL: there was none */
    int indent;   /* as which the trace is written anew; -1: it is not, and can be undone */
    uint32_t row; /* the row it is written on */
};

/* Appends them to out, each behind a comma and the white space gap[0..n_gap); to be put in behind
 * the last event. summary: NULL where nothing is to be told for undoing; else the last event is the
 * summary, and each renamed track has an event of that name with a note of the ids it had. */
enum lanefix_status lf_metadata_write(struct lf_bytes *out, const struct lf_layout *layout,
                                      const struct lf_tracks *tracks,
                                      const struct lf_summary *summary, const char *gap,
                                      size_t n_gap, struct lanefix_error *err) LF_MUST_USE;

#endif
