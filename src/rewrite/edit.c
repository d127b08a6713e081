/* The list of edits. */
#include "rewrite/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/merge_sort.h"

enum lanefix_status lf_edits_add(struct lf_edits *edits, const struct lf_solution *solution,
                                 uint32_t row, struct lanefix_error *err)
{
    LF_TRY(lf_grow(&edits->list, &edits->cap, edits->n + solution->n_slices + solution->n_flows,
                   sizeof *edits->list, err));
    for (size_t i = 0; i < solution->n_slices; i++) {
        const struct lf_slice_change *c = &solution->slices[i];
        unsigned what = (c->ts != c->old_ts ? (unsigned)LF_EDIT_TS : 0) |
                        (c->dur != c->old_dur ? (unsigned)LF_EDIT_DUR : 0) |
                        (c->lane != 0 ? (unsigned)LF_EDIT_LANE : 0);

        edits->list[edits->n++] =
            (struct lf_edit){.off = c->off & ((UINT64_C(1) << LF_OFF_BITS) - 1),
                             .what = what & 0xffff,
                             .ts = c->lane != 0 ? c->crossing : c->ts,
                             .dur = c->dur,
                             .row = row,
                             .lane = c->lane};
    }
    for (size_t i = 0; i < solution->n_flows; i++) {
        const struct lf_flow_change *c = &solution->flows[i];
        unsigned what = (unsigned)LF_EDIT_FLOW | (c->ts != c->old_ts ? (unsigned)LF_EDIT_TS : 0) |
                        (c->lane != 0 ? (unsigned)LF_EDIT_LANE : 0);

        edits->list[edits->n++] =
            (struct lf_edit){.off = c->off & ((UINT64_C(1) << LF_OFF_BITS) - 1),
                             .what = what & 0xffff,
                             .ts = c->ts,
                             .row = row,
                             .lane = c->lane};
    }
    return LANEFIX_OK;
}

static inline bool edit_less(const struct lf_edit *a, const struct lf_edit *b)
{
    return a->off < b->off;
}

LF_DEFINE_SORT(static, sort_edits, struct lf_edit, edit_less)
LF_DEFINE_SORTED(static, edits_sorted, struct lf_edit, edit_less)

enum lanefix_status lf_edits_sort(struct lf_edits *edits, struct lanefix_error *err)
{
    struct lf_edit *tmp;

    if (edits_sorted(edits->list, edits->n)) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc(&tmp, edits->n / 2, sizeof *tmp, err));
    sort_edits(edits->list, edits->n, tmp);
    free(tmp);
    return LANEFIX_OK;
}

size_t lf_edits_before(const struct lf_edits *edits, uint64_t off)
{
    size_t low = 0;
    size_t high = edits->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (edits->list[middle].off < off) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void lf_edits_fini(struct lf_edits *edits)
{
    free(edits->list);
    memset(edits, 0, sizeof *edits);
}
