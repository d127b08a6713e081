/* The report. Texts are kept once each in a pool; lists hold their numbers, so that a million
 * changes cost 56 bytes each. */
#include "run/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NO_TEXT UINT32_MAX

struct lf_report_track {
    uint32_t pid, tid;
    uint64_t lanes, moved, snapped, negative;
};

struct lf_report_unfolded {
    uint32_t pid, tid, new_pid, new_tid;
};

struct lf_report_change {
    uint64_t offset;
    int64_t start_shift, end_shift, crossing;
    uint32_t name, pid, tid, new_tid, lane;
};

struct lf_report_kernel {
    uint32_t name;
    uint64_t runs, moved, snapped, start_shift, end_shift;
};

enum lanefix_status lf_report_create(struct lanefix_report **out, size_t max_changes, uint64_t seed,
                                     struct lanefix_error *err)
{
    LF_TRY(lf_alloc_zero(out, 1, sizeof **out, err));
    (*out)->max_changes = max_changes;
    lf_names_init(&(*out)->texts, seed);
    return LANEFIX_OK;
}

void lanefix_report_destroy(struct lanefix_report *report)
{
    if (report == NULL) {
        return;
    }
    lf_names_fini(&report->texts);
    free(report->tracks);
    free(report->unfolded);
    for (size_t i = 0; i < 3; i++) {
        free(report->changes[i].list);
    }
    free(report->kernels);
    free(report->kernel_of_text);
    free(report);
}

/* Texts are terminated in the pool, so that ids can be handed out as strings. */
static enum lanefix_status keep_text(struct lanefix_report *r, const void *text, size_t n,
                                     uint32_t *id, struct lanefix_error *err)
{
    char small[256];
    char *copy = small;
    enum lanefix_status status;

    if (n + 1 > sizeof small) {
        LF_TRY(lf_alloc(&copy, n + 1, 1, err));
    }
    if (n != 0) {
        memcpy(copy, text, n);
    }
    copy[n] = '\0';
    status = lf_names_intern(&r->texts, 0, copy, n + 1, id, err);
    if (copy != small) {
        free(copy);
    }
    return status;
}

static enum lanefix_status keep_key(struct lanefix_report *r, struct lf_key key,
                                    const struct lf_names *names, uint32_t *id,
                                    struct lanefix_error *err)
{
    char digits[16];
    const char *text = "none";
    size_t n = 4;

    if (key.kind == LF_ID_NUMBER) {
        n = (size_t)snprintf(digits, sizeof digits, "%u", key.value);
        text = digits;
    } else if (key.kind != LF_ID_MISSING) {
        text = lf_names_text(names, key.value, &n);
    }
    return keep_text(r, text, n, id, err);
}

static const char *text_of(const struct lanefix_report *r, uint32_t id, size_t *n)
{
    const char *text = NULL;
    size_t len = 1;

    if (id != NO_TEXT) {
        text = lf_names_text(&r->texts, id, &len);
    }
    if (n != NULL) {
        *n = len - 1;
    }
    return text;
}

static void add_saturated(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum)) {
        *sum = UINT64_MAX;
    }
}

void lf_report_count_refused(struct lanefix_report *r, const struct lf_solution *counts)
{
    r->counters.refused += counts->n_refused;
    for (size_t i = 0; i < LF_N_CROSSING_SIZES; i++) {
        r->counters.crossing_sizes[i] += counts->crossing_sizes[i];
    }
}

enum lanefix_status lf_report_add_row(struct lanefix_report *r, const struct lf_row *row,
                                      const struct lf_solution *counts,
                                      const struct lf_names *names, struct lanefix_error *err)
{
    struct lanefix_counters *c = &r->counters;
    struct lf_report_track *track;

    lf_report_count_refused(r, counts);
    c->moved += counts->n_moved;
    c->snapped += counts->n_snapped;
    c->negative += counts->n_negative;
    c->lanes += counts->n_lanes;
    c->flows_changed += counts->n_flows;
    c->crossing_pairs += counts->n_named_end_crossings;
    add_saturated(&c->start_shift_ns, counts->start_shift_ns);
    add_saturated(&c->end_shift_ns, counts->end_shift_ns);
    if (counts->n_moved + counts->n_snapped + counts->n_negative == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&r->tracks, &r->cap_tracks, r->n_tracks + 1, sizeof *r->tracks, err));
    track = &r->tracks[r->n_tracks++];
    *track = (struct lf_report_track){NO_TEXT,          NO_TEXT,
                                      counts->n_lanes,  counts->n_moved,
                                      counts->n_snapped, counts->n_negative};
    LF_TRY(keep_key(r, row->pid, names, &track->pid, err));
    return keep_key(r, row->tid, names, &track->tid, err);
}

