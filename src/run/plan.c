/* The plan: rows from tracks, every row solved (in parallel), lanes' ids, edits by offset, the text
 * of the added events. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "par/pipeline.h"
#include "rewrite/metadata.h"
#include "rewrite/patch.h"
#include "run/long_row.h"
#include "solve/solve.h"

/* A worker's own memory. */
struct worker {
    struct lf_solve_scratch *scratch;
    struct lf_solution solution;
    struct lf_slice *slices;
    struct lf_flow *flows;
    size_t cap_slices, cap_flows;
};

struct order {
    uint32_t row;
    size_t n;
};

struct plan {
    struct lf_run *run;
    struct worker *workers;
    struct order *order; /* rows with slices, large ones first */
    size_t n_order;
    size_t n_long; /* rows at the order's beginning that are solved by all threads together */
    bool *folded; /* by track: what Perfetto refuses of it is counted with those it folds with; NULL: none */
    struct lf_solution **solved; /* by row; written by the row's worker only; NULL: no change */
};

static int compare_slice_offs(const void *x, const void *y)
{
    const struct lf_slice *a = x;
    const struct lf_slice *b = y;

    return a->off < b->off ? -1 : a->off > b->off;
}

static int compare_flow_offs(const void *x, const void *y)
{
    const struct lf_flow *a = x;
    const struct lf_flow *b = y;

    return a->off < b->off ? -1 : a->off > b->off;
}

static void rebase(int64_t base_ns, struct lf_slice *slices, size_t n_slices, struct lf_flow *flows,
                   size_t n_flows)
{
    for (size_t i = 0; i < n_slices; i++) {
        slices[i].ts = lf_rebased_ts(slices[i].ts, base_ns);
    }
    for (size_t i = 0; i < n_flows; i++) {
        flows[i].ts = lf_rebased_ts(flows[i].ts, base_ns);
    }
}

/* Takes the records of all members of row out of the table, in file order. */
static enum lanefix_status gather(struct worker *w, struct lf_run *run, const struct lf_row *row,
                                  size_t *n_slices, size_t *n_flows, struct lanefix_error *err)
{
    const uint32_t *members = run->layout.members + row->first_member;
    uint32_t n_with_slices = 0;
    uint32_t n_with_flows = 0;

    *n_slices = 0;
    *n_flows = 0;
    for (uint32_t m = 0; m < row->n_members; m++) {
        *n_slices += lf_tracks_at(&run->tracks, members[m])->slices.n;
        *n_flows += lf_track_n_flows(lf_tracks_at(&run->tracks, members[m]));
    }
    LF_TRY(lf_run_memory(run, *n_slices * sizeof *w->slices + *n_flows * sizeof *w->flows, err));
    /* one more: there is an array to point into even where there is nothing to put there */
    LF_TRY(lf_grow(&w->slices, &w->cap_slices, *n_slices + 1, sizeof *w->slices, err));
    LF_TRY(lf_grow(&w->flows, &w->cap_flows, *n_flows + 1, sizeof *w->flows, err));
    *n_slices = 0;
    *n_flows = 0;
    for (uint32_t m = 0; m < row->n_members; m++) {
        struct lf_track *track = lf_tracks_at(&run->tracks, members[m]);
        size_t n = track->slices.n;
        size_t n_flow = lf_track_n_flows(track);

        lf_records_take_slices(&track->slices, w->slices + *n_slices, n, m);
        if (n_flow != 0) {
            lf_records_take_flows(track->flows, w->flows + *n_flows, n_flow, m);
        }
        *n_slices += n;
        *n_flows += n_flow;
        n_with_slices += n != 0;
        n_with_flows += n_flow != 0;
    }
    if (run->rebase) {
        rebase(run->base_ns, w->slices, *n_slices, w->flows, *n_flows);
    }
    if (n_with_slices > 1) {
        qsort(w->slices, *n_slices, sizeof *w->slices, compare_slice_offs);
    }
    if (n_with_flows > 1) {
        qsort(w->flows, *n_flows, sizeof *w->flows, compare_flow_offs);
    }
    return LANEFIX_OK;
}

