/* A pipeline over parts: unpack and cut (serial), solve (parallel), join (serial). What it holds is a
 * part a thread, not the row; only where the row does not fall apart a part grows to all of it. The
 * parts are cut where nothing is open, so the joined solution is that of the whole. */
#include "run/long_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "par/pipeline.h"
#include "rewrite/patch.h"

#define LONG_ROW_MIN 131072
#define PART_SLICES 32768

struct part {
    struct lf_slice *slices;
    size_t n, cap;
    struct lf_flow *flows;
    size_t n_flows;
    struct lf_solve_scratch *scratch;
    struct lf_solution solution;
};

struct row_pass {
    struct lf_run *run;
    struct lf_track *track;
    struct lf_slice *rest; /* unpacked, behind the last cut */
    size_t n_rest, cap_rest;
    struct lf_slice *tmp;
    size_t cap_tmp;
    struct lf_flow *flows; /* all of the row's, sorted; the first ones are given away */
    size_t n_flows, next_flow;
    struct lf_solution *out;
    bool joined; /* a part is in out */
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

bool lf_long_row_suits(const struct lf_run *run, const struct lf_row *row)
{
    const struct lf_track *track = only_member(run, row);

    return track != NULL && !track->has_fixed && track->slices.n >= LONG_ROW_MIN;
}

/* Every slice still packed starts at or behind this. */
static int64_t later_ts(const struct row_pass *pass, int64_t max_seen)
{
    int64_t later;

    if (__builtin_sub_overflow(max_seen, lf_records_backstep(&pass->track->slices), &later)) {
        return INT64_MIN;
    }
    /* rebased times are rounded up to what can be written: never below this */
    return pass->run->rebase ? lf_rebased_ts(later, pass->run->base_ns) : later;
}

static enum lanefix_status unpack(struct row_pass *pass, size_t want, int64_t *max_seen,
                                  struct lanefix_error *err)
{
    struct lf_slice *slices;
    size_t n;

    LF_TRY(lf_run_memory(pass->run, want * sizeof *pass->rest * 3 / 2, err));
    LF_TRY(lf_grow(&pass->rest, &pass->cap_rest, pass->n_rest + want, sizeof *pass->rest, err));
    LF_TRY(lf_grow(&pass->tmp, &pass->cap_tmp, (pass->n_rest + want) / 2 + 1, sizeof *pass->tmp,
                   err));
    slices = pass->rest + pass->n_rest;
    n = lf_records_take_slices(&pass->track->slices, slices, want, 0);
    pass->n_rest += n;
    for (size_t i = 0; i < n; i++) {
        *max_seen = slices[i].ts > *max_seen ? slices[i].ts : *max_seen;
        if (pass->run->rebase) {
            slices[i].ts = lf_rebased_ts(slices[i].ts, pass->run->base_ns);
        }
    }
    return LANEFIX_OK;
}

/* The first cut slices of the rest become the part: copied, or, where that is all that is left, handed
 * over. */
static enum lanefix_status give_part(struct row_pass *pass, struct part *part, size_t cut,
                                     struct lanefix_error *err)
{
    part->n = cut;
    if (cut == pass->n_rest && pass->track->slices.n == 0) {
        free(part->slices);
        part->slices = pass->rest;
        part->cap = pass->cap_rest;
        pass->rest = NULL;
        pass->cap_rest = 0;
        pass->n_rest = 0;
        free(pass->tmp);
        pass->tmp = NULL;
        pass->cap_tmp = 0;
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&part->slices, &part->cap, cut, sizeof *part->slices, err));
    memcpy(part->slices, pass->rest, cut * sizeof *part->slices);
    pass->n_rest -= cut;
    memmove(pass->rest, pass->rest + cut, pass->n_rest * sizeof *pass->rest);
    return LANEFIX_OK;
}

static enum lanefix_status cut_step(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    struct row_pass *pass = shared;
    struct part *part = work;
    int64_t max_seen = INT64_MIN;
    size_t n_flows = 0;
    size_t cut = 0;

    if (pass->n_rest == 0 && pass->track->slices.n == 0) {
        *stop = true;
        return LANEFIX_OK;
    }
    while (cut == 0 && pass->track->slices.n > 0) {
        size_t want = pass->n_rest > PART_SLICES ? pass->n_rest : PART_SLICES;

        LF_TRY(unpack(pass, want, &max_seen, err));
        cut = lf_solve_cut(pass->rest, pass->n_rest,
                           pass->track->slices.n > 0 ? later_ts(pass, max_seen) : INT64_MAX,
                           pass->tmp, pass->flows + pass->next_flow,
                           pass->n_flows - pass->next_flow, &n_flows);
    }
    if (pass->track->slices.n == 0) {
        cut = pass->n_rest;
        n_flows = pass->n_flows - pass->next_flow;
    }
    LF_TRY(give_part(pass, part, cut, err));
    part->flows = pass->flows + pass->next_flow;
    part->n_flows = n_flows;
    pass->next_flow += n_flows;
    return LANEFIX_OK;
}

static enum lanefix_status solve_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    const struct row_pass *pass = shared;
    struct part *part = work;
    struct lf_solve_options options = {.threshold_ns = pass->run->options->snap_threshold_ns,
                                       .max_lanes = pass->run->options->max_lanes};

    (void)stop;
    return lf_solve_track(part->slices, part->n, part->flows, part->n_flows, &options,
                          part->scratch, &part->solution, err);
}

static enum lanefix_status join_step(void *shared, void *work, bool *stop,
                                     struct lanefix_error *err)
{
    struct row_pass *pass = shared;
    struct part *part = work;

    (void)stop;
    if (!pass->joined) { /* it may be all of the row: it is not copied */
        *pass->out = part->solution;
        memset(&part->solution, 0, sizeof part->solution);
        pass->joined = true;
        return LANEFIX_OK;
    }
    return lf_solution_join(pass->out, &part->solution, err);
}

static const struct lf_step steps[] = {{cut_step, true}, {solve_step, false}, {join_step, true}};

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
    lf_solve_sort_flows(pass->flows, pass->n_flows, tmp);
    free(tmp);
    return LANEFIX_OK;
}

enum lanefix_status lf_long_row_solve(struct lf_run *run, const struct lf_row *row,
                                      struct lf_solution *out, struct lanefix_error *err)
{
    struct row_pass pass = {.run = run, .out = out};
    struct part *parts = NULL;
    void **pointers = NULL;
    enum lanefix_status status;

    pass.track = only_member(run, row);
    status = take_flows(&pass, err);
    if (status == LANEFIX_OK) {
        status = lf_alloc_zero(&parts, run->threads, sizeof *parts, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_alloc(&pointers, run->threads, sizeof *pointers, err);
    }
    for (unsigned i = 0; status == LANEFIX_OK && i < run->threads; i++) {
        pointers[i] = &parts[i];
        status = lf_solve_scratch_create(&parts[i].scratch, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(steps, sizeof steps / sizeof steps[0], pointers, run->threads,
                                 run->threads, &pass, err);
    }
    for (unsigned i = 0; parts != NULL && i < run->threads; i++) {
        free(parts[i].slices);
        lf_solve_scratch_destroy(parts[i].scratch);
        lf_solution_fini(&parts[i].solution);
    }
    free(parts);
    free(pointers);
    free(pass.rest);
    free(pass.tmp);
    free(pass.flows);
    return status;
}
