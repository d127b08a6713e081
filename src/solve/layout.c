/* Rows: which tracks fold into one in Perfetto, and new ids for those that need not. */
#include "solve/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/ids.h"
#include "solve/merge_sort.h"

static bool has_slices(const struct lf_track *track)
{
    return track->has_complete || track->has_pair;
}

/* A track with the keys it is to be grouped by. */
struct grouped {
    struct lf_key pid, tid;
    uint32_t track;
};

static inline bool key_less(struct lf_key a, struct lf_key b)
{
    return a.kind != b.kind ? a.kind < b.kind : a.value < b.value;
}

static inline bool grouped_less(const struct grouped *a, const struct grouped *b)
{
    if (!lf_key_equal(a->pid, b->pid)) {
        return key_less(a->pid, b->pid);
    }
    if (!lf_key_equal(a->tid, b->tid)) {
        return key_less(a->tid, b->tid);
    }
    return a->track < b->track;
}

LF_DEFINE_SORT(static, sort_grouped, struct grouped, grouped_less)

/* *list: n tracks, and room behind them to sort them. */
static enum lanefix_status alloc_grouped(struct grouped **list, size_t n, struct lanefix_error *err)
{
    return lf_alloc(list, n + n / 2, sizeof **list, err);
}

/* The keys of track i as Perfetto reads them after the renames so far. */
static struct grouped visible_keys(const struct lf_layout *l, const struct lf_tracks *t, uint32_t i)
{
    struct grouped g = {lf_tracks_at(t, i)->pid, lf_tracks_at(t, i)->tid, i};

    if (l->renames != NULL && l->renames[i].pid_changes) {
        g.pid = (struct lf_key){LF_ID_NUMBER, l->renames[i].pid};
    }
    if (l->renames != NULL && l->renames[i].tid_changes) {
        g.tid = (struct lf_key){LF_ID_NUMBER, l->renames[i].tid};
    }
    lf_key_visible(&g.pid, &g.tid);
    return g;
}

static enum lanefix_status need_renames(struct lf_layout *l, const struct lf_tracks *t,
                                        struct lanefix_error *err)
{
    return l->renames != NULL
               ? LANEFIX_OK
               : lf_alloc_zero(&l->renames, t->n_tracks, sizeof *l->renames, err);
}

/* The set of ids that are read as they stand, or would be were nothing renamed. */
static enum lanefix_status need_used(struct lf_layout *l, const struct lf_tracks *t,
                                     struct lanefix_error *err)
{
    if (l->used != NULL) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc_zero(&l->used, 1, sizeof *l->used, err));
    lf_id_set_init(l->used, t->seed);
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        struct lf_key pid = lf_tracks_at(t, i)->pid;
        struct lf_key tid = lf_tracks_at(t, i)->tid;

        lf_key_visible(&pid, &tid);
        LF_TRY(lf_id_set_add(l->used, pid, tid, err));
    }
    return LANEFIX_OK;
}

static enum lanefix_status note_track(uint32_t **list, size_t *n, size_t *cap, uint32_t track,
                                      struct lanefix_error *err)
{
    LF_TRY(lf_grow(list, cap, *n + 1, sizeof **list, err));
    (*list)[(*n)++] = track;
    return LANEFIX_OK;
}

/* A pid that no event uses as pid and that is no tid of any process, so that it makes no thread a
 * main thread. The set knows pids as tids of a process of their own. */
static enum lanefix_status take_pid(struct lf_id_set *pids, uint32_t *pid,
                                    struct lanefix_error *err)
{
    struct lf_key none = {LF_ID_MISSING, 0};
    struct lf_key taken = none;

    LF_TRY(lf_id_set_take(pids, none, 1, &taken, err));
    *pid = taken.value;
    return LANEFIX_OK;
}

/* Pids that Perfetto reads as 0: each odd one gets a pid of its own. by_pid: the tracks that are
 * read as pid 0, sorted by pid as written. */