static enum lanefix_status name_track(const struct lf_run *run, const struct lf_row *row,
                                      struct lanefix_error *err)
{
    const struct lf_key keys[2] = {row->pid, row->tid};
    char ids[2][64];

    for (size_t i = 0; i < 2; i++) {
        char digits[16];
        size_t n;
        const char *text = lf_key_text(keys[i], &run->tracks.names, digits, &n);

        lf_printable(ids[i], sizeof ids[i], text, n);
    }
    return lf_fail(err, LANEFIX_ERR_LIMIT, LANEFIX_NO_OFFSET,
                   "track pid=%s tid=%s needs more than %u lanes: expected one process's one thread; "
                   "probably several were merged under one id (--max-lanes 0 goes on)",
                   ids[0], ids[1], run->options->max_lanes);
}

/* Keeps what solving the i-th row of the order gave; solution is empty then. */
static enum lanefix_status keep(struct plan *plan, size_t i, struct lf_solution *solution,
                                struct lanefix_error *err)
{
    struct lf_solution *kept;

    plan->run->layout.rows[plan->order[i].row].n_lanes = solution->n_lanes;
    LF_TRY(lf_run_memory(plan->run, (solution->n_slices + solution->n_flows) * sizeof(struct lf_edit),
                         err));
    if (solution->n_slices + solution->n_flows + solution->n_refused +
            solution->n_named_end_crossings ==
        0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc(&kept, 1, sizeof *kept, err));
    *kept = *solution;
    memset(solution, 0, sizeof *solution);
    plan->solved[plan->order[i].row] = kept;
    return LANEFIX_OK;
}

/* The first rows of the order, which are long: each by all threads. */
static enum lanefix_status solve_long_rows(struct plan *plan, struct lanefix_error *err)
{
    struct lf_run *run = plan->run;

    for (; plan->n_long < plan->n_order; plan->n_long++) {
        const struct lf_row *row = &run->layout.rows[plan->order[plan->n_long].row];
        struct lf_solution solution = {.slices = NULL};
        enum lanefix_status status;

        if (!lf_long_row_suits(run, row)) {
            break;
        }
        status = lf_long_row_solve(run, row, &solution, err);
        if (status == LANEFIX_ERR_LIMIT) {
            status = name_track(run, row, err);
        }
        if (status == LANEFIX_OK) {
            status = keep(plan, plan->n_long, &solution, err);
        }
        lf_solution_fini(&solution);
        LF_TRY(status);
    }
    return LANEFIX_OK;
}

static enum lanefix_status solve_row(void *shared, unsigned worker, size_t index,
                                     struct lanefix_error *err)
{
    struct plan *plan = shared;
    size_t i = plan->n_long + index;
    struct worker *w = &plan->workers[worker];
    const struct lf_row *row = &plan->run->layout.rows[plan->order[i].row];
    struct lf_solve_options options = {plan->run->options->snap_threshold_ns,
                                       plan->run->options->max_lanes};
    size_t n_slices, n_flows;
    enum lanefix_status status;

    LF_TRY(gather(w, plan->run, row, &n_slices, &n_flows, err));
    status = lf_solve_track(w->slices, n_slices, w->flows, n_flows, &options, w->scratch,
                            &w->solution, err);
    if (status == LANEFIX_ERR_LIMIT) {
        return name_track(plan->run, row, err);
    }
    LF_TRY(status);
    return keep(plan, i, &w->solution, err);
}

static int compare_order(const void *x, const void *y)
{
    const struct order *a = x;
    const struct order *b = y;

    if (a->n != b->n) {
        return a->n > b->n ? -1 : 1;
    }
    return a->row < b->row ? -1 : 1;
}

