/* The plan: rows from tracks, every row solved, lanes' ids, edits by offset, the text of the added
 * events. */
#include "rewrite/metadata.h"
#include "rewrite/patch.h"
#include "run/rows.h"

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
    LF_TRY(lf_layout_rows(&run->layout, &run->tracks, run->options->unfold != 0, err));
    LF_TRY(lf_rows_solve(run, err));
    LF_TRY(lf_edits_sort(&run->edits, err));
    LF_TRY(lf_layout_lanes(&run->layout, &run->tracks, err));
    LF_TRY(lf_report_add_renames(run->report, &run->layout, &run->tracks, err));
    LF_TRY(add_metadata(run, err));
    list_splices(run);
    return LANEFIX_OK;
}