static enum lanefix_status add_rename(struct lanefix_report *r, const struct lf_layout *layout,
                                      const struct lf_tracks *tracks, uint32_t track, bool process,
                                      struct lanefix_error *err)
{
    const struct lf_rename *rename = &layout->renames[track];
    struct lf_report_unfolded u = {NO_TEXT, NO_TEXT, NO_TEXT, NO_TEXT};

    LF_TRY(keep_key(r, lf_tracks_at(tracks, track)->pid, &tracks->names, &u.pid, err));
    if (process || rename->pid_changes) {
        LF_TRY(keep_key(r, (struct lf_key){LF_ID_NUMBER, rename->pid}, &tracks->names, &u.new_pid,
                        err));
    }
    if (!process) {
        LF_TRY(keep_key(r, lf_tracks_at(tracks, track)->tid, &tracks->names, &u.tid, err));
        LF_TRY(keep_key(r, (struct lf_key){LF_ID_NUMBER, rename->tid}, &tracks->names, &u.new_tid,
                        err));
    }
    LF_TRY(lf_grow(&r->unfolded, &r->cap_unfolded, r->n_unfolded + 1, sizeof *r->unfolded, err));
    r->unfolded[r->n_unfolded++] = u;
    r->counters.unfolded++;
    return LANEFIX_OK;
}

enum lanefix_status lf_report_add_renames(struct lanefix_report *r, const struct lf_layout *layout,
                                          const struct lf_tracks *tracks, struct lanefix_error *err)
{
    for (size_t i = 0; i < layout->n_renamed_pids; i++) {
        LF_TRY(add_rename(r, layout, tracks, layout->renamed_pids[i], true, err));
    }
    for (size_t i = 0; i < layout->n_renamed_tids; i++) {
        LF_TRY(add_rename(r, layout, tracks, layout->renamed_tids[i], false, err));
    }
    return LANEFIX_OK;
}

static enum lanefix_status add_kernel(struct lanefix_report *r, const struct lf_patched *patched,
                                      uint32_t name, enum lanefix_change_kind kind,
                                      struct lanefix_error *err)
{
    struct lf_report_kernel *k;
    size_t old = r->cap_kernel_of_text;

    LF_TRY(lf_grow(&r->kernel_of_text, &r->cap_kernel_of_text, (size_t)name + 1,
                   sizeof *r->kernel_of_text, err));
    memset(r->kernel_of_text + old, 0, (r->cap_kernel_of_text - old) * sizeof *r->kernel_of_text);
    if (r->kernel_of_text[name] == 0) {
        LF_TRY(lf_grow(&r->kernels, &r->cap_kernels, r->n_kernels + 1, sizeof *r->kernels, err));
        r->kernels[r->n_kernels] = (struct lf_report_kernel){.name = name};
        r->kernel_of_text[name] = (uint32_t)++r->n_kernels;
    }
    k = &r->kernels[r->kernel_of_text[name] - 1];
    k->runs++;
    k->moved += kind == LANEFIX_MOVED;
    k->snapped += kind == LANEFIX_SNAPPED;
    add_saturated(&k->start_shift, (uint64_t)patched->start_shift);
    add_saturated(&k->end_shift, (uint64_t)patched->end_shift);
    r->counters.kernels = r->n_kernels;
    r->counters.kernel_runs++;
    return LANEFIX_OK;
}

