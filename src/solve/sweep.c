/* Every slice placed on the track, or moved from it: first come, first kept.
 *
 * Slices are taken in the order in which Perfetto will take them, by the times they have now: from
 * the array, or from a heap of those whose start was pushed or whose place in the order changed.
 * Invariant: what is placed is final, laminar, and comes before all that is not. */
#include "base/mem.h"
#include "solve/internal.h"

static void heap_add(struct lf_solve_scratch *w, uint32_t x)
{
    size_t k = w->n_heap++;

    for (; k > 0 && lf_precedes(w, x, w->link[(k - 1) / 2]); k = (k - 1) / 2) {
        w->link[k] = w->link[(k - 1) / 2];
    }
    w->link[k] = x;
}

static uint32_t heap_take(struct lf_solve_scratch *w)
{
    uint32_t least = w->link[0];
    uint32_t x = w->link[--w->n_heap];
    size_t k = 0;

    for (size_t child = 1; child < w->n_heap; child = 2 * k + 1) {
        if (child + 1 < w->n_heap && lf_precedes(w, w->link[child + 1], w->link[child])) {
            child++;
        }
        if (!lf_precedes(w, w->link[child], x)) {
            break;
        }
        w->link[k] = w->link[child];
        k = child;
    }
    w->link[k] = x;
    return least;
}

static void note(struct lf_solve_scratch *w, uint32_t x)
{
    w->order[w->n_placed++] = x;
    w->last = x;
    w->started = x;
}

static enum lanefix_status place(struct lf_solve_scratch *w, uint32_t x, int64_t end,
                                 struct lanefix_error *err)
{
    note(w, x);
    return lf_stack_push(w, end, x, err);
}

static enum lanefix_status take_fixed(struct lf_solve_scratch *w, uint32_t x,
                                      struct lanefix_error *err)
{
    if (w->slices[x].kind == LF_SLICE_END) {
        lf_stack_drop_end(w, w->at[x].start);
        w->last = w->n_stack > 0 ? w->stack[w->n_stack - 1].slice : LF_NONE;
        w->at[x].end = w->last;
        w->order[w->n_placed++] = x;
        return LANEFIX_OK;
    }
    if (w->slices[x].kind == LF_SLICE_BEGIN) {
        (void)lf_stack_drop_begin(w, x);
        note(w, x);
        return lf_stack_push_begin(w, x, err);
    }
    lf_stack_drop(w, w->at[x].start);
    if (w->n_stack >= LF_MAX_DEPTH) { /* Perfetto leaves such instants out */
        return LANEFIX_OK;
    }
    return place(w, x, lf_open_end(w->at[x].start, w->at[x].end), err);
}

static void move_away(struct lf_solve_scratch *w, uint32_t x)
{
    const struct lf_slice *s = &w->slices[x];

    w->at[x] = (struct lf_interval){s->ts, s->ts + lf_shown_dur(s)};
    w->lane[x] = LF_MOVED;
}

/* next: the first unchanged slice that is not taken. */
static enum lanefix_status take_complete(struct lf_solve_scratch *w, uint32_t x, size_t next,
                                         struct lanefix_error *err)
{
    struct lf_interval want;
    struct lf_interval *at = &w->at[x];

    lf_stack_drop(w, at->start);
    if (!lf_fit(w, x, &want)) {
        move_away(w, x);
        return LANEFIX_OK;
    }
    if (want.start > at->start) {
        at->start = want.start;
        if ((w->flags[x] & LF_PLACED) == 0) {
            at->end = w->slices[x].ts + lf_shown_dur(&w->slices[x]);
        }
        heap_add(w, x);
        return LANEFIX_OK;
    }
    if (want.end < at->end) {
        at->end = want.end;
        if ((next < w->n && lf_precedes(w, (uint32_t)next, x)) ||
            (w->n_heap > 0 && lf_precedes(w, w->link[0], x))) {
            heap_add(w, x);
            return LANEFIX_OK;
        }
    }
    return place(w, x, lf_open_end(at->start, at->end), err);
}

/* The first slice from i on whose turn is when it was. Those before it that are to be snapped wait
 * in the heap: their turn may come later than it did. */
static size_t next_in_turn(struct lf_solve_scratch *w, size_t i)
{
    for (; i < w->n && (w->lane[i] != 0 || (w->flags[i] & LF_PLACED) != 0); i++) {
        if (w->lane[i] == 0) {
            heap_add(w, (uint32_t)i);
        }
    }
    return i;
}

enum lanefix_status lf_sweep(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    size_t next;

    w->n_placed = 0;
    w->n_heap = 0;
    next = next_in_turn(w, 0);
    w->n_stack = 0;
    w->last = LF_NONE;
    w->started = LF_NONE;
    while (next < w->n || w->n_heap > 0) {
        uint32_t x;

        if (w->n_heap > 0 && (next == w->n || lf_precedes(w, w->link[0], (uint32_t)next))) {
            x = heap_take(w);
        } else {
            x = (uint32_t)next;
            next = next_in_turn(w, next + 1);
        }
        LF_TRY(w->slices[x].kind == LF_SLICE_COMPLETE ? take_complete(w, x, next, err)
                                                      : take_fixed(w, x, err));
    }
    return LANEFIX_OK;
}