/* Rows with slices, by size; counts the tracks that the report names. */
static void order_rows(struct plan *plan)
{
    const struct lf_layout *layout = &plan->run->layout;

    for (size_t i = 0; i < layout->n_rows; i++) {
        const struct lf_row *row = &layout->rows[i];
        size_t n = 0;
        bool has_complete = false;

        for (uint32_t m = 0; m < row->n_members; m++) {
            const struct lf_track *t =
                lf_tracks_at(&plan->run->tracks, layout->members[row->first_member + m]);

            n += t->slices.n;
            has_complete = has_complete || t->has_complete;
        }
        plan->run->report->counters.tracks += has_complete;
        if (n != 0) {
            plan->order[plan->n_order++] = (struct order){(uint32_t)i, n};
        }
    }
    qsort(plan->order, plan->n_order, sizeof *plan->order, compare_order);
}

/* What Perfetto refuses on one row as the file has it, where several tracks with slices fold. */
static enum lanefix_status count_folded_row(struct plan *plan, const struct lf_layout *layout,
                                            const struct lf_row *row, struct lanefix_error *err)
{
    struct lf_run *run = plan->run;
    struct lf_solve_options options = {run->options->snap_threshold_ns, 0};
    struct worker *w = &plan->workers[0];
    const uint32_t *members = layout->members + row->first_member;
    size_t n = 0;
    uint32_t n_with_slices = 0;

    for (uint32_t m = 0; m < row->n_members; m++) {
        n += lf_tracks_at(&run->tracks, members[m])->slices.n;
        n_with_slices += lf_tracks_at(&run->tracks, members[m])->slices.n != 0;
    }
    if (n_with_slices < 2) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&w->slices, &w->cap_slices, n, sizeof *w->slices, err));
    n = 0;
    for (uint32_t m = 0; m < row->n_members; m++) {
        const struct lf_track *track = lf_tracks_at(&run->tracks, members[m]);

        n += lf_records_copy_slices(&track->slices, w->slices + n, 0);
        plan->folded[members[m]] = true;
    }
    if (run->rebase) {
        rebase(run->base_ns, w->slices, n, NULL, 0);
    }
    LF_TRY(lf_solve_track(w->slices, n, NULL, 0, &options, w->scratch, &w->solution, err));
    lf_report_count_refused(run->report, &w->solution);
    return LANEFIX_OK;
}

/* Unfolding cures crossings of slices that are on one track only in Perfetto; they count as refused
 * all the same. Only a check asks for that number, and it costs solving the row once more. */
static enum lanefix_status count_folded(struct plan *plan, struct lanefix_error *err)
{
    struct lf_run *run = plan->run;
    struct lf_layout layout = {.rows = NULL};
    enum lanefix_status status;

    if (run->layout.renames == NULL || !run->counts_refused) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc_zero(&plan->folded, run->tracks.n_tracks, sizeof *plan->folded, err));
    status = lf_layout_rows(&layout, &run->tracks, false, err);
    for (size_t i = 0; status == LANEFIX_OK && i < layout.n_rows; i++) {
        status = count_folded_row(plan, &layout, &layout.rows[i], err);
    }
    lf_layout_fini(&layout);
    return status;
}

static enum lanefix_status solve_rows(struct plan *plan, struct lanefix_error *err)
{
    struct lf_run *run = plan->run;

