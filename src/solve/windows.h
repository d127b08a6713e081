/* Which slices of a track have to do with its crossings: mostly a few of many.
 *
 * A crossing group changes only slices that start within its hull, from the first start of its
 * members to their last end: they shrink, move, or make room there. What holds the hull, or lies
 * beside it, stays, and binds the endpoints that it bound. So the slices of all hulls solved
 * together, without the others, give what the whole track would. Where an endpoint binds to the
 * next slice that starts, the slices on both sides of it are taken along. What reaches further
 * makes the whole track one window: depth, negative durations, and tracks that were folded into
 * one. */
#ifndef LF_SOLVE_WINDOWS_H
#define LF_SOLVE_WINDOWS_H

#include "solve/solve.h"

/* Slices [first, end) of the track in Perfetto's order, flow endpoints [first_flow, end_flow). */
struct lf_window {
    size_t first, end;
    size_t first_flow, end_flow;
};

/* A slice that is open, or several that cross. */
struct lf_window_open {
    int64_t end;              /* as lf_open_end, the last one */
    size_t first, first_flow; /* where its window would begin */
    uint32_t n;
    bool crossed;
};

/* Zero-initialise; release with lf_windows_fini. */
struct lf_windows {
    struct lf_window *list; /* what was found, in order; disjoint */
    size_t n, cap;
    bool whole; /* the track has to be solved whole */

    struct lf_window_open stack[LF_MAX_DEPTH + 1];
    size_t depth;
    size_t n_open;  /* slices on the stack, at least those that are open */
    size_t n_seen;  /* slices */
    size_t n_flows; /* endpoints before the slice seen last */
};

/* Begins another track. */
void lf_windows_reset(struct lf_windows *windows);

/* The next slices of the track, complete ones in Perfetto's order. flows: all of the track's, in
 * their order. LANEFIX_ERR_MEMORY. */
enum lanefix_status lf_windows_add(struct lf_windows *windows, const struct lf_slice *slices,
                                   size_t n, const struct lf_flow *flows, size_t n_flows,
                                   struct lanefix_error *err) LF_MUST_USE;

/* No more slices: list is complete, one window where whole is set. */
enum lanefix_status lf_windows_end(struct lf_windows *windows, size_t n_flows,
                                   struct lanefix_error *err) LF_MUST_USE;

/* Windows list[k..return) are solved together: at least LF_BATCH_SLICES slices or all that are
 * left. */
#define LF_BATCH_SLICES 16384
size_t lf_windows_batch(const struct lf_windows *windows, size_t k, size_t *n_slices,
                        size_t *n_flows);

void lf_windows_fini(struct lf_windows *windows);

#endif
