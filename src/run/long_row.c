/* The row's slices are read in order twice: to find the windows (solve/windows.h), then, where
 * there are any, to solve them: a pipeline that collects a batch (serial), solves it (parallel) and
 * joins (serial). What it holds beside the packed records is a batch a thread; only where one
 * window holds much of the row a batch grows to that. */
#include "run/long_row.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "par/pipeline.h"
#include "rewrite/patch.h"
#include "run/sorted.h"
#include "solve/order.h"
#include "solve/windows.h"

#define LONG_ROW_MIN 131072

struct batch {
    struct lf_slice *slices;
    size_t n, cap;
    struct lf_flow *flows;
    size_t n_flows, cap_flows;
    struct lf_solve_scratch *scratch;
    struct lf_solution solution;
};

struct row_pass {
    struct lf_run *run;
    struct lf_track *track; /* whose slices are used up; NULL: they are only counted */
    struct lf_flow *flows;  /* all of the row's, sorted */
    size_t n_flows;
    struct lf_windows windows;
    size_t next_window;
    struct lf_sorted *sorted;
    const struct lf_slice
        *span; /* slices [span_first, span_first + n_span) of the row, read last */
    size_t n_span, span_first;
    struct lf_solution *out;
    bool joined; /* a batch is in out */
};

/* The one member of row that has records, NULL where there are several. Metadata that is written on
 * another tid (mostly 0) makes members without. */
static struct lf_track *only_member(const struct lf_run *run, const struct lf_row *row)
{
    struct lf_track *only = NULL;

    for (uint32_t m = 0; m < row->n_members; m++) {
        struct lf_track *track =
            lf_tracks_at(&run->tracks, run->layout.members[row->first_member + m]);

        if (track->slices.n != 0 || lf_track_n_flows(track) != 0) {
            if (only != NULL) {
                return NULL;
            }
            only = track;
        }
    }
    return only;
}

bool lf_long_row_can_count(const struct lf_run *run, const uint32_t *tracks, uint32_t n_tracks)
{
    uint64_t n = 0;
    bool has_fixed = false;

    for (uint32_t i = 0; i < n_tracks; i++) {
        const struct lf_track *track = lf_tracks_at(&run->tracks, tracks[i]);

        n += track->slices.n;
        has_fixed = has_fixed || track->has_fixed;
    }
    return !has_fixed && n >= LONG_ROW_MIN;
}

bool lf_long_row_suits(const struct lf_run *run, const struct lf_row *row)
{
    return only_member(run, row) != NULL &&
           lf_long_row_can_count(run, run->layout.members + row->first_member, row->n_members);
}

static enum lanefix_status take_flows(struct row_pass *pass, struct lanefix_error *err)
{
    struct lf_flow *tmp = NULL;

    pass->n_flows = lf_track_n_flows(pass->track);
    LF_TRY(lf_alloc(&pass->flows, pass->n_flows, sizeof *pass->flows, err));
    LF_TRY(lf_alloc(&tmp, pass->n_flows / 2 + 1, sizeof *tmp, err));
    if (pass->n_flows != 0) {
        lf_records_take_flows(pass->track->flows, pass->flows, pass->n_flows, 0);
    }
    for (size_t i = 0; pass->run->rebase && i < pass->n_flows; i++) {
        pass->flows[i].ts = lf_rebased_ts(pass->flows[i].ts, pass->run->base_ns);
    }
    if (!lf_order_flows_sorted(pass->flows, pass->n_flows)) {
        lf_order_flows(pass->flows, pass->n_flows, tmp);
    }
    free(tmp);
    return LANEFIX_OK;
}

/* Slices in order, on their way from the merge to the windows. */
#define SPAN_SLICES 32768 /* or more; there is room for one piece of the merge on top */
struct span {
    struct lf_slice *slices;
    size_t n;
};

static enum lanefix_status read_step(void *shared, void *work, bool *stop,
                                     struct lanefix_error *err)
{
    struct row_pass *pass = shared;
    struct span *span = work;