static enum lanefix_status rename_pids(struct lf_layout *l, const struct lf_tracks *t,
                                       const struct grouped *by_pid, size_t n,
                                       struct lanefix_error *err)
{
    struct lf_key none = {LF_ID_MISSING, 0};
    struct lf_id_set pids;
    enum lanefix_status status = LANEFIX_OK;

    lf_id_set_init(&pids, t->seed);
    for (size_t i = 0; status == LANEFIX_OK && i < t->n_tracks; i++) {
        if (lf_tracks_at(t, i)->pid.kind == LF_ID_NUMBER) {
            status = lf_id_set_add(&pids, none, lf_tracks_at(t, i)->pid, err);
        }
        if (status == LANEFIX_OK && lf_tracks_at(t, i)->tid.kind == LF_ID_NUMBER) {
            status = lf_id_set_add(&pids, none, lf_tracks_at(t, i)->tid, err);
        }
    }
    for (size_t i = 0; status == LANEFIX_OK && i < n;) {
        size_t end = i;
        uint32_t pid = 0;

        while (end < n && lf_key_equal(by_pid[end].pid, by_pid[i].pid)) {
            end++;
        }
        if (by_pid[i].pid.kind == LF_ID_ODD) {
            status = need_renames(l, t, err);
            if (status == LANEFIX_OK) {
                status = take_pid(&pids, &pid, err);
            }
            if (status == LANEFIX_OK) {
                status = note_track(&l->renamed_pids, &l->n_renamed_pids, &l->cap_renamed_pids,
                                    by_pid[i].track, err);
            }
            for (size_t k = i; status == LANEFIX_OK && k < end; k++) {
                l->renames[by_pid[k].track].pid_changes = true;
                l->renames[by_pid[k].track].pid = pid;
            }
        }
        i = end;
    }
    lf_id_set_fini(&pids);
    return status;
}

static enum lanefix_status unfold_pids(struct lf_layout *l, const struct lf_tracks *t,
                                       struct lanefix_error *err)
{
    struct grouped *list;
    size_t n = 0;
    size_t n_with_slices = 0;
    enum lanefix_status status = LANEFIX_OK;

    LF_TRY(alloc_grouped(&list, t->n_tracks, err));
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        struct lf_key pid = lf_tracks_at(t, i)->pid;

        if (pid.kind == LF_ID_ODD || pid.kind == LF_ID_MISSING ||
            (pid.kind == LF_ID_NUMBER && pid.value == 0)) {
            list[n++] = (struct grouped){pid, {0, 0}, i};
        }
    }
    sort_grouped(list, n, list + n);
    for (size_t i = 0; i < n;) {
        bool with_slices = false;
        size_t end = i;

        for (; end < n && lf_key_equal(list[end].pid, list[i].pid); end++) {
            with_slices = with_slices || has_slices(lf_tracks_at(t, list[end].track));
        }
        n_with_slices += with_slices;
        i = end;
    }
    if (n_with_slices > 1) {
        status = rename_pids(l, t, list, n, err);
    }
    free(list);
    return status;
}

/* The tracks of one row, list[0..n): each whose tid is a number that is not read as written gets a
 * tid of its own. A track without tid can't be given one; it stays with the owner. */
static enum lanefix_status unfold_tids(struct lf_layout *l, const struct lf_tracks *t,
                                       const struct grouped *list, size_t n,
                                       struct lanefix_error *err)
{
    size_t n_with_slices = 0;

    for (size_t i = 0; i < n; i++) {
        n_with_slices += has_slices(lf_tracks_at(t, list[i].track));
    }
    if (n_with_slices < 2) {
        return LANEFIX_OK;
    }
    LF_TRY(need_used(l, t, err));
    for (size_t i = 0; i < n; i++) {
        struct lf_key written = lf_tracks_at(t, list[i].track)->tid;
        struct lf_key fresh;

        if (written.kind == LF_ID_MISSING || lf_key_equal(written, list[i].tid)) {
            continue;
        }
        LF_TRY(need_renames(l, t, err));
        LF_TRY(lf_id_set_take(l->used, list[i].pid,
                              list[i].tid.kind == LF_ID_NUMBER ? list[i].tid.value : 1, &fresh,
                              err));
        l->renames[list[i].track].tid_changes = true;
        l->renames[list[i].track].tid = fresh.value;
        LF_TRY(note_track(&l->renamed_tids, &l->n_renamed_tids, &l->cap_renamed_tids,
                          list[i].track, err));
    }
    return LANEFIX_OK;
}

