/* One track from records to changes: joins the steps, and owns the scratch they work in.
 *
 * sort -> check (most tracks end here) -> windows -> what Perfetto does now -> decide and sweep ->
 * lanes
 * -> flows.
 * Who moves is known after the sweep; all behind it only asks where slices stand. */
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/internal.h"

enum lanefix_status lf_solve_scratch_create(struct lf_solve_scratch **out,
                                            struct lanefix_error *err)
{
    return lf_alloc_zero(out, 1, sizeof **out, err);
}

void lf_solve_scratch_destroy(struct lf_solve_scratch *w)
{
    if (w == NULL) {
        return;
    }
    free(w->at);
    free(w->lane);
    free(w->order);
    free(w->link);
    free(w->flags);
    free(w->cross);
    free(w->need);
    free(w->owner);
    free(w->right);
    free(w->stack);
    free(w->replay);
    free(w->pairs);
    free(w->unclosed);
    free(w->lanes);
    free(w->ends);
    free(w->tops.words);
    free(w->room.words);
    free(w->idle.words);
    free(w->members);
    free(w->groups);
    free(w->open_groups);
    free(w->intents);
    free(w->decisions);
    free(w->rest);
    free(w->heads);
    lf_windows_fini(&w->windows);
    free(w);
}

void lf_solution_fini(struct lf_solution *solution)
{
    free(solution->slices);
    free(solution->flows);
    memset(solution, 0, sizeof *solution);
}

static void add_saturating(uint64_t *sum, uint64_t shift)
{
    if (__builtin_add_overflow(*sum, shift, sum)) {
        *sum = UINT64_MAX;
    }
}

enum lanefix_status lf_solution_join(struct lf_solution *s, const struct lf_solution *more,
                                     struct lanefix_error *err)
{
    LF_TRY(
        lf_grow(&s->slices, &s->cap_slices, s->n_slices + more->n_slices, sizeof *s->slices, err));
    LF_TRY(lf_grow(&s->flows, &s->cap_flows, s->n_flows + more->n_flows, sizeof *s->flows, err));
    if (more->n_slices != 0) {
        memcpy(s->slices + s->n_slices, more->slices, more->n_slices * sizeof *s->slices);
    }
    if (more->n_flows != 0) {
        memcpy(s->flows + s->n_flows, more->flows, more->n_flows * sizeof *s->flows);
    }
    s->n_slices += more->n_slices;
    s->n_flows += more->n_flows;
    s->n_lanes = more->n_lanes > s->n_lanes ? more->n_lanes : s->n_lanes;
    s->n_refused += more->n_refused;
    s->n_crossings += more->n_crossings;
    for (size_t i = 0; i < LF_N_CROSSING_SIZES; i++) {
        s->crossing_sizes[i] += more->crossing_sizes[i];
    }
    s->n_negative += more->n_negative;
    s->n_moved += more->n_moved;
    s->n_snapped += more->n_snapped;
    s->n_named_end_crossings += more->n_named_end_crossings;
    add_saturating(&s->start_shift_ns, more->start_shift_ns);
    add_saturating(&s->end_shift_ns, more->end_shift_ns);
    return LANEFIX_OK;
}

static void clear(struct lf_solution *out)
{
    struct lf_solution fresh = {.slices = out->slices,
                                .cap_slices = out->cap_slices,
                                .flows = out->flows,
                                .cap_flows = out->cap_flows};

    *out = fresh;
}

static enum lanefix_status sort(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    if (lf_order_slices_sorted(w->slices, w->n)) {
        return LANEFIX_OK;
    }
    /* at[] is not in use yet and is larger than half the slices */
    LF_TRY(lf_grow(&w->at, &w->cap_at, w->n, sizeof *w->at, err));
    lf_order_slices(w->slices, w->n, (struct lf_slice *)(void *)w->at);
    return LANEFIX_OK;
}

static enum lanefix_status reserve(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    LF_TRY(lf_grow(&w->at, &w->cap_at, w->n, sizeof *w->at, err));
    LF_TRY(lf_grow(&w->lane, &w->cap_lane, w->n, sizeof *w->lane, err));
    LF_TRY(lf_grow(&w->order, &w->cap_order, w->n, sizeof *w->order, err));
    LF_TRY(lf_grow(&w->link, &w->cap_link, w->n, sizeof *w->link, err));
    LF_TRY(lf_grow(&w->flags, &w->cap_flags, w->n, sizeof *w->flags, err));
    LF_TRY(lf_grow(&w->cross, &w->cap_cross, w->n, sizeof *w->cross, err));
    if (w->has_flows) {
        LF_TRY(lf_grow(&w->need, &w->cap_need, w->n, sizeof *w->need, err));
    }
    return LANEFIX_OK;
}

static enum lanefix_status list_changes(const struct lf_solve_scratch *w, struct lf_solution *out,
                                        struct lanefix_error *err)
{
    size_t n = out->n_slices;

