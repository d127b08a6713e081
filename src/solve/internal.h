/* What the files of this room share: the scratch, which is also the state of the track that is being
 * solved, and the few notions all of them need.
 *
 * Slices are named by their place in Perfetto's order (a uint32_t). at[] says where a slice stands
 * now, slices[] where it stood; they differ only for complete slices that have changed. */
#ifndef LF_SOLVE_INTERNAL_H
#define LF_SOLVE_INTERNAL_H

#include "solve/solve.h"

#define LF_NONE UINT32_MAX
#define LF_MOVED UINT32_MAX    /* lane of a slice that moves and has no lane yet */
#define LF_OPEN_END INT64_MAX  /* end of a "B" that no "E" closes in its turn */

#define LF_NO_FLOW INT64_MIN         /* need[]: no endpoint belongs to the slice */
#define LF_FLOW_LOOSE (INT64_MIN + 1) /* need[]: endpoints, none of which binds right as it is */

struct lf_interval {
    int64_t start, end; /* of an "E": end is the slice left on top behind it, or LF_NONE */
};

/* A slice on a stack. end: as lf_open_end. */
struct lf_open {
    int64_t end;
    uint32_t slice;
};

/* A "B" that its own "E" closes. */
struct lf_pair {
    int64_t begin, end;
    uint32_t parent; /* pair that holds this one, or LF_NONE */
};

enum {
    LF_REFUSED = 1 /* Perfetto refuses the slice as it is */
};

/* A lane beside the track. */
struct lf_lane {
    uint32_t top, depth; /* of its stack */
    uint32_t last;       /* slice that was placed last */
    uint32_t first;      /* where its slices begin in order[] */
};

/* A slice on Perfetto's own stack (replay.c). */
struct lf_replayed {
    int64_t end; /* LF_OPEN_END: a "B" that is still open */
    uint32_t slice;
    bool empty;
};

struct lf_solve_scratch {
    /* the track */
    struct lf_slice *slices;
    size_t n;
    struct lf_flow *flows;
    size_t n_flows;
    int64_t threshold;
    bool has_fixed, has_flows;

    /* one element a slice; need only where there are flows */
    struct lf_interval *at;
    uint32_t *lane;
    uint32_t *order;  /* placed events in Perfetto's order, then the moved ones by lane */
    uint32_t *link;   /* a heap of pushed slices; then stacks as lists */
    uint8_t *flags;
    int64_t *need;    /* until when the slice must be the topmost one, for its endpoints */
    size_t cap_at, cap_lane, cap_order, cap_link, cap_flags, cap_need;
    size_t n_placed, n_heap;

    /* one element a flow endpoint */
    uint32_t *owner;
    uint8_t *right; /* binds to its owner as it is */
    size_t cap_owner, cap_right;

    struct lf_open *stack;
    size_t n_stack, cap_stack;
    uint32_t last; /* what Perfetto has on top: the slice that a flow endpoint would bind to */

    struct lf_pair *pairs;
    size_t n_pairs, cap_pairs;

    /* lanes: leaves of a tree that knows the least and the greatest end on top */
    struct lf_lane *lanes;
    int64_t *low, *high;
    size_t cap_lanes, cap_low, cap_high, n_leaves;
    uint32_t n_lanes;

    uint32_t *heads; /* owner.c: two lists a member */
    size_t cap_heads;

    struct lf_replayed *replay;
    size_t n_replay, cap_replay;
};

static inline int64_t lf_shown_dur(const struct lf_slice *s)
{
    return s->kind == LF_SLICE_COMPLETE && s->u.dur > 0 ? s->u.dur : 0;
}

/* Second part of Perfetto's order, of a slice that now lasts dur. */
static inline int64_t lf_order_key(const struct lf_slice *s, int64_t dur)
{
    if (s->kind == LF_SLICE_COMPLETE) {
        return INT64_MAX - dur;
    }
    return s->kind == LF_SLICE_END ? INT64_MIN : INT64_MAX;
}

/* The time at which a slice leaves the stack: an empty one stays for those that start with it. So
 * taken, an empty slice is a short one, and whatever starts at a slice's end is outside it. */
static inline int64_t lf_open_end(int64_t start, int64_t end)
{
    return end > start ? end : start + (start < INT64_MAX);
}

