/* Lanes for the slices that move, with the times they had: each goes to the first lane where it
 * nests or is disjoint.
 *
 * A tree over the lanes knows, below each node, the least end on top of a lane's stack (to take off
 * what ended) and the greatest (to find the first lane with room), so a slice costs O(log lanes).
 * A lane without an open slice has room for anything: its ends are INT64_MAX. */
#include "base/mem.h"
#include "solve/internal.h"

#define LEAVES_MIN 8u

static int64_t open_end(const struct lf_solve_scratch *w, uint32_t i)
{
    return lf_open_end(w->at[i].start, w->at[i].end);
}

static void update(struct lf_solve_scratch *w, size_t lane)
{
    const struct lf_lane *l = &w->lanes[lane];
    size_t k = w->n_leaves + lane;

    w->low[k] = l->top == LF_NONE ? INT64_MAX : open_end(w, l->top);
    w->high[k] = l->depth >= LF_MAX_DEPTH ? INT64_MIN : w->low[k];
    for (k /= 2; k > 0; k /= 2) {
        size_t a = 2 * k;
        size_t b = a + 1;

        w->low[k] = w->low[a] < w->low[b] ? w->low[a] : w->low[b];
        w->high[k] = w->high[a] > w->high[b] ? w->high[a] : w->high[b];
    }
}

/* Makes room for n lanes, a power of two. */
static enum lanefix_status reserve(struct lf_solve_scratch *w, size_t n, struct lanefix_error *err)
{
    LF_TRY(lf_grow(&w->lanes, &w->cap_lanes, n, sizeof *w->lanes, err));
    LF_TRY(lf_grow(&w->low, &w->cap_low, 2 * n, sizeof *w->low, err));
    LF_TRY(lf_grow(&w->high, &w->cap_high, 2 * n, sizeof *w->high, err));
    for (size_t k = 0; k < 2 * n; k++) {
        w->low[k] = INT64_MAX;
        w->high[k] = INT64_MAX;
    }
    w->n_leaves = n;
    for (size_t lane = w->n_lanes; lane < n; lane++) {
        w->lanes[lane] = (struct lf_lane){LF_NONE, 0, LF_NONE, 0};
    }
    for (size_t lane = 0; lane < w->n_lanes; lane++) {
        update(w, lane);
    }
    return LANEFIX_OK;
}

static void drop_ended(struct lf_solve_scratch *w, int64_t ts)
{
    while (w->low[1] <= ts) {
        size_t k = 1;

        while (k < w->n_leaves) {
            k = 2 * k + (w->low[2 * k] > ts);
        }
        k -= w->n_leaves;
        w->lanes[k].top = w->link[w->lanes[k].top];
        w->lanes[k].depth--;
        update(w, k);
    }
}

/* The first lane from `from` on with an end of at least end on top; n_leaves where there is none.
 */
static size_t find(const struct lf_solve_scratch *w, size_t from, int64_t end)
{
    size_t k = w->n_leaves + from;

    if (from >= w->n_leaves) {
        return w->n_leaves;
    }
    while (w->high[k] < end) {
        while ((k & 1) != 0) { /* a right child: its parent holds nothing further right */
            k /= 2;
        }
        if (k == 0) {
            return w->n_leaves;
        }
        k++;
    }
    while (k < w->n_leaves) {
        k = 2 * k + (w->high[2 * k] < end);
    }
    return k - w->n_leaves;
}

/* Would x, placed there, leave no time for endpoints to bind, of the slice before it or its own? */
static bool covers_flow(const struct lf_solve_scratch *w, size_t lane, uint32_t x)
{
    uint32_t last = lane < w->n_leaves ? w->lanes[lane].last : LF_NONE;

    if (!w->has_flows || last == LF_NONE) {
        return false;
    }
    return (w->need[last] != LF_NO_FLOW && w->at[last].start == w->at[x].start) ||
           ((w->flags[x] & LF_NEXT) != 0 && lf_gap_end(w, last) >= w->at[x].start);
}

static enum lanefix_status assign(struct lf_solve_scratch *w, uint32_t x, uint32_t max_lanes,
                                  struct lanefix_error *err)
{
    size_t lane = 0;

    drop_ended(w, w->at[x].start);
    lane = find(w, 0, open_end(w, x));
    while (covers_flow(w, lane, x)) {
        lane = find(w, lane + 1, open_end(w, x));
    }
    if (max_lanes != 0 && lane >= max_lanes) {
        return lf_fail(err, LANEFIX_ERR_LIMIT, LANEFIX_NO_OFFSET,
                       "a track needs more than %u lanes", max_lanes);
    }
    if (lane == w->n_leaves) {
        LF_TRY(reserve(w, w->n_leaves * 2, err));
    }
    w->n_lanes = lane >= w->n_lanes ? (uint32_t)lane + 1 : w->n_lanes;
    w->link[x] = w->lanes[lane].top;
    w->lanes[lane].top = x;
    w->lanes[lane].last = x;
    w->lanes[lane].depth++;
    w->lane[x] = (uint32_t)lane + 1;
    update(w, lane);
    return LANEFIX_OK;
}

enum lanefix_status lf_lanes_assign(struct lf_solve_scratch *w, uint32_t max_lanes,
                                    struct lanefix_error *err)
{
    w->n_lanes = 0;
    LF_TRY(reserve(w, LEAVES_MIN, err));
    for (size_t i = 0; i < w->n; i++) {
        if (w->lane[i] == LF_MOVED) {
            LF_TRY(assign(w, (uint32_t)i, max_lanes, err));
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
