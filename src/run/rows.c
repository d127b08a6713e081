/* Every row solved, on all threads: tasks, the workers' memory, what comes of it as edits and in the
 * report. Rows are independent; what comes of them is put in order of rows, so it is the same at any
 * thread count. */
#include "run/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "par/pipeline.h"
#include "run/gather.h"
#include "run/long_row.h"
#include "solve/solve.h"

#define LARGE_ROW   1024 /* slices */
#define TASK_SLICES 4096 /* of rows that are solved as one task */

/* A row with changes. */
struct solved {
    uint32_t row;
    struct lf_solution solution;
};

/* A worker's own memory. */
struct worker {
    struct lf_solve_scratch *scratch;
    struct lf_solution solution;
    struct lf_gathered records; /* of the row that is being solved */
    struct solved *solved;
    size_t n_solved, cap_solved;
};

/* Rows [first, end): a large one, or small ones side by side. */
struct task {
    uint32_t first, end;
    uint64_t n_slices;
};

struct solving {
    struct lf_run *run;
    struct worker *workers;
    struct task *tasks; /* large ones first */
    size_t n_tasks, cap_tasks;
    size_t n_long; /* tasks at the beginning: rows that are solved by all threads together */
    bool *folded; /* by track: what Perfetto refuses of it is counted with those it folds with; NULL: none */
    struct solved **solved; /* those of all workers, by row */
    size_t n_solved;
};

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

/* Keeps what solving row gave; solution is empty then. */
static enum lanefix_status keep(struct solving *all, struct worker *w, uint32_t row,
                                struct lf_solution *solution, struct lanefix_error *err)
{
    all->run->layout.rows[row].n_lanes = solution->n_lanes;
    if (solution->n_slices + solution->n_flows + solution->n_refused +
            solution->n_named_end_crossings ==
        0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_run_memory(all->run, (solution->n_slices + solution->n_flows) * sizeof(struct lf_edit),
                         err));
    LF_TRY(lf_grow(&w->solved, &w->cap_solved, w->n_solved + 1, sizeof *w->solved, err));
    w->solved[w->n_solved++] = (struct solved){row, *solution};
    memset(solution, 0, sizeof *solution);
    return LANEFIX_OK;
}

/* The first tasks, rows that are long: each by all threads. */
static enum lanefix_status solve_long_rows(struct solving *all, struct lanefix_error *err)
{
    struct lf_run *run = all->run;

    for (; all->n_long < all->n_tasks; all->n_long++) {
        uint32_t number = all->tasks[all->n_long].first;
        const struct lf_row *row = &run->layout.rows[number];
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
            status = keep(all, &all->workers[0], number, &solution, err);
        }
        lf_solution_fini(&solution);
        LF_TRY(status);
    }
    return LANEFIX_OK;
}

static enum lanefix_status solve_row(struct solving *all, struct worker *w, uint32_t number,
                                     struct lanefix_error *err)
{
    const struct lf_row *row = &all->run->layout.rows[number];
    struct lf_solve_options options = {.threshold_ns = all->run->options->snap_threshold_ns,
                                       .max_lanes = all->run->options->max_lanes};
    const struct lf_gathered *r = &w->records;
    enum lanefix_status status;

    LF_TRY(lf_gather_take(&w->records, all->run, row, err));
    if (r->n_slices == 0) {
        return LANEFIX_OK;
    }
    status = lf_solve_track(r->slices, r->n_slices, r->flows, r->n_flows, &options, w->scratch,
                            &w->solution, err);
    if (status == LANEFIX_ERR_LIMIT) {
        return name_track(all->run, row, err);
    }
    LF_TRY(status);
    return keep(all, w, number, &w->solution, err);
}

static enum lanefix_status solve_task(void *shared, unsigned worker, size_t index,
                                      struct lanefix_error *err)
{
    struct solving *all = shared;
    const struct task *task = &all->tasks[all->n_long + index];

    for (uint32_t row = task->first; row < task->end; row++) {
        LF_TRY(solve_row(all, &all->workers[worker], row, err));
    }
    return LANEFIX_OK;
}

static int compare_tasks(const void *x, const void *y)
{
    const struct task *a = x;
    const struct task *b = y;

    if (a->n_slices != b->n_slices) {
        return a->n_slices > b->n_slices ? -1 : 1;
    }
    return a->first < b->first ? -1 : 1;
}

static enum lanefix_status add_task(struct solving *all, const struct task *task,
                                    struct lanefix_error *err)
{
    if (task->n_slices == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&all->tasks, &all->cap_tasks, all->n_tasks + 1, sizeof *all->tasks, err));
    all->tasks[all->n_tasks++] = *task;
    return LANEFIX_OK;
}

/* Tasks of all rows with slices; counts the tracks that the report names. */
static enum lanefix_status list_tasks(struct solving *all, struct lanefix_error *err)
{
    const struct lf_layout *layout = &all->run->layout;
    struct task small = {0, 0, 0};

    for (uint32_t i = 0; i < layout->n_rows; i++) {
        const struct lf_row *row = &layout->rows[i];
        uint64_t n = 0;
        bool has_complete = false;

        for (uint32_t m = 0; m < row->n_members; m++) {
            const struct lf_track *t =
                lf_tracks_at(&all->run->tracks, layout->members[row->first_member + m]);

            n += t->slices.n;
            has_complete = has_complete || t->has_complete;
        }
        all->run->report->counters.tracks += has_complete;
        if (n >= LARGE_ROW || small.n_slices >= TASK_SLICES) {
            LF_TRY(add_task(all, &small, err));
            small = (struct task){i, i, 0};
        }
        if (n >= LARGE_ROW) {
            LF_TRY(add_task(all, &(struct task){i, i + 1, n}, err));
            small.first = i + 1;
        }
        small.end = i + 1;
        small.n_slices += n >= LARGE_ROW ? 0 : n;
    }
    LF_TRY(add_task(all, &small, err));
    if (all->n_tasks != 0) {
        qsort(all->tasks, all->n_tasks, sizeof *all->tasks, compare_tasks);
    }
    return LANEFIX_OK;
}