static void sort_tracks(const struct lf_layout *l, const struct lf_tracks *t, struct grouped *list)
{
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        list[i] = visible_keys(l, t, i);
    }
    sort_grouped(list, t->n_tracks, list + t->n_tracks);
}

static size_t row_end(const struct grouped *list, size_t n, size_t i)
{
    size_t end = i + 1;

    while (end < n && lf_key_equal(list[end].pid, list[i].pid) &&
           lf_key_equal(list[end].tid, list[i].tid)) {
        end++;
    }
    return end;
}

/* Of several names the last in time counts, of several sort indices the first. */
static void merge_member(struct lf_row *row, const struct lf_track *track,
                         const struct lf_track_about *about, int64_t *name_ts, int64_t *sort_ts)
{
    if (about->name != LF_NO_NAME && (row->name == LF_NO_NAME || about->name_ts >= *name_ts)) {
        row->name = about->name;
        *name_ts = about->name_ts;
    }
    if (about->has_sort_index && (!row->has_sort_index || about->sort_ts < *sort_ts)) {
        row->has_sort_index = true;
        row->sort_index = about->sort_index;
        row->sort_index_yields = about->sort_ts > 0;
        *sort_ts = about->sort_ts;
    }
    row->visible = row->visible || track->slices.n != 0 || about->name != LF_NO_NAME ||
                   about->has_sort_index;
}

static void build_rows(struct lf_layout *l, const struct lf_tracks *t, const struct grouped *list)
{
    for (size_t i = 0; i < t->n_tracks;) {
        size_t end = row_end(list, t->n_tracks, i);
        struct lf_row *row = &l->rows[l->n_rows++];
        int64_t name_ts = 0;
        int64_t sort_ts = 0;

        memset(row, 0, sizeof *row);
        row->pid = list[i].pid;
        row->tid = list[i].tid;
        row->name = LF_NO_NAME;
        row->first_member = (uint32_t)i;
        row->n_members = (uint32_t)(end - i);
        for (; i < end; i++) {
            const struct lf_track *track = lf_tracks_at(t, list[i].track);

            l->members[i] = list[i].track;
            merge_member(row, track, lf_track_about(t, track), &name_ts, &sort_ts);
        }
    }
}

enum lanefix_status lf_layout_rows(struct lf_layout *out, const struct lf_tracks *t, bool unfold,
                                   struct lanefix_error *err)
{
    struct grouped *list = NULL;
    enum lanefix_status status = LANEFIX_OK;

    if (unfold) {
        LF_TRY(unfold_pids(out, t, err));
    }
    LF_TRY(alloc_grouped(&list, t->n_tracks, err));
    sort_tracks(out, t, list);
    if (unfold) {
        for (size_t i = 0; status == LANEFIX_OK && i < t->n_tracks;) {
            size_t end = row_end(list, t->n_tracks, i);

            if (end - i > 1) {
                status = unfold_tids(out, t, list + i, end - i, err);
            }
            i = end;
        }
        if (out->n_renamed_tids != 0) {
            sort_tracks(out, t, list);
        }
    }
    if (status == LANEFIX_OK) {
        status = lf_alloc(&out->rows, t->n_tracks, sizeof *out->rows, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_alloc(&out->members, t->n_tracks, sizeof *out->members, err);
    }
    if (status == LANEFIX_OK) {
        build_rows(out, t, list);
    }
    free(list);
    return status;
}

void lf_layout_fini(struct lf_layout *l)
{
    if (l->used != NULL) {
        lf_id_set_fini(l->used);
    }
    free(l->used);
    free(l->rows);
    free(l->members);
    free(l->renames);
    free(l->renamed_pids);
    free(l->renamed_tids);
    free(l->lanes);
    free(l->sort_indices);
    memset(l, 0, sizeof *l);
}
