/* Flow endpoints follow the slices they belong to.
 *
 * Perfetto binds an endpoint to what its stack has on top: the slice that was pushed last before it
 * or, right behind an "E", the one left open there. So an endpoint binds to its owner from the
 * owner's start up to the next event on the row, which is where it is put if it cannot stay. */
#include "base/mem.h"
#include "solve/internal.h"
#include "trace/time.h"

/* The events of a row, in order[]. */
struct row {
    size_t first, end;
};

static struct row row_of(const struct lf_solve_scratch *w, uint32_t lane)
{
    if (lane == 0) {
        return (struct row){0, w->n_placed};
    }
    return (struct row){w->lanes[lane - 1].first, w->lanes[lane - 1].last};
}

/* How far the row comes before the point (t, off): the first position behind it. */
static size_t behind(const struct lf_solve_scratch *w, struct row row, int64_t t, uint64_t off)
{
    size_t low = row.first;
    size_t high = row.end;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (lf_before_point(w, w->order[mid], t, off)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static bool binds(const struct lf_solve_scratch *w, struct row row, uint32_t owner, int64_t t,
                  uint64_t off)
{
    size_t k = behind(w, row, t, off);
    uint32_t top;

    if (k == row.first) {
        return false;
    }
    top = w->order[k - 1];
    if (w->slices[top].kind == LF_SLICE_END) {
        return w->at[top].end == owner;
    }
    return top == owner;
}

/* Where the slice stands in its row. */
static size_t position(const struct lf_solve_scratch *w, struct row row, uint32_t slice)
{
    size_t low = row.first;
    size_t high = row.end;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (lf_precedes(w, w->order[mid], slice)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* The new time of an endpoint that binds to the open slice. */
static int64_t follow_here(const struct lf_solve_scratch *w, const struct lf_flow *f,
                           uint32_t owner)
{
    const struct lf_interval *at = &w->at[owner];
    struct row row = row_of(w, w->lane[owner]);
    int64_t last = at->end > at->start ? at->end - 1 : at->start;
    int64_t t = f->ts;
    size_t next;

    if (t == w->slices[owner].ts || t < at->start) {
        t = at->start;
    } else if (t > last) {
        t = lf_time_writable(last, false);
        t = t < at->start ? at->start : t;
    }
    if (binds(w, row, owner, t, f->off)) {
        return t;
    }
    next = position(w, row, owner) + 1;
    if (next < row.end && w->at[w->order[next]].start <= t) {
        t = lf_time_writable(w->at[w->order[next]].start - 1, false);
    }
    return t < at->start ? at->start : t;
}

/* The new time of an endpoint that binds to the next slice: as far before it as it was, but behind
 * the slice before. */
static int64_t follow_next(const struct lf_solve_scratch *w, const struct lf_flow *f,
                           uint32_t owner)
{
    int64_t start = w->at[owner].start;
    struct row row = row_of(w, w->lane[owner]);
    size_t k = position(w, row, owner);
    int64_t t = f->ts + (start - w->slices[owner].ts);

    if (t != f->ts) {
        t = lf_time_writable(t, true);
        t = t < start ? t : lf_time_writable(start - 1, false);
    }
    while (k > row.first && w->slices[w->order[k - 1]].kind == LF_SLICE_END) {
        k--;
    }
    if (k > row.first && !lf_before_point(w, w->order[k - 1], t, f->off)) {
        uint32_t before = w->order[k - 1];

        t = w->at[before].start;
        if (!lf_before_point(w, before, t, f->off)) {
            t = lf_time_writable(t + 1, true);
        }
    }
    return t < f->ts ? f->ts : t;
}

static enum lanefix_status follow(const struct lf_solve_scratch *w, size_t i,
                                  struct lf_solution *out, struct lanefix_error *err)
{
    const struct lf_flow *f = &w->flows[i];
    uint32_t owner = w->owner[i];
    int64_t t;

    if (owner == LF_NONE ||
        (!w->right[i] && (w->flags[owner] & LF_REFUSED) == 0 && lf_unchanged(w, owner))) {
        return LANEFIX_OK;
    }
    t = f->kind == LF_FLOW_HERE ? follow_here(w, f, owner) : follow_next(w, f, owner);
    if (t == f->ts && w->lane[owner] == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&out->flows, &out->cap_flows, out->n_flows + 1, sizeof *out->flows, err));
    out->flows[out->n_flows++] = (struct lf_flow_change){f->off, f->ts, t, w->lane[owner]};
    return LANEFIX_OK;
}

enum lanefix_status lf_flow_follow(struct lf_solve_scratch *w, struct lf_solution *out,
                                   struct lanefix_error *err)
{
    for (size_t i = 0; i < w->n_flows; i++) {
        LF_TRY(follow(w, i, out, err));
    }
    return LANEFIX_OK;
}
