/* Where a complete slice can stay on its track: as it is, or snapped.
 *
 * Its start may be pushed to the end of open slices that it crosses, its end pulled back to the
 * next one's; of all such pairs the least total shift is taken, and of equal ones the lesser shift
 * of the start. Shifts count from where the slice stood in the trace. */
#include "solve/internal.h"
#include "trace/time.h"

#define NEAR_NS  4096 /* writable times are closer than this */
#define CUTS_MAX 4    /* starts tried one behind the other to get past fixed slices */

struct best {
    struct lf_interval at;
    int64_t start_shift, total;
    bool found;
};

static bool allowed(const struct lf_solve_scratch *w, int64_t shift)
{
    return shift == 0 || (shift > 0 && shift < w->threshold);
}

/* The end that a slice from start on must not pass, or INT64_MAX. */
static int64_t first_end(const struct lf_solve_scratch *w, int64_t start)
{
    size_t k = w->n_stack;

    while (k > 0 && w->stack[k - 1].end + w->stack[k - 1].lingers <= start) {
        k--;
    }
    return k > 0 ? w->stack[k - 1].end : INT64_MAX;
}

static bool must_not_share_start(const struct lf_solve_scratch *w, uint32_t x, int64_t start,
                                 int64_t end)
{
    const struct lf_slice *s = &w->slices[x];

    return w->has_fixed && w->has_flows && w->need[x] != LF_NO_FLOW &&
           ((w->flags[x] & (LF_REFUSED | LF_FRAGILE)) != 0 || start != s->ts ||
            end != s->ts + lf_shown_dur(s)) &&
           lf_fixed_at(w, start);
}

/* Where a slice from start on ends so that it does not cross the pair. */
static int64_t end_before(const struct lf_solve_scratch *w, int64_t start,
                          const struct lf_pair *pair, int64_t old_end)
{
    int64_t end;

    do {
        /* short of it where a "B" would linger and take the pair along */
        end = pair->begin - lf_fixed_lingers(w, start, pair->begin);
        pair = lf_fixed_cut(w, start, end);
    } while (pair != NULL && end > start && allowed(w, old_end - end));
    return end;
}

/* Where slice x, from start on, ends at end at the latest: with an end that can be written, before
 * the pairs in its way. *cut: the first of these, or NULL. */
static int64_t fitting_end(const struct lf_solve_scratch *w, uint32_t x, int64_t start, int64_t end,
                           const struct lf_pair **cut)
{
    const struct lf_slice *s = &w->slices[x];
    const struct lf_pair *pair = w->has_fixed ? lf_fixed_cut(w, start, end) : NULL;
    int64_t old_end = s->ts + lf_shown_dur(s);
    int64_t wanted;

    *cut = pair;
    do {
        end = pair != NULL ? end_before(w, start, pair, old_end) : end;
        wanted = end;
        if (end != old_end || start != s->ts) {
            end = start + lf_time_writable(end - start, false);
        }
        /* of a very long slice the end that can be written may be within a pair again */
        pair = end != wanted && w->has_fixed ? lf_fixed_cut(w, start, end) : NULL;
        *cut = *cut == NULL ? pair : *cut;
    } while (pair != NULL && end > start && allowed(w, old_end - end));
    return end;
}

/* The end that the slice may have at most: a decided one is not taken back. */
static int64_t latest_end(const struct lf_solve_scratch *w, uint32_t x)
{
    const struct lf_slice *s = &w->slices[x];

    return (w->flags[x] & LF_PLACED) != 0 ? w->at[x].end : s->ts + lf_shown_dur(s);
}

/* Tries the slice at start or, where fixed slices are in the way, shortly behind. */
static void try_start(const struct lf_solve_scratch *w, uint32_t x, int64_t start,
                      struct best *best)
{
    const struct lf_slice *s = &w->slices[x];
    int64_t old_end = s->ts + lf_shown_dur(s);
    int64_t latest = latest_end(w, x);

