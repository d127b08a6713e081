/* The ids of lanes, and sort indices that put a lane's row directly under its track.
 *
 * Perfetto sorts the rows of a process by thread_sort_index (0 where none), then the main thread,
 * then by tid. */
#include "solve/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/ids.h"

static enum lanefix_status fill_used(struct lf_layout *l, const struct lf_tracks *t,
                                     struct lanefix_error *err)
{
    if (l->used == NULL) {
        LF_TRY(lf_alloc_zero(&l->used, 1, sizeof *l->used, err));
        lf_id_set_init(l->used, t->seed);
    }
    for (size_t i = 0; i < t->n_tracks; i++) {
        struct lf_key pid = lf_tracks_at(t, i)->pid;
        struct lf_key tid = lf_tracks_at(t, i)->tid;

        lf_key_visible(&pid, &tid);
        LF_TRY(lf_id_set_add(l->used, pid, tid, err));
    }
    for (size_t i = 0; i < l->n_rows; i++) {
        LF_TRY(lf_id_set_add(l->used, l->rows[i].pid, l->rows[i].tid, err));
    }
    return LANEFIX_OK;
}

/* "<tid> lane <k>", then "<tid> lane <k> #2", ... */
static enum lanefix_status name_lane(struct lf_layout *l, struct lf_tracks *t,
                                     const struct lf_row *row, uint32_t k, struct lf_key *lane,
                                     struct lanefix_error *err)
{
    size_t n_tid;
    const char *tid = lf_names_text(&t->names, row->tid.value, &n_tid);
    size_t cap = n_tid + 64;
    enum lanefix_status status;
    char *text;

    LF_TRY(lf_alloc(&text, cap, 1, err));
    memcpy(text, tid, n_tid);
    lane->kind = LF_ID_STRING;
    for (unsigned number = 1;; number++) {
        int n = number == 1 ? snprintf(text + n_tid, cap - n_tid, " lane %u", k)
                            : snprintf(text + n_tid, cap - n_tid, " lane %u #%u", k, number);

        status = lf_names_intern(&t->names, LF_ID_STRING, text, n_tid + (size_t)n, &lane->value,
                                 err);
        if (status != LANEFIX_OK || !lf_id_set_has(l->used, row->pid, *lane)) {
            break;
        }
    }
    free(text);
    LF_TRY(status);
    return lf_id_set_add(l->used, row->pid, *lane, err);
}

static enum lanefix_status take_lane(struct lf_layout *l, struct lf_tracks *t,
                                     const struct lf_row *row, uint32_t k, struct lf_key *lane,
                                     struct lanefix_error *err)
{
    uint64_t wish = (uint64_t)row->tid.value * 1000 + k;

    if (row->tid.kind == LF_ID_STRING) {
        return name_lane(l, t, row, k, lane, err);
    }
    return lf_id_set_take(l->used, row->pid,
                          wish <= UINT32_MAX ? wish : (uint64_t)row->tid.value + 1, lane, err);
}

/* ---- the order of rows ---- */

struct shown {
    uint32_t row;
    int64_t index;
    bool main;
    struct lf_key tid;
};

static int compare_shown(const void *x, const void *y)
{
    const struct shown *a = x;
    const struct shown *b = y;

    if (a->index != b->index) {
        return a->index < b->index ? -1 : 1;
    }
    if (a->main != b->main) {
        return a->main ? -1 : 1;
    }
    if (a->tid.kind != b->tid.kind) {
        return a->tid.kind < b->tid.kind ? -1 : 1;
    }
    return a->tid.value < b->tid.value ? -1 : a->tid.value > b->tid.value;
}

static enum lanefix_status add_index(struct lf_layout *l, uint32_t row, uint32_t lane,
                                     int64_t index, struct lanefix_error *err)
{
    LF_TRY(lf_grow(&l->sort_indices, &l->cap_sort_indices, l->n_sort_indices + 1,
                   sizeof *l->sort_indices, err));
    l->sort_indices[l->n_sort_indices++] = (struct lf_sort_index){row, lane, index};
    return LANEFIX_OK;
}

/* Whether, with its own index for the lanes of list[i], a row of the same index would stand between
 * the track and one of its lanes. */
static bool lanes_stand_apart(const struct lf_layout *l, const struct shown *list, size_t n,
                              size_t i)
{
    const struct lf_row *row = &l->rows[list[i].row];

    for (uint32_t k = 0; k < row->n_lanes; k++) {
        struct shown lane = {0, list[i].index, false, l->lanes[row->first_lane + k]};

        if (compare_shown(&lane, &list[i]) < 0 ||
            (i + 1 < n && compare_shown(&list[i + 1], &lane) < 0)) {
            return true;
        }
    }
    return false;
}