/* What Perfetto refuses on one row as the file has it, where several tracks with slices fold. */
static enum lanefix_status count_folded_row(struct solving *all, const struct lf_layout *layout,
                                            const struct lf_row *row, struct lanefix_error *err)
{
    struct lf_run *run = all->run;
    struct lf_solve_options options = {.only_count = true};
    struct worker *w = &all->workers[0];
    const uint32_t *members = layout->members + row->first_member;
    uint32_t n_with_slices = 0;

    for (uint32_t m = 0; m < row->n_members; m++) {
        n_with_slices += lf_tracks_at(&run->tracks, members[m])->slices.n != 0;
    }
    if (n_with_slices < 2) {
        return LANEFIX_OK;
    }
    for (uint32_t m = 0; m < row->n_members; m++) {
        all->folded[members[m]] = true;
    }
    if (lf_long_row_can_count(run, members, row->n_members)) {
        struct lf_solution counts = {.slices = NULL};
        enum lanefix_status status = lf_long_row_count(run, members, row->n_members, &counts, err);

        lf_report_count_refused(run->report, &counts);
        lf_solution_fini(&counts);
        return status;
    }
    LF_TRY(lf_gather_copy_slices(&w->records, run, members, row->n_members, err));
    LF_TRY(lf_solve_track(w->records.slices, w->records.n_slices, NULL, 0, &options, w->scratch,
                          &w->solution, err));
    lf_report_count_refused(run->report, &w->solution);
    return LANEFIX_OK;
}

/* Unfolding cures crossings of slices that are on one track only in Perfetto; they count as refused
 * all the same. Only a check asks for that number, and it costs solving the row once more. */
static enum lanefix_status count_folded(struct solving *all, struct lanefix_error *err)
{
    struct lf_run *run = all->run;
    struct lf_layout layout = {.rows = NULL};
    enum lanefix_status status;

    if (run->layout.renames == NULL || !run->counts_refused) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc_zero(&all->folded, run->tracks.n_tracks, sizeof *all->folded, err));
    status = lf_layout_rows(&layout, &run->tracks, false, err);
    for (size_t i = 0; status == LANEFIX_OK && i < layout.n_rows; i++) {
        status = count_folded_row(all, &layout, &layout.rows[i], err);
    }
    lf_layout_fini(&layout);
    return status;
}

static int compare_solved(const void *x, const void *y)
{
    const struct solved *const *a = x;
    const struct solved *const *b = y;

    return (*a)->row < (*b)->row ? -1 : 1;
}

/* What the workers kept, in order of rows. */
static enum lanefix_status collect(struct solving *all, struct lanefix_error *err)
{
    size_t n = 0;

    for (unsigned i = 0; i < all->run->threads; i++) {
        n += all->workers[i].n_solved;
    }
    LF_TRY(lf_alloc(&all->solved, n, sizeof(struct solved *), err));
    for (unsigned i = 0; i < all->run->threads; i++) {
        for (size_t k = 0; k < all->workers[i].n_solved; k++) {
            all->solved[all->n_solved++] = &all->workers[i].solved[k];
        }
    }
    qsort(all->solved, n, sizeof(struct solved *), compare_solved);
    return LANEFIX_OK;
}

static enum lanefix_status solve_all(struct solving *all, struct lanefix_error *err)
{
    struct lf_run *run = all->run;

    LF_TRY(lf_alloc_zero(&all->workers, run->threads, sizeof *all->workers, err));
    for (unsigned i = 0; i < run->threads; i++) {
        LF_TRY(lf_solve_scratch_create(&all->workers[i].scratch, err));
    }
    LF_TRY(count_folded(all, err));
    LF_TRY(list_tasks(all, err));
    LF_TRY(solve_long_rows(all, err));
    LF_TRY(lf_parallel_for(solve_task, all, all->n_tasks - all->n_long, run->threads, err));
    LF_TRY(collect(all, err));
    for (size_t i = 0; i < all->n_solved; i++) {
        uint32_t number = all->solved[i]->row;
        const struct lf_row *row = &run->layout.rows[number];
        struct lf_solution *solution = &all->solved[i]->solution;

        if (all->folded != NULL && all->folded[run->layout.members[row->first_member]]) {
            solution->n_refused = 0; /* they were counted folded */
            memset(solution->crossing_sizes, 0, sizeof solution->crossing_sizes);
        }
        LF_TRY(lf_edits_add(&run->edits, solution, number, err));
        LF_TRY(lf_report_add_row(run->report, row, solution, &run->tracks.names, err));
        lf_solution_fini(solution);
    }
    return LANEFIX_OK;
}

static void solving_fini(struct solving *all)
{
    for (unsigned i = 0; all->workers != NULL && i < all->run->threads; i++) {
        struct worker *w = &all->workers[i];

        lf_solve_scratch_destroy(w->scratch);
        lf_solution_fini(&w->solution);
        lf_gathered_fini(&w->records);
        for (size_t k = 0; k < w->n_solved; k++) {
            lf_solution_fini(&w->solved[k].solution);
        }
        free(w->solved);
    }
    free(all->workers);
    free(all->tasks);
    free(all->solved);
    free(all->folded);
}

enum lanefix_status lf_rows_solve(struct lf_run *run, struct lanefix_error *err)
{
    struct solving all = {.run = run};
    enum lanefix_status status = solve_all(&all, err);

    solving_fini(&all);
    return status;
}