/* Is the slice where it was? */
static inline bool lf_unchanged(const struct lf_solve_scratch *w, uint32_t i)
{
    return w->lane[i] == 0 && w->at[i].start == w->slices[i].ts &&
           w->at[i].end == w->slices[i].ts + lf_shown_dur(&w->slices[i]) &&
           (w->slices[i].kind != LF_SLICE_COMPLETE || w->slices[i].u.dur >= 0);
}

/* Slice i, where it stands now, comes before a flow endpoint at (t, off). */
static inline bool lf_before_point(const struct lf_solve_scratch *w, uint32_t i, int64_t t,
                                   uint64_t off)
{
    const struct lf_slice *s = &w->slices[i];

    if (w->at[i].start != t) {
        return w->at[i].start < t;
    }
    return s->kind == LF_SLICE_END || (s->kind == LF_SLICE_COMPLETE && w->at[i].end > t) ||
           s->off < off;
}

/* The same, where it stood. */
static inline bool lf_was_before_point(const struct lf_slice *s, int64_t t, uint64_t off)
{
    if (s->ts != t) {
        return s->ts < t;
    }
    return s->kind == LF_SLICE_END || (s->kind == LF_SLICE_COMPLETE && s->u.dur > 0) ||
           s->off < off;
}

/* order.c */
bool lf_order_slices_sorted(const struct lf_slice *slices, size_t n);
/* tmp: room for n / 2 records */
void lf_order_slices(struct lf_slice *slices, size_t n, struct lf_slice *tmp);
bool lf_order_flows_sorted(const struct lf_flow *flows, size_t n);
void lf_order_flows(struct lf_flow *flows, size_t n, struct lf_flow *tmp);

/* fixed.c: fills at[] and pairs; has_fixed is set. */
enum lanefix_status lf_fixed_match(struct lf_solve_scratch *w, uint64_t *n_named_end_crossings,
                                   struct lanefix_error *err) LF_MUST_USE;
/* The outermost pair that begins in [start, end) and ends behind end, or NULL. */
const struct lf_pair *lf_fixed_cut(const struct lf_solve_scratch *w, int64_t start, int64_t end);
/* Does a "B" or an instant stand at t? */
bool lf_fixed_at(const struct lf_solve_scratch *w, int64_t t);

/* check.c: is there nothing to do on a sorted track? */
bool lf_check_complete(const struct lf_slice *slices, size_t n, bool *has_fixed);
enum lanefix_status lf_check_fixed(struct lf_solve_scratch *w, bool *clean,
                                   struct lanefix_error *err) LF_MUST_USE;

/* replay.c: what Perfetto makes of the track as it is: flags, right, counts. */
enum lanefix_status lf_replay(struct lf_solve_scratch *w, struct lf_solution *out,
                              struct lanefix_error *err) LF_MUST_USE;

/* stack.c: the stack of placed slices; ends never grow towards its top. */
void lf_stack_drop(struct lf_solve_scratch *w, int64_t ts);
/* A "B" at ts ends the empty slices that stand at ts. */
void lf_stack_drop_empty(struct lf_solve_scratch *w, int64_t ts);
enum lanefix_status lf_stack_push(struct lf_solve_scratch *w, int64_t end, uint32_t slice,
                                  struct lanefix_error *err) LF_MUST_USE;

/* fit.c: where the slice can stay on the track, given the stack at its start; false: nowhere. */
bool lf_fit(const struct lf_solve_scratch *w, uint32_t x, struct lf_interval *want);

/* sweep.c: every slice placed on the track (in order[]), or moved (lane LF_MOVED). */
enum lanefix_status lf_sweep(struct lf_solve_scratch *w, struct lanefix_error *err) LF_MUST_USE;

/* lanes.c */
enum lanefix_status lf_lanes_assign(struct lf_solve_scratch *w, uint32_t max_lanes,
                                    struct lanefix_error *err) LF_MUST_USE;
void lf_lanes_order(struct lf_solve_scratch *w);

/* owner.c: sorts flows, fills owner[]; */
enum lanefix_status lf_owner_find(struct lf_solve_scratch *w,
                                  struct lanefix_error *err) LF_MUST_USE;
/* and need[], from owner[] and right[]. */
void lf_owner_needs(struct lf_solve_scratch *w);

/* flow.c */
enum lanefix_status lf_flow_follow(struct lf_solve_scratch *w, struct lf_solution *out,
                                   struct lanefix_error *err) LF_MUST_USE;

#endif