    for (span->n = 0; span->n < SPAN_SLICES;) {
        const struct lf_slice *slices;
        size_t n;

        LF_TRY(lf_sorted_next(pass->sorted, &slices, &n, err));
        if (n == 0) {
            break;
        }
        memcpy(span->slices + span->n, slices, n * sizeof *slices);
        span->n += n;
    }
    *stop = span->n == 0;
    return LANEFIX_OK;
}

static enum lanefix_status window_step(void *shared, void *work, bool *stop,
                                       struct lanefix_error *err)
{
    struct row_pass *pass = shared;
    const struct span *span = work;

    (void)stop;
    return lf_windows_add(&pass->windows, span->slices, span->n, pass->flows, pass->n_flows, err);
}

/* The merge and the windows are serial both, but two threads can do one each. */
static enum lanefix_status find_windows(struct row_pass *pass, struct lanefix_error *err)
{
    static const struct lf_step steps[] = {{read_step, true}, {window_step, true}};
    enum { N_SPANS = 3 };
    unsigned threads = pass->run->threads < 2 ? 1 : 2;
    size_t n_spans = threads == 1 ? 1 : N_SPANS;
    struct span spans[N_SPANS] = {{NULL, 0}};
    void *pointers[N_SPANS];
    enum lanefix_status status = LANEFIX_OK;

    for (size_t i = 0; status == LANEFIX_OK && i < n_spans; i++) {
        pointers[i] = &spans[i];
        status =
            lf_alloc(&spans[i].slices, SPAN_SLICES + LF_RECORD_CHUNK, sizeof *spans[i].slices, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(steps, sizeof steps / sizeof steps[0], pointers, n_spans, threads,
                                 pass, err);
    }
    for (size_t i = 0; i < N_SPANS; i++) {
        free(spans[i].slices);
    }
    LF_TRY(status);
    return lf_windows_end(&pass->windows, pass->n_flows, err);
}

/* Appends the slices of window to the batch, which has room for them. */
static enum lanefix_status take_slices(struct row_pass *pass, struct batch *batch,
                                       const struct lf_window *window, struct lanefix_error *err)
{
    size_t from = window->first;

    while (from < window->end) {
        size_t span_end = pass->span_first + pass->n_span;
        size_t end = span_end < window->end ? span_end : window->end;

        if (from < end) {
            memcpy(batch->slices + batch->n, pass->span + (from - pass->span_first),
                   (end - from) * sizeof *batch->slices);
            batch->n += end - from;
            from = end;
        }
        if (from == window->end) {
            break;
        }
        pass->span_first = span_end;
        LF_TRY(lf_sorted_next(pass->sorted, &pass->span, &pass->n_span, err));
        assert(pass->n_span > 0);
    }
    return LANEFIX_OK;
}

static enum lanefix_status collect_step(void *shared, void *work, bool *stop,
                                        struct lanefix_error *err)
{
    struct row_pass *pass = shared;
    struct batch *batch = work;
    size_t end, n, n_flows;

    if (pass->next_window == pass->windows.n) {
        *stop = true;
        return LANEFIX_OK;
    }
    end = lf_windows_batch(&pass->windows, pass->next_window, &n, &n_flows);
    if (n > batch->cap) {
        LF_TRY(lf_run_memory(pass->run, n * sizeof *batch->slices, err));
    }
    LF_TRY(lf_grow(&batch->slices, &batch->cap, n, sizeof *batch->slices, err));
    LF_TRY(lf_grow(&batch->flows, &batch->cap_flows, n_flows + 1, sizeof *batch->flows, err));
    batch->n = 0;
    batch->n_flows = 0;
    for (; pass->next_window < end; pass->next_window++) {
        const struct lf_window *window = &pass->windows.list[pass->next_window];

        n_flows = window->end_flow - window->first_flow;
        if (n_flows != 0) {
            memcpy(batch->flows + batch->n_flows, pass->flows + window->first_flow,
                   n_flows * sizeof *batch->flows);
        }
        batch->n_flows += n_flows;
        LF_TRY(take_slices(pass, batch, window, err));
    }
    if (pass->next_window == pass->windows.n && pass->track != NULL) {
        /* the batch may be as large as the row, and nothing is read any more */
        lf_sorted_destroy(pass->sorted);
        pass->sorted = NULL;
        lf_records_fini(&pass->track->slices);
    }
    return LANEFIX_OK;
}

static enum lanefix_status solve_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    const struct row_pass *pass = shared;
    struct batch *batch = work;
    struct lf_solve_options options = {.threshold_ns = pass->run->options->snap_threshold_ns,
                                       .max_lanes = pass->run->options->max_lanes,
                                       .whole = true,
                                       .only_count = pass->track == NULL};

