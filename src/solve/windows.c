/* One sweep with a stack of open slices. Slices that cross become one entry, which is open until
 * the last of them ends; so ends never grow towards the top. */
#include "solve/windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/internal.h"

void lf_windows_reset(struct lf_windows *windows)
{
    windows->n = 0;
    windows->whole = false;
    windows->depth = 0;
    windows->n_open = 0;
    windows->n_seen = 0;
    windows->n_flows = 0;
}

static enum lanefix_status add_window(struct lf_windows *windows, struct lf_window window,
                                      struct lanefix_error *err)
{
    while (windows->n > 0 && windows->list[windows->n - 1].end > window.first) {
        const struct lf_window *last = &windows->list[--windows->n];

        if (last->first < window.first) {
            window.first = last->first;
            window.first_flow = last->first_flow;
        }
    }
    LF_TRY(lf_grow(&windows->list, &windows->cap, windows->n + 1, sizeof *windows->list, err));
    windows->list[windows->n++] = window;
    return LANEFIX_OK;
}

static const struct lf_window_open *pop(struct lf_windows *windows)
{
    const struct lf_window_open *top = &windows->stack[--windows->depth];

    windows->n_open -= top->n;
    return top;
}

/* next: 1 where an endpoint waits for the slice that comes now, 0 otherwise. */
static inline enum lanefix_status drop_ended(struct lf_windows *windows, int64_t ts, size_t next,
                                             struct lanefix_error *err)
{
    while (windows->depth > 0 && windows->stack[windows->depth - 1].end <= ts) {
        const struct lf_window_open *top = pop(windows);

        if (top->crossed) {
            LF_TRY(add_window(windows,
                              (struct lf_window){top->first, windows->n_seen + next,
                                                 top->first_flow, windows->n_flows},
                              err));
        }
    }
    return LANEFIX_OK;
}

/* Puts the endpoints before the slice behind; is there one among them that waits for it? */
static bool pass_flows(struct lf_windows *windows, const struct lf_slice *s,
                       const struct lf_flow *flows, size_t n_flows)
{
    bool waits = false;
    size_t f = windows->n_flows;

    for (; f < n_flows && !lf_was_before_point(s, flows[f].ts, flows[f].off); f++) {
        waits = waits || flows[f].kind == LF_FLOW_NEXT;
    }
    windows->n_flows = f;
    return waits;
}

enum lanefix_status lf_windows_add(struct lf_windows *windows, const struct lf_slice *slices,
                                   size_t n, const struct lf_flow *flows, size_t n_flows,
                                   struct lanefix_error *err)
{
    for (size_t i = 0; i < n; i++, windows->n_seen++) {
        const struct lf_slice *s = &slices[i];
        struct lf_window_open open = {.end = lf_open_end(s->ts, s->ts + lf_shown_dur(s)), .n = 1};
        size_t n_flows_before = windows->n_flows;
        bool waits = n_flows_before < n_flows && pass_flows(windows, s, flows, n_flows);

        LF_TRY(drop_ended(windows, s->ts, waits, err));
        open.first = windows->n_seen;
        open.first_flow = windows->n_flows;
        if (waits) {
            open.first -= open.first > 0;
            open.first_flow = n_flows_before;
        }
        while (windows->depth > 0 && windows->stack[windows->depth - 1].end < open.end) {
            const struct lf_window_open *top = pop(windows);

            open.first = top->first;
            open.first_flow = top->first_flow;
            open.n += top->n;
            open.crossed = true;
        }
        windows->whole = windows->whole || windows->n_open + open.n > LF_MAX_DEPTH ||
                         s->u.dur < 0 || s->member != 0;
        if (!windows->whole) {
            windows->stack[windows->depth++] = open;
            windows->n_open += open.n;
        }
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_windows_end(struct lf_windows *windows, size_t n_flows,
                                   struct lanefix_error *err)
{
    windows->n_flows = n_flows;
    if (windows->whole) {
        windows->n = 0;
        return add_window(windows, (struct lf_window){0, windows->n_seen, 0, n_flows}, err);
    }
    return drop_ended(windows, INT64_MAX, 0, err);
}

size_t lf_windows_batch(const struct lf_windows *windows, size_t k, size_t *n_slices,
                        size_t *n_flows)
{
    *n_slices = 0;
    *n_flows = 0;
    for (; k < windows->n && *n_slices < LF_BATCH_SLICES; k++) {
        *n_slices += windows->list[k].end - windows->list[k].first;
        *n_flows += windows->list[k].end_flow - windows->list[k].first_flow;
    }
    return k;
}

void lf_windows_fini(struct lf_windows *windows)
{
    free(windows->list);
    memset(windows, 0, sizeof *windows);
}