/* Whether the rows of one index, list[0..n), can be numbered anew with their lanes between them:
 * none has an index that comes before an added one, and there is room before the next index. */
static bool can_number(const struct lf_layout *l, const struct shown *list, size_t n,
                       const int64_t *below, const int64_t *above, int64_t *start)
{
    int64_t count = 0;
    int64_t low, high;

    for (size_t i = 0; i < n; i++) {
        const struct lf_row *row = &l->rows[list[i].row];

        if (row->has_sort_index && !row->sort_index_yields) {
            return false;
        }
        count += 1 + (int64_t)row->n_lanes;
    }
    /* Perfetto reads a sort index as an int32 */
    low = below != NULL ? *below + 1 : INT32_MIN;
    high = above != NULL ? *above - 1 : INT32_MAX;
    if (low < INT32_MIN || high > INT32_MAX || high - low + 1 < count) {
        return false;
    }
    *start = list[0].index;
    *start = *start < low ? low : *start;
    *start = *start + count - 1 > high ? high - count + 1 : *start;
    return true;
}

/* Numbers the rows of one index and their lanes from start on; start < 0 and !renumber: lanes get
 * the index of their track. */
static enum lanefix_status index_group(struct lf_layout *l, const struct shown *list, size_t n,
                                       bool renumber, int64_t start, struct lanefix_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct lf_row *row = &l->rows[list[i].row];

        if (renumber) {
            LF_TRY(add_index(l, list[i].row, 0, start++, err));
        }
        for (uint32_t k = 1; k <= row->n_lanes; k++) {
            LF_TRY(add_index(l, list[i].row, k, renumber ? start++ : list[i].index, err));
        }
    }
    return LANEFIX_OK;
}

/* One process: list[0..n) are its rows in Perfetto's order. */
static enum lanefix_status index_process(struct lf_layout *l, const struct shown *list, size_t n,
                                         bool has_indices, struct lanefix_error *err)
{
    for (size_t i = 0; i < n;) {
        bool renumber = !has_indices;
        int64_t start = 0;
        size_t end = i;

        for (; end < n && list[end].index == list[i].index; end++) {
        }
        for (size_t k = i; k < end && !renumber; k++) {
            renumber = lanes_stand_apart(l, list + i, end - i, k - i);
        }
        renumber = renumber &&
                   can_number(l, list + i, end - i, i > 0 ? &list[i - 1].index : NULL,
                              end < n ? &list[end].index : NULL, &start);
        LF_TRY(index_group(l, list + i, end - i, renumber, start, err));
        i = end;
    }
    return LANEFIX_OK;
}

static enum lanefix_status index_rows(struct lf_layout *l, struct lanefix_error *err)
{
    struct shown *list;
    enum lanefix_status status = LANEFIX_OK;

    LF_TRY(lf_alloc(&list, l->n_rows, sizeof *list, err));
    for (size_t i = 0; status == LANEFIX_OK && i < l->n_rows;) {
        bool has_lanes = false;
        bool has_indices = false;
        size_t n = 0;
        size_t end = i;

        for (; end < l->n_rows && lf_key_equal(l->rows[end].pid, l->rows[i].pid); end++) {
            const struct lf_row *row = &l->rows[end];

            has_lanes = has_lanes || row->n_lanes != 0;
            has_indices = has_indices || row->has_sort_index;
            if (row->visible) {
                list[n++] = (struct shown){(uint32_t)end, row->has_sort_index ? row->sort_index : 0,
                                           lf_key_equal(row->pid, row->tid), row->tid};
            }
        }
        if (has_lanes) {
            qsort(list, n, sizeof *list, compare_shown);
            status = index_process(l, list, n, has_indices, err);
        }
        i = end;
    }
    free(list);
    return status;
}

enum lanefix_status lf_layout_lanes(struct lf_layout *out, struct lf_tracks *t,
                                    struct lanefix_error *err)
{
    bool used_filled = false;

    for (size_t i = 0; i < out->n_rows; i++) {
        struct lf_row *row = &out->rows[i];

        row->first_lane = (uint32_t)out->n_lanes;
        for (uint32_t k = 1; k <= row->n_lanes; k++) {
            struct lf_key lane = {LF_ID_NUMBER, 0};

            if (!used_filled) {
                LF_TRY(fill_used(out, t, err));
                used_filled = true;
            }
            LF_TRY(take_lane(out, t, row, k, &lane, err));
            LF_TRY(lf_grow(&out->lanes, &out->cap_lanes, out->n_lanes + 1, sizeof *out->lanes,
                           err));
            out->lanes[out->n_lanes++] = lane;
        }
    }
    return out->n_lanes != 0 ? index_rows(out, err) : LANEFIX_OK;
}
