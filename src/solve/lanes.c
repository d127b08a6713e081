/* Lanes for the slices that move, with the times they had: each goes where decide.c wants it, or
 * where it fits best, nested in the open slice that ends first behind it, else to the first lane
 * with nothing open. So it shares a lane with the innermost slice that moves too and holds it.
 *
 * Slices are named by rank here: their place among all that move by end, and of equal ends the
 * inner first. Sets of ranks, walked in order, tell what ended and what fits, so a slice costs
 * O(log n). */
#include "base/mem.h"
#include "solve/internal.h"
#include "solve/merge_sort.h"

/* Lanes tried that would come between an endpoint and its slice, before a new one is taken. */
#define COVERING_MAX 64

static inline bool ends_before(const struct lf_lane_end *a, const struct lf_lane_end *b)
{
    return a->end != b->end ? a->end < b->end : a->nth > b->nth;
}

LF_DEFINE_SORT(static, sort_by_end, struct lf_lane_end, ends_before)

static bool has_room(const struct lf_solve_scratch *w, uint32_t lane)
{
    return w->lanes[lane].depth < LF_MAX_DEPTH;
}

static void pop(struct lf_solve_scratch *w, uint32_t rank)
{
    uint32_t lane = w->ends[rank].lane;
    struct lf_lane *l = &w->lanes[lane];

    lf_rank_set_remove(&w->tops, rank);
    lf_rank_set_remove(&w->room, rank);
    l->top = w->link[rank];
    l->depth--;
    if (l->top == LF_NONE) {
        lf_rank_set_add(&w->idle, lane);
        return;
    }
    lf_rank_set_add(&w->tops, l->top);
    lf_rank_set_add(&w->room, l->top);
}

static void push(struct lf_solve_scratch *w, uint32_t lane, uint32_t rank)
{
    struct lf_lane *l = &w->lanes[lane];

    if (l->top == LF_NONE) {
        lf_rank_set_remove(&w->idle, lane);
    } else {
        lf_rank_set_remove(&w->tops, l->top);
        lf_rank_set_remove(&w->room, l->top);
    }
    w->link[rank] = l->top;
    w->ends[rank].lane = lane;
    l->top = rank;
    l->depth++;
    lf_rank_set_add(&w->tops, rank);
    if (has_room(w, lane)) {
        lf_rank_set_add(&w->room, rank);
    }
}

static void drop_ended(struct lf_solve_scratch *w, int64_t ts)
{
    for (;;) {
        uint32_t first = lf_rank_set_next(&w->tops, 0);

        if (first == LF_RANK_NONE || w->ends[first].end > ts) {
            return;
        }
        pop(w, first);
    }
}

/* Would x, placed there, leave no time for endpoints to bind, of the slice before it or its own? */
static bool covers_flow(const struct lf_solve_scratch *w, uint32_t lane, uint32_t x)
{
    uint32_t last = w->lanes[lane].last;

    if (!w->has_flows || last == LF_NONE) {
        return false;
    }
    return (w->need[last] != LF_NO_FLOW && w->at[last].start == w->at[x].start) ||
           ((w->flags[x] & LF_NEXT) != 0 && lf_gap_end(w, last) >= w->at[x].start);
}

/* Can x go to the lane that it is wanted on, if it is wanted on one? */
static bool fits_wanted(const struct lf_solve_scratch *w, uint32_t x, uint32_t rank, uint32_t *lane)
{
    *lane = LF_MOVED - w->lane[x];
    if (*lane == 0 || *lane > w->n_lanes) {
        *lane = w->n_lanes;
        return w->lane[x] != LF_MOVED;
    }
    --*lane;
    return has_room(w, *lane) && !covers_flow(w, *lane, x) &&
           (w->lanes[*lane].top == LF_NONE || w->lanes[*lane].top > rank);
}

