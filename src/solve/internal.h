/* What the files of this room share: the scratch, which is also the state of the track that is
 * being solved, and the few notions all of them need.
 *
 * Slices are named by their place in Perfetto's order (a uint32_t). at[] says where a slice stands
 * now, slices[] where it stood; they differ only for complete slices that have changed. */
#ifndef LF_SOLVE_INTERNAL_H
#define LF_SOLVE_INTERNAL_H

#include "solve/order.h"
#include "solve/rank_set.h"
#include "solve/solve.h"
#include "solve/windows.h"
#include "trace/time.h"

#define LF_NONE UINT32_MAX
#define LF_MOVED                                                                                   \
    UINT32_MAX /* lane of a slice that moves and has no lane yet; LF_MOVED - k: one that           \
                  would best be on lane k */
#define LF_OPEN_END   INT64_MAX /* end of a "B" that no "E" closes in its turn */

#define LF_NO_FLOW    INT64_MIN       /* need[]: no endpoint belongs to the slice */
#define LF_FLOW_LOOSE (INT64_MIN + 1) /* need[]: endpoints, none of which binds right as it is */

struct lf_interval {
    int64_t start, end; /* of an "E": end is the slice left on top behind it, or LF_NONE */
};

/* A slice on a stack. end: as lf_open_end; a "B" that no "E" closes in its turn has the end of what
 * holds it, and lingers: Perfetto takes both off only at a later time than that end, and all that
 * started at it along. So what starts there crosses it. */
struct lf_open {
    int64_t end;
    uint32_t slice;
    uint32_t lingers; /* 0 or 1: ns */
};

/* A "B" that its own "E" closes. */
struct lf_pair {
    int64_t begin, end;
    uint32_t parent; /* pair that holds this one, or LF_NONE */
};

enum {
    LF_REFUSED = 1,    /* Perfetto refuses the slice as it is */
    LF_NEXT = 2,       /* LF_FLOW_NEXT endpoints belong to it */
    LF_NEXT_RIGHT = 4, /* and one of them binds right as it is */
    LF_FRAGILE = 8,    /* an endpoint binds right only because a refused slice or an "E" closed
                          what had ended */
    LF_PLACED = 16     /* at[] says where the slice is to be snapped to */
};

/* A crossing group (groups.c): members[first..first + n), in Perfetto's order. */
struct lf_members {
    size_t first, n;
};

/* One that is not at its end: its slices as a list (link[]), the open ones as a heap. */
struct lf_open_group {
    uint32_t first, last;
    uint32_t open;
};

/* What decide.c has in mind for a slice of a group. */
struct lf_intent {
    struct lf_interval at;
    uint32_t slice;
    uint32_t lane; /* 0, or as in lane[] of a slice that moves */
};

/* What is to be as little as possible, the first first. */
struct lf_outcome {
    uint64_t n_moved, n_lanes;
    uint64_t shift; /* ns */
};

/* intents[first..first + n) of one group. */
struct lf_decision {
    size_t first, n;
    bool sure; /* nothing better is possible */
    bool used;
    struct lf_members group;   /* of a small one */
    unsigned n_lanes;          /* that it takes; 0: it needs none, or is a large one */
    struct lf_outcome outcome; /* what came of it */
};

/* A lane beside the track. */
struct lf_lane {
    uint32_t top, depth; /* of its stack; top: a rank (lanes.c), or LF_NONE */
    uint32_t last;       /* slice that was placed last */
    uint32_t first;      /* where its slices begin in order[] */
};

/* The end of a slice that moves; what is still open takes its lane from it. */
struct lf_lane_end {
    int64_t end;  /* as lf_open_end */
    uint32_t nth; /* of those that move, in Perfetto's order */
    uint32_t lane;
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
    bool has_fixed, has_flows, first_come, only_count;