    for (size_t i = 0; i < w->n; i++) {
        n += w->slices[i].kind == LF_SLICE_COMPLETE && !lf_unchanged(w, (uint32_t)i);
    }
    LF_TRY(lf_grow(&out->slices, &out->cap_slices, n, sizeof *out->slices, err));
    for (size_t i = 0; i < w->n; i++) {
        const struct lf_slice *s = &w->slices[i];
        int64_t start_shift, end_shift;

        if (s->kind != LF_SLICE_COMPLETE || lf_unchanged(w, (uint32_t)i)) {
            continue;
        }
        start_shift = w->at[i].start - s->ts;
        end_shift = s->ts + lf_shown_dur(s) - w->at[i].end;
        out->slices[out->n_slices++] =
            (struct lf_slice_change){.off = s->off,
                                     .old_ts = s->ts,
                                     .old_dur = s->u.dur,
                                     .ts = w->at[i].start,
                                     .dur = w->at[i].end - w->at[i].start,
                                     .crossing = w->cross[i],
                                     .lane = w->lane[i]};
        out->n_negative += s->u.dur < 0;
        out->n_moved += w->lane[i] != 0;
        out->n_snapped += start_shift != 0 || end_shift != 0;
        add_saturating(&out->start_shift_ns, (uint64_t)start_shift);
        add_saturating(&out->end_shift_ns, (uint64_t)end_shift);
    }
    out->n_lanes = w->n_lanes > out->n_lanes ? w->n_lanes : out->n_lanes;
    return LANEFIX_OK;
}

static enum lanefix_status solve(struct lf_solve_scratch *w, uint32_t max_lanes,
                                 struct lf_solution *out, struct lanefix_error *err)
{
    LF_TRY(reserve(w, err));
    if (!w->has_fixed) {
        for (size_t i = 0; i < w->n; i++) {
            int64_t ts = w->slices[i].ts;

            w->at[i] = (struct lf_interval){ts, ts + lf_shown_dur(&w->slices[i])};
        }
    }
    if (w->has_flows) {
        LF_TRY(lf_owner_find(w, err));
    }
    LF_TRY(lf_replay(w, out, err));
    if (w->only_count) {
        return LANEFIX_OK;
    }
    if (w->has_flows) {
        lf_owner_needs(w);
    }
    LF_TRY(lf_decide(w, err));
    LF_TRY(lf_lanes_assign(w, max_lanes, err));
    if (w->has_flows) {
        lf_lanes_order(w);
        LF_TRY(lf_flow_follow(w, out, err));
    }
    return list_changes(w, out, err);
}

/* Only what the windows hold, a batch at a time: its slices and endpoints move to where the first
 * of them are, so the scratch is as large as a batch. */
static enum lanefix_status solve_windows(struct lf_solve_scratch *w, uint32_t max_lanes,
                                         struct lf_solution *out, struct lanefix_error *err)
{
    struct lf_windows *windows = &w->windows;
    struct lf_slice *slices = w->slices;
    struct lf_flow *flows = w->flows;

    LF_TRY(lf_owner_sort_flows(w, err));
    lf_windows_reset(windows);
    LF_TRY(lf_windows_add(windows, slices, w->n, flows, w->n_flows, err));
    LF_TRY(lf_windows_end(windows, w->n_flows, err));
    for (size_t k = 0; k < windows->n;) {
        size_t end = lf_windows_batch(windows, k, &w->n, &w->n_flows);
        size_t n = 0;
        size_t n_flows = 0;

        w->slices = slices + windows->list[k].first;
        w->flows = flows != NULL ? flows + windows->list[k].first_flow : NULL;
        w->has_flows = w->n_flows > 0;
        for (; k < end; k++) {
            const struct lf_window *v = &windows->list[k];

            memmove(w->slices + n, slices + v->first, (v->end - v->first) * sizeof *slices);
            n += v->end - v->first;
            if (w->has_flows) {
                memmove(w->flows + n_flows, flows + v->first_flow,
                        (v->end_flow - v->first_flow) * sizeof *flows);
                n_flows += v->end_flow - v->first_flow;
            }
        }
        LF_TRY(solve(w, max_lanes, out, err));
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_solve_track(struct lf_slice *slices, size_t n_slices, struct lf_flow *flows,
                                   size_t n_flows, const struct lf_solve_options *options,
                                   struct lf_solve_scratch *w, struct lf_solution *out,
                                   struct lanefix_error *err)
{
    bool clean;

    clear(out);
    w->slices = slices;
    w->n = n_slices;
    w->flows = flows;
    w->n_flows = n_flows;
    w->threshold = options->threshold_ns;
    w->first_come = options->first_come;
    w->only_count = options->only_count;
    w->has_flows = n_flows > 0;
    w->n_pairs = 0;
    LF_TRY(sort(w, err));
    clean = lf_check_complete(slices, n_slices, &w->has_fixed);
    if (w->has_fixed) {
        LF_TRY(lf_grow(&w->at, &w->cap_at, n_slices, sizeof *w->at, err));
        LF_TRY(lf_fixed_match(w, &out->n_named_end_crossings, err));
        LF_TRY(lf_check_fixed(w, &clean, err));
    }
    if (clean) {
        return LANEFIX_OK;
    }
    return w->has_fixed || options->whole ? solve(w, options->max_lanes, out, err)
                                          : solve_windows(w, options->max_lanes, out, err);
}