    (void)stop;
    return lf_solve_track(batch->slices, batch->n, batch->flows, batch->n_flows, &options,
                          batch->scratch, &batch->solution, err);
}

static enum lanefix_status join_step(void *shared, void *work, bool *stop,
                                     struct lanefix_error *err)
{
    struct row_pass *pass = shared;
    struct batch *batch = work;

    (void)stop;
    if (!pass->joined) { /* it may be all of the row: it is not copied */
        *pass->out = batch->solution;
        memset(&batch->solution, 0, sizeof batch->solution);
        pass->joined = true;
        return LANEFIX_OK;
    }
    return lf_solution_join(pass->out, &batch->solution, err);
}

static const struct lf_step solve_steps[] = {
    {collect_step, true}, {solve_step, false}, {join_step, true}};

static enum lanefix_status solve_windows(struct row_pass *pass, struct lanefix_error *err)
{
    unsigned n = pass->run->threads;
    struct batch *batches = NULL;
    void **pointers = NULL;
    enum lanefix_status status = lf_alloc_zero(&batches, n, sizeof *batches, err);

    if (status == LANEFIX_OK) {
        status = lf_alloc(&pointers, n, sizeof *pointers, err);
    }
    for (unsigned i = 0; status == LANEFIX_OK && i < n; i++) {
        pointers[i] = &batches[i];
        status = lf_solve_scratch_create(&batches[i].scratch, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(solve_steps, sizeof solve_steps / sizeof solve_steps[0], pointers,
                                 n, n, pass, err);
    }
    for (unsigned i = 0; batches != NULL && i < n; i++) {
        free(batches[i].slices);
        free(batches[i].flows);
        lf_solve_scratch_destroy(batches[i].scratch);
        lf_solution_fini(&batches[i].solution);
    }
    free(batches);
    free(pointers);
    return status;
}

static enum lanefix_status solve_lists(struct row_pass *pass, const struct lf_records *const *lists,
                                       size_t n_lists, struct lanefix_error *err)
{
    enum lanefix_status status = lf_sorted_create(&pass->sorted, pass->run, lists, n_lists, err);

    if (status == LANEFIX_OK) {
        status = find_windows(pass, err);
    }
    if (status == LANEFIX_OK && pass->windows.n != 0) {
        lf_sorted_rewind(pass->sorted);
        status = solve_windows(pass, err);
    }
    lf_sorted_destroy(pass->sorted);
    lf_windows_fini(&pass->windows);
    return status;
}

enum lanefix_status lf_long_row_solve(struct lf_run *run, const struct lf_row *row,
                                      struct lf_solution *out, struct lanefix_error *err)
{
    struct row_pass pass = {.run = run, .track = only_member(run, row), .out = out};
    const struct lf_records *slices = &pass.track->slices;
    enum lanefix_status status = take_flows(&pass, err);

    if (status == LANEFIX_OK) {
        status = solve_lists(&pass, &slices, 1, err);
    }
    lf_records_fini(&pass.track->slices);
    free(pass.flows);
    return status;
}

enum lanefix_status lf_long_row_count(struct lf_run *run, const uint32_t *tracks, uint32_t n_tracks,
                                      struct lf_solution *out, struct lanefix_error *err)
{
    struct row_pass pass = {.run = run, .out = out};
    const struct lf_records **lists = NULL;
    enum lanefix_status status;

    LF_TRY(lf_alloc(&lists, n_tracks, sizeof(struct lf_records *), err));
    for (uint32_t i = 0; i < n_tracks; i++) {
        lists[i] = &lf_tracks_at(&run->tracks, tracks[i])->slices;
    }
    status = solve_lists(&pass, lists, n_tracks, err);
    free(lists);
    return status;
}
