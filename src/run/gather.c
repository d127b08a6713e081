/* Unpacking: the arrays grow to what the largest row needs. */
#include "run/gather.h"

#include <stdlib.h>

#include "base/mem.h"
#include "rewrite/patch.h"

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

static void rebase(struct lf_gathered *g, int64_t base_ns)
{
    for (size_t i = 0; i < g->n_slices; i++) {
        g->slices[i].ts = lf_rebased_ts(g->slices[i].ts, base_ns);
    }
    for (size_t i = 0; i < g->n_flows; i++) {
        g->flows[i].ts = lf_rebased_ts(g->flows[i].ts, base_ns);
    }
}

/* Room for all records of the tracks, and for one more: there is an array to point into even where
 * there is nothing to put there. Empty then. */
static enum lanefix_status make_room(struct lf_gathered *g, const struct lf_run *run,
                                     const uint32_t *tracks, uint32_t n_tracks,
                                     struct lanefix_error *err)
{
    const struct lf_tracks *t = &run->tracks;
    size_t n_slices = 1;
    size_t n_flows = 1;

    for (uint32_t i = 0; i < n_tracks; i++) {
        n_slices += lf_tracks_at(t, tracks[i])->slices.n;
        n_flows += lf_track_n_flows(lf_tracks_at(t, tracks[i]));
    }
    g->n_slices = 0;
    g->n_flows = 0;
    if (n_slices > g->cap_slices || n_flows > g->cap_flows) {
        LF_TRY(lf_run_memory(run, n_slices * sizeof *g->slices + n_flows * sizeof *g->flows, err));
    }
    LF_TRY(lf_grow(&g->slices, &g->cap_slices, n_slices, sizeof *g->slices, err));
    return lf_grow(&g->flows, &g->cap_flows, n_flows, sizeof *g->flows, err);
}

enum lanefix_status lf_gather_take(struct lf_gathered *g, struct lf_run *run,
                                   const struct lf_row *row, struct lanefix_error *err)
{
    const uint32_t *members = run->layout.members + row->first_member;
    uint32_t n_with_slices = 0;
    uint32_t n_with_flows = 0;

    LF_TRY(make_room(g, run, members, row->n_members, err));
    for (uint32_t m = 0; m < row->n_members; m++) {
        struct lf_track *track = lf_tracks_at(&run->tracks, members[m]);
        size_t n_flows = lf_track_n_flows(track);

        n_with_slices += track->slices.n != 0;
        n_with_flows += n_flows != 0;
        g->n_slices +=
            lf_records_take_slices(&track->slices, g->slices + g->n_slices, track->slices.n, m);
        if (n_flows != 0) {
            g->n_flows += lf_records_take_flows(track->flows, g->flows + g->n_flows, n_flows, m);
        }
    }
    if (run->rebase) {
        rebase(g, run->base_ns);
    }
    if (n_with_slices > 1) {
        qsort(g->slices, g->n_slices, sizeof *g->slices, compare_slice_offs);
    }
    if (n_with_flows > 1) {
        qsort(g->flows, g->n_flows, sizeof *g->flows, compare_flow_offs);
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_gather_copy_slices(struct lf_gathered *g, const struct lf_run *run,
                                          const uint32_t *tracks, uint32_t n_tracks,
                                          struct lanefix_error *err)
{
    LF_TRY(make_room(g, run, tracks, n_tracks, err));
    for (uint32_t i = 0; i < n_tracks; i++) {
        const struct lf_track *track = lf_tracks_at(&run->tracks, tracks[i]);

        struct lf_record_cursor at = lf_records_begin(&track->slices);

        g->n_slices += lf_records_read_slices(&track->slices, &at, g->slices + g->n_slices,
                                              track->slices.n, 0);
    }
    if (run->rebase) {
        rebase(g, run->base_ns);
    }
    return LANEFIX_OK;
}

void lf_gathered_fini(struct lf_gathered *g)
{
    free(g->slices);
    free(g->flows);
}