enum lanefix_status lf_report_add_patched(struct lanefix_report *r,
                                          const struct lf_patched *patched, const uint8_t *window,
                                          const struct lf_layout *layout,
                                          const struct lf_names *names, struct lanefix_error *err)
{
    const struct lf_edit *edit = patched->edit;
    enum lanefix_change_kind kind;
    struct lf_report_list *list;
    struct lf_report_change *change;
    const struct lf_row *row;
    uint32_t name = NO_TEXT;

    if (edit == NULL || (edit->what & LF_EDIT_FLOW)) {
        return LANEFIX_OK;
    }
    kind = edit->lane != 0 ? LANEFIX_MOVED
                           : patched->was_negative ? LANEFIX_NEGATIVE : LANEFIX_SNAPPED;
    list = &r->changes[kind];
    if (!patched->is_kernel && list->n >= r->max_changes) {
        return LANEFIX_OK;
    }
    LF_TRY(keep_text(r, window + patched->name.start, patched->name.end - patched->name.start,
                     &name, err));
    if (patched->is_kernel) {
        LF_TRY(add_kernel(r, patched, name, kind, err));
    }
    if (list->n >= r->max_changes) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&list->list, &list->cap, list->n + 1, sizeof *list->list, err));
    change = &list->list[list->n++];
    row = &layout->rows[edit->row];
    *change = (struct lf_report_change){.offset = edit->off,
                                        .start_shift = patched->start_shift,
                                        .end_shift = patched->end_shift,
                                        .crossing = patched->crossing,
                                        .name = name,
                                        .pid = NO_TEXT,
                                        .tid = NO_TEXT,
                                        .new_tid = NO_TEXT,
                                        .lane = edit->lane};
    LF_TRY(keep_key(r, row->pid, names, &change->pid, err));
    LF_TRY(keep_key(r, row->tid, names, &change->tid, err));
    return edit->lane == 0 ? LANEFIX_OK
                           : keep_key(r, layout->lanes[row->first_lane + edit->lane - 1], names,
                                      &change->new_tid, err);
}

static int compare_kernels(const void *x, const void *y)
{
    const struct lf_report_kernel *a = x;
    const struct lf_report_kernel *b = y;
    uint64_t p = a->start_shift + a->end_shift;
    uint64_t q = b->start_shift + b->end_shift;

    if (p != q) {
        return p > q ? -1 : 1;
    }
    if (a->runs != b->runs) {
        return a->runs > b->runs ? -1 : 1;
    }
    return a->name < b->name ? -1 : a->name > b->name;
}

void lf_report_finish(struct lanefix_report *r)
{
    if (r->n_kernels != 0) {
        qsort(r->kernels, r->n_kernels, sizeof *r->kernels, compare_kernels);
    }
}

const struct lanefix_counters *lanefix_report_counters(const struct lanefix_report *report)
{
    return &report->counters;
}

int lanefix_report_track(const struct lanefix_report *report, size_t i, struct lanefix_track *out)
{
    if (i >= report->n_tracks) {
        return 0;
    }
    out->pid = text_of(report, report->tracks[i].pid, NULL);
    out->tid = text_of(report, report->tracks[i].tid, NULL);
    out->lanes = report->tracks[i].lanes;
    out->moved = report->tracks[i].moved;
    out->snapped = report->tracks[i].snapped;
    out->negative = report->tracks[i].negative;
    return 1;
}

int lanefix_report_unfolded(const struct lanefix_report *report, size_t i,
                            struct lanefix_unfolded *out)
{
    if (i >= report->n_unfolded) {
        return 0;
    }
    out->pid = text_of(report, report->unfolded[i].pid, NULL);
    out->tid = text_of(report, report->unfolded[i].tid, NULL);
    out->new_pid = text_of(report, report->unfolded[i].new_pid, NULL);
    out->new_tid = text_of(report, report->unfolded[i].new_tid, NULL);
    return 1;
}

int lanefix_report_change(const struct lanefix_report *report, enum lanefix_change_kind kind,
                          size_t i, struct lanefix_change *out)
{
    const struct lf_report_change *c;

    if ((unsigned)kind > LANEFIX_NEGATIVE || i >= report->changes[kind].n) {
        return 0;
    }
    c = &report->changes[kind].list[i];
    out->kind = kind;
    out->offset = c->offset;
    out->name = text_of(report, c->name, &out->name_nbytes);
    out->pid = text_of(report, c->pid, NULL);
    out->tid = text_of(report, c->tid, NULL);
    out->new_tid = text_of(report, c->new_tid, NULL);
    out->lane = c->lane;
    out->start_shift_ns = c->start_shift;
    out->end_shift_ns = c->end_shift;
    out->crossing_ns = c->crossing;
    return 1;
}

int lanefix_report_kernel(const struct lanefix_report *report, size_t i, struct lanefix_kernel *out)
{
    if (i >= report->n_kernels) {
        return 0;
    }
    out->name = text_of(report, report->kernels[i].name, &out->name_nbytes);
    out->runs = report->kernels[i].runs;
    out->moved = report->kernels[i].moved;
    out->snapped = report->kernels[i].snapped;
    out->start_shift_ns = report->kernels[i].start_shift;
    out->end_shift_ns = report->kernels[i].end_shift;
    return 1;
}