/* The best lane that is there; n_lanes: none. */
static uint32_t best(const struct lf_solve_scratch *w, uint32_t x, uint32_t rank)
{
    unsigned covering = 0;

    for (uint32_t r = lf_rank_set_next(&w->room, rank);
         r != LF_RANK_NONE && covering < COVERING_MAX;
         r = lf_rank_set_next(&w->room, r + (size_t)1), covering++) {
        if (!covers_flow(w, w->ends[r].lane, x)) {
            return w->ends[r].lane;
        }
    }
    for (uint32_t lane = lf_rank_set_next(&w->idle, 0);
         lane != LF_RANK_NONE && covering < COVERING_MAX;
         lane = lf_rank_set_next(&w->idle, lane + (size_t)1), covering++) {
        if (!covers_flow(w, lane, x)) {
            return lane;
        }
    }
    return w->n_lanes;
}

static enum lanefix_status assign(struct lf_solve_scratch *w, uint32_t x, uint32_t rank,
                                  uint32_t max_lanes, struct lanefix_error *err)
{
    uint32_t lane;

    drop_ended(w, w->at[x].start);
    if (!fits_wanted(w, x, rank, &lane)) {
        lane = best(w, x, rank);
    }
    if (max_lanes != 0 && lane >= max_lanes) {
        return lf_fail(err, LANEFIX_ERR_LIMIT, LANEFIX_NO_OFFSET,
                       "a track needs more than %u lanes", max_lanes);
    }
    if (lane == w->n_lanes) {
        LF_TRY(lf_grow(&w->lanes, &w->cap_lanes, lane + (size_t)1, sizeof *w->lanes, err));
        w->lanes[lane] = (struct lf_lane){LF_NONE, 0, LF_NONE, 0};
        w->n_lanes++;
    }
    push(w, lane, rank);
    w->lanes[lane].last = x;
    w->lane[x] = lane + 1;
    return LANEFIX_OK;
}

/* Fills ends[0..n), sorted, and, in order[] behind what is placed, the ranks of the n that move. */
static enum lanefix_status rank_ends(struct lf_solve_scratch *w, size_t n,
                                     struct lanefix_error *err)
{
    size_t n_ends = 0;

    LF_TRY(lf_grow(&w->ends, &w->cap_ends, n + n / 2, sizeof *w->ends, err));
    for (size_t i = 0; i < w->n; i++) {
        if (w->lane[i] != 0) {
            w->ends[n_ends] = (struct lf_lane_end){lf_open_end(w->at[i].start, w->at[i].end),
                                                   (uint32_t)n_ends, 0};
            n_ends++;
        }
    }
    sort_by_end(w->ends, n_ends, w->ends + n_ends);
    for (size_t rank = 0; rank < n_ends; rank++) {
        w->order[w->n_placed + w->ends[rank].nth] = (uint32_t)rank;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_lanes_assign(struct lf_solve_scratch *w, uint32_t max_lanes,
                                    struct lanefix_error *err)
{
    size_t n = 0;
    size_t nth = w->n_placed;

    w->n_lanes = 0;
    for (size_t i = 0; i < w->n; i++) {
        n += w->lane[i] != 0;
    }
    if (n == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(rank_ends(w, n, err));
    LF_TRY(lf_rank_set_reset(&w->tops, n, err));
    LF_TRY(lf_rank_set_reset(&w->room, n, err));
    LF_TRY(lf_rank_set_reset(&w->idle, n, err));
    for (size_t i = 0; i < w->n; i++) {
        if (w->lane[i] != 0) {
            LF_TRY(assign(w, (uint32_t)i, w->order[nth++], max_lanes, err));
        }
    }
    return LANEFIX_OK;
}

void lf_lanes_order(struct lf_solve_scratch *w)
{
    uint32_t sum = (uint32_t)w->n_placed;

    for (size_t k = 0; k < w->n_lanes; k++) {
        w->lanes[k].first = 0;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (w->lane[i] != 0) {
            w->lanes[w->lane[i] - 1].first++;
        }
    }
    for (size_t k = 0; k < w->n_lanes; k++) {
        uint32_t n = w->lanes[k].first;

        w->lanes[k].first = sum;
        w->lanes[k].last = sum; /* grows to one behind the lane's slices */
        sum += n;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (w->lane[i] != 0) {
            w->order[w->lanes[w->lane[i] - 1].last++] = (uint32_t)i;
        }
    }
}