    /* one element a slice; need only where there are flows */
    struct lf_interval *at;
    uint32_t *lane;
    uint32_t *order; /* placed events in Perfetto's order, then the moved ones by lane */
    uint32_t *link;  /* lists of groups; a heap of pushed slices; then stacks as lists */
    uint8_t *flags;
    int64_t *cross; /* how far the slice crosses another, or is crossed, in the trace; ns */
    int64_t *need;  /* until when the slice must be the topmost one, for its endpoints */
    size_t cap_at, cap_lane, cap_order, cap_link, cap_flags, cap_cross, cap_need;
    size_t n_placed, n_heap;

    /* one element a flow endpoint */
    uint32_t *owner;
    uint8_t *right; /* binds to its owner as it is */
    size_t cap_owner, cap_right;

    struct lf_open *stack;
    size_t n_stack, cap_stack;
    uint32_t last;    /* what Perfetto has on top: the slice that a flow endpoint would bind to */
    uint32_t started; /* the slice that started last */

    struct lf_pair *pairs;
    size_t n_pairs, cap_pairs;
    int64_t *unclosed; /* starts of "B" that no "E" closes in its turn */
    size_t n_unclosed, cap_unclosed;

    /* lanes */
    struct lf_lane *lanes;
    size_t cap_lanes;
    uint32_t n_lanes;
    struct lf_lane_end *ends; /* by rank */
    size_t cap_ends;
    struct lf_rank_set tops, room; /* of lanes, the slices on top, and those that can hold more */
    struct lf_rank_set idle;       /* lanes with nothing open */

    /* who gives way */
    uint32_t *members;
    size_t n_members, cap_members;
    struct lf_members *groups;
    size_t n_groups, cap_groups;
    struct lf_open_group *open_groups;
    size_t n_open_groups, cap_open_groups;
    struct lf_intent *intents;
    size_t n_intents, cap_intents;
    struct lf_decision *decisions;
    size_t n_decisions, cap_decisions;
    uint32_t *rest; /* of large groups, those that stay */
    size_t n_rest, cap_rest;

    struct lf_windows windows;

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
    const struct lf_slice *s = &w->slices[i];

    return s->kind != LF_SLICE_COMPLETE || (w->lane[i] == 0 && w->at[i].start == s->ts &&
                                            s->u.dur >= 0 && w->at[i].end == s->ts + s->u.dur);
}

/* The second part of Perfetto's order, of a slice where it stands now. */
static inline int64_t lf_key_now(const struct lf_solve_scratch *w, uint32_t i)
{
    /* what a "B" lasts fits no int64, and is not asked for */
    return lf_order_key(&w->slices[i],
                        (int64_t)((uint64_t)w->at[i].end - (uint64_t)w->at[i].start));
}