    for (int tries = 0; tries < CUTS_MAX; tries++) {
        const struct lf_pair *cut = NULL;
        int64_t end, start_shift, total;
        bool apart;

        start = start == w->at[x].start ? start : lf_time_writable(start, true);
        start_shift = start - s->ts;
        if (!allowed(w, start_shift) || start >= latest) {
            return;
        }
        end = first_end(w, start);
        end = fitting_end(w, x, start, end < latest ? end : latest, &cut);
        apart = end > start && must_not_share_start(w, x, start, end);
        total = start_shift + (old_end - end);
        if (end > start && !apart && allowed(w, old_end - end) &&
            (!best->found || total < best->total ||
             (total == best->total && start_shift < best->start_shift))) {
            *best = (struct best){{start, end}, start_shift, total, true};
        }
        if (!apart && cut == NULL) {
            return;
        }
        start = (apart ? start : cut->begin) + 1;
    }
}

static bool touched(const struct lf_solve_scratch *w, uint32_t x)
{
    return (w->flags[x] & LF_REFUSED) != 0 || !lf_unchanged(w, x);
}

/* The last time that must be left before x so that its LF_FLOW_NEXT endpoints fit in behind the
 * slice before it. */
static int64_t gap_before(const struct lf_solve_scratch *w, uint32_t x, bool changes)
{
    uint32_t before = w->started;
    int64_t start = before != LF_NONE ? w->at[before].start : LF_NO_FLOW;

    if (before == LF_NONE || (w->flags[x] & LF_NEXT) == 0 ||
        (uint64_t)w->at[x].start - (uint64_t)start > NEAR_NS ||
        !(changes || ((w->flags[x] & LF_NEXT_RIGHT) != 0 && touched(w, before)))) {
        return LF_NO_FLOW;
    }
    return lf_gap_end(w, before);
}

/* The least start that leaves flow endpoints of the slice on top, and of x, a time to bind.
 * changes: x is refused as it is, or does not stay where it was. */
static int64_t least_start(const struct lf_solve_scratch *w, uint32_t x, bool changes)
{
    int64_t start = w->at[x].start;
    uint32_t top = w->last;
    int64_t taken = LF_NO_FLOW;

    if (!w->has_flows) {
        return start;
    }
    taken = gap_before(w, x, changes);
    if (top == LF_NONE || w->need[top] == LF_NO_FLOW) {
        /* nothing belongs to it */
    } else if (touched(w, top) || (w->flags[top] & LF_FRAGILE) != 0) {
        taken = taken > w->at[top].start ? taken : w->at[top].start;
    } else if (changes) {
        taken = taken > w->need[top] ? taken : w->need[top];
    }
    if (taken == INT64_MAX) { /* no time is left */
        return INT64_MAX;
    }
    return taken < start ? start : taken + 1;
}

bool lf_fit(const struct lf_solve_scratch *w, uint32_t x, struct lf_interval *want)
{
    const struct lf_slice *s = &w->slices[x];
    int64_t old_end = s->ts + lf_shown_dur(s);
    int64_t start = w->at[x].start;
    int64_t least = least_start(w, x, touched(w, x));
    struct best best = {.found = false};

    *want = (struct lf_interval){start, old_end};
    if (w->n_stack >= LF_MAX_DEPTH) {
        return false;
    }
    if (old_end == s->ts) {
        return least == start && !must_not_share_start(w, x, start, old_end);
    }
    if (least == start && first_end(w, start) >= old_end && start == s->ts &&
        latest_end(w, x) == old_end && !(w->has_fixed && lf_fixed_cut(w, start, old_end) != NULL) &&
        !must_not_share_start(w, x, start, old_end)) {
        return true;
    }
    if (w->threshold == 0) {
        return false;
    }
    least = least_start(w, x, true);
    try_start(w, x, least, &best);
    for (size_t k = w->n_stack; k > 0 && w->stack[k - 1].end < old_end; k--) {
        int64_t behind = w->stack[k - 1].end + w->stack[k - 1].lingers;

        if (!allowed(w, behind - s->ts)) {
            break;
        }
        if (behind > least) {
            try_start(w, x, behind, &best);
        }
    }
    *want = best.at;
    return best.found;
}