    LF_TRY(lf_alloc_zero(&plan->workers, run->threads, sizeof *plan->workers, err));
    LF_TRY(lf_alloc(&plan->order, run->layout.n_rows, sizeof *plan->order, err));
    LF_TRY(lf_alloc_zero(&plan->solved, run->layout.n_rows, sizeof *plan->solved, err));
    for (unsigned i = 0; i < run->threads; i++) {
        LF_TRY(lf_solve_scratch_create(&plan->workers[i].scratch, err));
    }
    LF_TRY(count_folded(plan, err));
    order_rows(plan);
    LF_TRY(solve_long_rows(plan, err));
    LF_TRY(lf_parallel_for(solve_row, plan, plan->n_order - plan->n_long, run->threads, err));
    for (size_t i = 0; i < run->layout.n_rows; i++) {
        if (plan->solved[i] != NULL) {
            if (plan->folded != NULL &&
                plan->folded[run->layout.members[run->layout.rows[i].first_member]]) {
                plan->solved[i]->n_refused = 0; /* they were counted folded */
                memset(plan->solved[i]->crossing_sizes, 0, sizeof plan->solved[i]->crossing_sizes);
            }
            LF_TRY(lf_edits_add(&run->edits, plan->solved[i], (uint32_t)i, err));
            LF_TRY(lf_report_add_row(run->report, &run->layout.rows[i], plan->solved[i],
                                     &run->tracks.names, err));
            lf_solution_fini(plan->solved[i]);
        }
    }
    return LANEFIX_OK;
}

static void plan_fini(struct plan *plan)
{
    for (unsigned i = 0; plan->workers != NULL && i < plan->run->threads; i++) {
        lf_solve_scratch_destroy(plan->workers[i].scratch);
        lf_solution_fini(&plan->workers[i].solution);
        free(plan->workers[i].slices);
        free(plan->workers[i].flows);
    }
    for (size_t i = 0; plan->solved != NULL && i < plan->run->layout.n_rows; i++) {
        if (plan->solved[i] != NULL) {
            lf_solution_fini(plan->solved[i]);
            free(plan->solved[i]);
        }
    }
    free(plan->workers);
    free(plan->order);
    free(plan->solved);
    free(plan->folded);
}

/* What is put in outside the events. */
static void list_splices(struct lf_run *run)
{
    const struct lf_splitter *found = &run->found;
    struct lf_splice base = {0, 0, NULL};
    struct lf_splice added = {0, 0, NULL};

    if (run->added.n != 0) {
        added = (struct lf_splice){found->last_event_end, 0, &run->added};
    }
    if (run->base_time.n != 0 && found->base_time_off != LANEFIX_NO_OFFSET) {
        base = (struct lf_splice){found->base_time_off,
                                  found->base_time_end - found->base_time_off, &run->base_time};
    } else if (run->base_time.n != 0) {
        base = (struct lf_splice){found->object_off + 1, 0, &run->base_time};
    }
    run->splices[0] = base.off < added.off ? base : added;
    run->splices[1] = base.off < added.off ? added : base;
}

static enum lanefix_status add_metadata(struct lf_run *run, struct lanefix_error *err)
{
    struct lf_summary summary = {
        .trace_bytes = run->trace_bytes,
        .crc32 = run->crc32,
        .base_ns = run->rebase ? run->base_ns : 0,
        .decimals = run->tracks.decimals > 0 ? 3 : 0,
        .base_time_put = run->base_time.n != 0,
        .base_time =
            run->found.base_time_off != LANEFIX_NO_OFFSET ? run->found.base_time : NULL,
        .indent = run->options->indent,
        .row = run->edits.n != 0 ? run->edits.list[0].row : 0,
    };
    bool tells = run->sums && (run->edits.n != 0 || run->layout.renames != NULL || run->rebase);

    return lf_metadata_write(&run->added, &run->layout, &run->tracks, tells ? &summary : NULL,
                             run->gap.data, run->gap.n, err);
}

enum lanefix_status lf_plan(struct lf_run *run, struct lanefix_error *err)
{
    struct plan plan = {.run = run};
    enum lanefix_status status;

    LF_TRY(lf_layout_rows(&run->layout, &run->tracks, run->options->unfold != 0, err));
    status = solve_rows(&plan, err);
    plan_fini(&plan);
    LF_TRY(status);
    lf_edits_sort(&run->edits);
    LF_TRY(lf_layout_lanes(&run->layout, &run->tracks, err));
    LF_TRY(lf_report_add_renames(run->report, &run->layout, &run->tracks, err));
    LF_TRY(add_metadata(run, err));
    list_splices(run);
    return LANEFIX_OK;
}