/* Perfetto's order, where slices stand now. */
static inline bool lf_precedes(const struct lf_solve_scratch *w, uint32_t a, uint32_t b)
{
    int64_t key_a, key_b;

    if (w->at[a].start != w->at[b].start) {
        return w->at[a].start < w->at[b].start;
    }
    key_a = lf_key_now(w, a);
    key_b = lf_key_now(w, b);
    return key_a != key_b ? key_a < key_b : w->slices[a].off < w->slices[b].off;
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

/* The last time that must be left behind the start of slice i, before the next slice of its row,
 * for an endpoint to come between: it may come before a "B" or an empty slice of its time. */
static inline int64_t lf_gap_end(const struct lf_solve_scratch *w, uint32_t i)
{
    int64_t start = w->at[i].start;

    return w->slices[i].kind == LF_SLICE_COMPLETE && w->at[i].end > start
               ? start
               : lf_time_writable(start + 1, true);
}

/* fixed.c: fills at[] and pairs; has_fixed is set. */
enum lanefix_status lf_fixed_match(struct lf_solve_scratch *w, uint64_t *n_named_end_crossings,
                                   struct lanefix_error *err) LF_MUST_USE;
/* The outermost pair that begins in [start, end) and ends behind end, or NULL. One that begins at
 * end counts too if a "B" without an end is in between: it would linger, and take the pair along.
 */
const struct lf_pair *lf_fixed_cut(const struct lf_solve_scratch *w, int64_t start, int64_t end);
/* Does a "B" without an end start in [start, end)? */
bool lf_fixed_lingers(const struct lf_solve_scratch *w, int64_t start, int64_t end);
/* Does a "B" or an instant stand at t? */
bool lf_fixed_at(const struct lf_solve_scratch *w, int64_t t);

/* check.c: is there nothing to do on a sorted track? has_fixed: are there others than complete
 * slices on it? Then only lf_check_fixed knows the answer. */
bool lf_check_complete(const struct lf_slice *slices, size_t n, bool *has_fixed);
enum lanefix_status lf_check_fixed(struct lf_solve_scratch *w, bool *clean,
                                   struct lanefix_error *err) LF_MUST_USE;

/* replay.c: what Perfetto makes of the track as it is: flags, right, counts. */
enum lanefix_status lf_replay(struct lf_solve_scratch *w, struct lf_solution *out,
                              struct lanefix_error *err) LF_MUST_USE;

/* stack.c: the stack of placed slices; ends never grow towards its top. end: no later than that of
 * the top. */
int64_t lf_stack_end(const struct lf_solve_scratch *w);
void lf_stack_drop(struct lf_solve_scratch *w, int64_t ts);
/* The same before the "B" of slice, which ends empty slices that start with it too. One that its
 * own "E" closes takes no heed of what lingers, as it can't give way: true where something did. */
bool lf_stack_drop_begin(struct lf_solve_scratch *w, uint32_t slice);
/* The same at an "E", which closes one "B", and leaves what that one held back. */
void lf_stack_drop_end(struct lf_solve_scratch *w, int64_t ts);
enum lanefix_status lf_stack_push(struct lf_solve_scratch *w, int64_t end, uint32_t slice,
                                  struct lanefix_error *err) LF_MUST_USE;
/* Pushes a "B", which ends no later than what is on top. */
enum lanefix_status lf_stack_push_begin(struct lf_solve_scratch *w, uint32_t slice,
                                        struct lanefix_error *err) LF_MUST_USE;

/* fit.c: where the slice can stay on the track, given the stack at its start; false: nowhere. */
bool lf_fit(const struct lf_solve_scratch *w, uint32_t x, struct lf_interval *want);

/* decide.c: who moves and who is snapped; then every slice is placed on the track (in order[]), or
 * is one that moves (lane[]). */
enum lanefix_status lf_decide(struct lf_solve_scratch *w, struct lanefix_error *err) LF_MUST_USE;

/* sweep.c: places every slice whose lane[] is 0 on the track or, where that can't be, makes it one
 * that moves. Those of LF_PLACED are snapped to where at[] says or, where that can't be, further.
 */
enum lanefix_status lf_sweep(struct lf_solve_scratch *w, struct lanefix_error *err) LF_MUST_USE;

/* lanes.c */
enum lanefix_status lf_lanes_assign(struct lf_solve_scratch *w, uint32_t max_lanes,
                                    struct lanefix_error *err) LF_MUST_USE;
void lf_lanes_order(struct lf_solve_scratch *w);

/* owner.c: Perfetto's order of flow endpoints; */
enum lanefix_status lf_owner_sort_flows(struct lf_solve_scratch *w,
                                        struct lanefix_error *err) LF_MUST_USE;
/* sorts, fills owner[]; */
enum lanefix_status lf_owner_find(struct lf_solve_scratch *w,
                                  struct lanefix_error *err) LF_MUST_USE;
/* and need[] and the LF_NEXT flags, from owner[] and right[]. */
void lf_owner_needs(struct lf_solve_scratch *w);

/* flow.c */
enum lanefix_status lf_flow_follow(struct lf_solve_scratch *w, struct lf_solution *out,
                                   struct lanefix_error *err) LF_MUST_USE;

#endif
