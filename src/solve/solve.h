/* One track's slices -> lanes and snaps, and where its flow endpoints go. Pure: records in, changes
 * out; no I/O, no threads, no globals. Tracks are independent, so any number may be solved at once,
 * each call with its own scratch. */
#ifndef LF_SOLVE_SOLVE_H
#define LF_SOLVE_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/record.h"

#define LF_MAX_DEPTH 512 /* Perfetto's limit of slices open at once on a track */

struct lf_solve_options {
    int64_t threshold_ns; /* a boundary moves by less than this; 0: nothing is snapped */
    uint32_t max_lanes;   /* more lanes than this on the track: LANEFIX_ERR_LIMIT; 0: no limit */
    bool first_come;      /* first come, first kept: nobody asks whether another way disturbs less */
    bool whole;           /* solve all slices, not only those of windows (windows.h) */
    bool only_count;      /* count what Perfetto refuses, change nothing */
};

/* A complete slice that changes. Moved slices keep their times. */
struct lf_slice_change {
    uint64_t off;
    int64_t old_ts, old_dur; /* visible, as in the record */
    int64_t ts, dur;         /* new; equal to the old ones where lane != 0 */
    int64_t crossing;        /* how far it crossed others in the trace, or they it: the least shift
                                that would cure the worst; ns, 0: not at all */
    uint32_t lane;           /* 0: stays on its track */
};

#define LF_N_CROSSING_SIZES LANEFIX_N_CROSSING_SIZES

struct lf_flow_change {
    uint64_t off;
    int64_t old_ts, ts;
    uint32_t lane;
};

/* Arrays belong to the solution and are in no particular order. Zero-initialise; release with
 * lf_solution_fini. lf_solve_track appends nothing: it replaces what was there. */
struct lf_solution {
    struct lf_slice_change *slices;
    size_t n_slices, cap_slices;
    struct lf_flow_change *flows;
    size_t n_flows, cap_flows;
    uint32_t n_lanes;         /* lanes opened beside the track itself */
    uint64_t n_refused;       /* complete slices that Perfetto refuses before the fix: crossing,
                                 too deep or negative */
    uint64_t n_crossings;     /* of those, the crossing ones */
    uint64_t crossing_sizes[LF_N_CROSSING_SIZES]; /* and these by how far: see lanefix_counters */
    uint64_t n_negative;      /* durations made 0 */
    uint64_t n_moved, n_snapped;
    uint64_t start_shift_ns, end_shift_ns; /* totals; saturate */
    uint64_t n_named_end_crossings; /* "E" that closed a "B" below another open "B" */
};

void lf_solution_fini(struct lf_solution *solution);

/* Adds the changes and counts of more, a later part of the same track, to s. */
enum lanefix_status lf_solution_join(struct lf_solution *s, const struct lf_solution *more,
                                     struct lanefix_error *err) LF_MUST_USE;

struct lf_solve_scratch;
enum lanefix_status lf_solve_scratch_create(struct lf_solve_scratch **out,
                                            struct lanefix_error *err) LF_MUST_USE;
void lf_solve_scratch_destroy(struct lf_solve_scratch *scratch);

/* slices and flows: one visible track's records in file order (ascending off); what is in the arrays is
 * used up. n < 2^32. err: LANEFIX_ERR_MEMORY; LANEFIX_ERR_LIMIT where max_lanes is exceeded (the caller
 * names the track). */
enum lanefix_status lf_solve_track(struct lf_slice *slices, size_t n_slices, struct lf_flow *flows,
                                   size_t n_flows, const struct lf_solve_options *options,
                                   struct lf_solve_scratch *scratch, struct lf_solution *out,
                                   struct lanefix_error *err) LF_MUST_USE;

#endif
