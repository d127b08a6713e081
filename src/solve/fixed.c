/* "B"/"E" pairs: which "E" closes which "B", and what a pair asks of complete slices.
 *
 * The pairs that are closed in their turn are laminar. A "B" that never is, or that is still open
 * when one below it is closed, ends with whatever holds it; it can cross nothing. */
#include "base/mem.h"
#include "solve/internal.h"

/* An "E" looks no further down than this: hostile input must not make it quadratic. */
#define SEARCH_MAX 4096u

/* Drops what Perfetto drops before an event at ts; only pairs are on the stack. A closed pair that
 * ended takes what is open above it along. n_closed: how many closed ones are on the stack. */
static void drop_ended(struct lf_solve_scratch *w, int64_t ts, size_t *n_closed)
{
    bool pending = false;
    size_t left = *n_closed;

    for (size_t k = w->n_stack; left > 0 && k-- > 0;) {
        int64_t end = w->at[w->stack[k].slice].end;

        if (end == LF_OPEN_END) {
            pending = true;
            continue;
        }
        left--;
        if (pending && ts <= end) {
            continue;
        }
        w->n_stack = k;
        pending = false;
        *n_closed = left;
    }
}

static bool closes(const struct lf_slice *end, const struct lf_slice *begin)
{
    return end->u.name_hash == 0 || begin->u.name_hash == 0 ||
           end->u.name_hash == begin->u.name_hash;
}

static void close_pair(struct lf_solve_scratch *w, const struct lf_slice *end, size_t *n_closed,
                       uint64_t *n_named_end_crossings)
{
    size_t bottom = w->n_stack > SEARCH_MAX ? w->n_stack - SEARCH_MAX : 0;
    bool passed_open = false;

    for (size_t k = w->n_stack; k-- > bottom;) {
        uint32_t b = w->stack[k].slice;

        if (w->at[b].end != LF_OPEN_END) {
            continue;
        }
        if (closes(end, &w->slices[b])) {
            w->at[b].end = end->ts;
            if (k + 1 == w->n_stack) {
                w->n_stack--;
            } else {
                (*n_closed)++;
            }
            *n_named_end_crossings += passed_open;
            return;
        }
        passed_open = true;
    }
}

/* pairs, in order of begin, with their parents. */
static enum lanefix_status list_pairs(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    uint32_t parent = LF_NONE;

    w->n_pairs = 0;
    w->n_unclosed = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->slices[i].kind != LF_SLICE_BEGIN) {
            continue;
        }
        if (w->at[i].end == LF_OPEN_END) {
            LF_TRY(lf_grow(&w->unclosed, &w->cap_unclosed, w->n_unclosed + 1, sizeof *w->unclosed,
                           err));
            w->unclosed[w->n_unclosed++] = w->at[i].start;
            continue;
        }
        LF_TRY(lf_grow(&w->pairs, &w->cap_pairs, w->n_pairs + 1, sizeof *w->pairs, err));
        while (parent != LF_NONE && w->pairs[parent].end <= w->at[i].start) {
            parent = w->pairs[parent].parent;
        }
        w->pairs[w->n_pairs] = (struct lf_pair){w->at[i].start, w->at[i].end, parent};
        parent = (uint32_t)w->n_pairs++;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_fixed_match(struct lf_solve_scratch *w, uint64_t *n_named_end_crossings,
                                   struct lanefix_error *err)
{
    size_t n_closed = 0;

    w->n_stack = 0;
    *n_named_end_crossings = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct lf_slice *s = &w->slices[i];

        w->at[i] = (struct lf_interval){s->ts, s->ts + lf_shown_dur(s)};
        if (s->kind != LF_SLICE_BEGIN && s->kind != LF_SLICE_END) {
            continue;
        }
        drop_ended(w, s->ts, &n_closed);
        if (s->kind == LF_SLICE_BEGIN) {
            w->at[i].end = LF_OPEN_END;
            LF_TRY(lf_stack_push(w, LF_OPEN_END, (uint32_t)i, err));
        } else {
            close_pair(w, s, &n_closed, n_named_end_crossings);
        }
    }
    return list_pairs(w, err);
}

bool lf_fixed_lingers(const struct lf_solve_scratch *w, int64_t start, int64_t end)
{
    size_t low = 0;
    size_t high = w->n_unclosed;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (w->unclosed[mid] < start) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < w->n_unclosed && w->unclosed[low] < end;
}

const struct lf_pair *lf_fixed_cut(const struct lf_solve_scratch *w, int64_t start, int64_t end)
{
    const struct lf_pair *cut = NULL;
    size_t low = 0;
    size_t high = w->n_pairs;
    bool lingers = w->n_unclosed > 0 && lf_fixed_lingers(w, start, end);

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (w->pairs[mid].begin < end || (lingers && w->pairs[mid].begin == end)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    for (uint32_t p = low > 0 ? (uint32_t)low - 1 : LF_NONE;
         p != LF_NONE && w->pairs[p].begin >= start; p = w->pairs[p].parent) {
        if (w->pairs[p].end > end) {
            cut = &w->pairs[p];
        }
    }
    return cut;
}

bool lf_fixed_at(const struct lf_solve_scratch *w, int64_t t)
{
    size_t low = 0;
    size_t high = w->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (w->slices[mid].ts <= t) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    /* at one time "B" and instants stand last, among empty slices */
    for (; low > 0 && w->slices[low - 1].ts == t; low--) {
        const struct lf_slice *s = &w->slices[low - 1];

        if (s->kind == LF_SLICE_BEGIN || s->kind == LF_SLICE_INSTANT) {
            return true;
        }
        if (lf_order_key(s, lf_shown_dur(s)) != INT64_MAX) {
            break;
        }
    }
    return false;
}
