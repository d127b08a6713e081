/* One event is copied with up to four values replaced, and a note put in. */
#include "rewrite/patch.h"

#include <string.h>

#include "base/mem.h"
#include "rewrite/annotate.h"
#include "trace/time.h"

#define MAX_REPLACEMENTS 5

struct patch {
    struct lf_replacement list[MAX_REPLACEMENTS]; /* by start */
    size_t n;
    unsigned noted; /* bits by lf_note_key: what a note must tell */
    char ts[LF_TIME_TEXT_MAX], dur[LF_TIME_TEXT_MAX], pid[16];
    struct lf_patch_room *room;
};

void lf_patch_room_fini(struct lf_patch_room *room)
{
    lf_bytes_fini(&room->tid);
    lf_bytes_fini(&room->note);
}

static void replace(struct patch *p, uint32_t start, uint32_t end, const char *text, size_t n)
{
    size_t at = p->n++;

    for (; at > 0 && p->list[at - 1].start > start; at--) {
        p->list[at] = p->list[at - 1];
    }
    p->list[at] = (struct lf_replacement){start, end, text, n};
}

/* The text of a tid that takes the place of v: between the quotes where a string stays one. */
static enum lanefix_status replace_tid(struct patch *p, const struct lf_value *v, struct lf_key tid,
                                       const struct lf_names *names, struct lanefix_error *err)
{
    uint32_t start = v->start;
    uint32_t end = v->end;
    bool quoted = tid.kind == LF_ID_STRING;
    struct lf_bytes *text = &p->room->tid;

    text->n = 0;
    if (v->kind == LF_VALUE_ABSENT) {
        /* The track is read from the pid alone; the tid of a lane has to be put in. */
        start = end = 1;
        LF_TRY(lf_bytes_append(text, "\"tid\":", 6, err));
    } else if (v->kind == LF_VALUE_STRING) {
        start--;
        end++;
    }
    if (quoted) {
        size_t n;
        const char *name = lf_names_text(names, tid.value, &n);

        LF_TRY(lf_bytes_append(text, "\"", 1, err));
        LF_TRY(lf_bytes_append(text, name, n, err));
        LF_TRY(lf_bytes_append(text, "\"", 1, err));
    } else {
        LF_TRY(lf_bytes_printf(text, err, "%u", tid.value));
    }
    if (v->kind == LF_VALUE_ABSENT) {
        LF_TRY(lf_bytes_append(text, ",", 1, err));
    }
    replace(p, start, end, text->data, text->n);
    return LANEFIX_OK;
}

static void replace_pid(struct patch *p, const struct lf_value *v, uint32_t pid)
{
    size_t n = 0;
    char digits[16];

    do {
        digits[n++] = (char)('0' + pid % 10);
        pid /= 10;
    } while (pid != 0);
    for (size_t i = 0; i < n; i++) {
        p->pid[i] = digits[n - 1 - i];
    }
    replace(p, v->start, v->end, p->pid, n);
}

/* A rebased ts becomes a number, whatever it was. */
static void replace_ts(struct patch *p, const struct lf_value *v, int64_t ns, bool as_number)
{
    bool unquote = as_number && v->kind == LF_VALUE_STRING;
    size_t n;

    lf_time_write(ns, true, p->ts, &n);
    replace(p, v->start - unquote, v->end + unquote, p->ts, n);
}

static void replace_dur(struct patch *p, const struct lf_value *v, int64_t ns)
{
    size_t n;

    lf_time_write(ns, false, p->dur, &n);
    replace(p, v->start, v->end, p->dur, n);
}

int64_t lf_rebased_ts(int64_t exact_ns, int64_t base_ns)
{
    return lf_time_writable(exact_ns - base_ns, true);
}

void lf_unrebased_text(int64_t ns, unsigned decimals, char *text, size_t *n)
{
    unsigned fraction = (unsigned)(ns % 1000);
    char digits[24];
    size_t n_digits = 0;
    size_t at = 0;

    for (uint64_t us = (uint64_t)ns / 1000; us != 0 || n_digits == 0; us /= 10) {
        digits[n_digits++] = (char)('0' + us % 10);
    }
    while (n_digits > 0) {
        text[at++] = digits[--n_digits];
    }
    if (fraction != 0 || decimals != 0) {
        text[at++] = '.';
        for (unsigned place = 100, k = 0; k < decimals || fraction != 0; place /= 10, k++) {
            text[at++] = (char)('0' + fraction / place);
            fraction %= place;
        }
    }
    text[at] = '\0';
    *n = at;
}

/* Metadata may stand before the base (at 0, mostly): it stays there. */
static bool rebased_ts(const struct lf_patcher *patcher, const struct lf_event_reader *r,
                       const uint8_t *event, int64_t *ns)
{
    bool rounded;
    int64_t exact;

    if (!patcher->rebase || !lf_event_ts(r, event, &exact, &rounded) || exact < patcher->base_ns) {
        return false;
    }
    *ns = lf_rebased_ts(exact, patcher->base_ns);
    return true;
}

/* The number of the event's track where tracks are renamed, else UINT32_MAX. */
static uint32_t track_of(const struct lf_patcher *patcher, const struct lf_event_reader *r,
                         const uint8_t *event)
{
    struct lf_id pid, tid;

    if (patcher->layout->renames == NULL) {
        return UINT32_MAX;
    }
    lf_event_ids(r, event, &pid, &tid);
    return lf_tracks_find(patcher->tracks, &pid, &tid, event);
}

struct lf_patched lf_patch_describe(const struct lf_patcher *patcher,
                                    const struct lf_event_reader *r, const uint8_t *window,
                                    const struct lf_split_event *e, const struct lf_edit *edit)
{
    const uint8_t *event = window + e->start;
    const struct lf_value *dur = &r->values[LF_MEMBER_DUR];
    const struct lf_value *name = &r->values[LF_MEMBER_NAME];
    const struct lf_value *cat = &r->values[LF_MEMBER_CAT];
    struct lf_patched info = {.edit = edit};
    int64_t old_ts = 0;
    int64_t old_dur = 0;
    bool rounded;

    if (name->kind == LF_VALUE_STRING || name->kind == LF_VALUE_PRIMITIVE) {
        info.name = (struct lf_span){e->start + name->start, e->start + name->end};
    }
    info.is_kernel = cat->end - cat->start == 6 && memcmp(event + cat->start, "kernel", 6) == 0;
    if ((edit->what & LF_EDIT_FLOW) || !lf_event_ts(r, event, &old_ts, &rounded) ||
        !lf_time_read((const char *)event + dur->start, dur->end - dur->start, &old_dur)) {
        return info;
    }
    if (patcher->rebase) {
        old_ts = lf_rebased_ts(old_ts, patcher->base_ns);
    }
    info.was_negative = old_dur < 0;
    if (edit->lane != 0) {
        info.crossing = edit->ts;
    } else if (!info.was_negative) {
        info.start_shift = edit->ts - old_ts;
        info.end_shift = old_ts + old_dur - (edit->ts + edit->dur);
        info.crossing = info.start_shift + info.end_shift;
    }
    return info;
}

/* Does undoing by the rule give back the ts as it is written? Of metadata it never does: whether it
 * stood before the base can't be seen afterwards. */
static bool ts_comes_back(const struct lf_patcher *patcher, const struct lf_event_reader *r,
                          const uint8_t *event, int64_t rebased_ns)
{
    struct lf_span old = lf_value_token(&r->values[LF_MEMBER_TS]);
    char text[LF_TIME_TEXT_MAX];
    size_t n;

    if (lf_event_phase(event, &r->values[LF_MEMBER_PH]) == 'M') {
        return false;
    }
    lf_unrebased_text(rebased_ns + patcher->base_ns, patcher->decimals, text, &n);
    return n == old.end - old.start && memcmp(event + old.start, text, n) == 0;
}

/* The same of an id that is not a string. */
static bool id_comes_back(const struct lf_patcher *patcher, const uint8_t *event,
                          const struct lf_value *v, struct lf_key key)
{
    char digits[16];
    size_t n;
    const char *text = lf_key_text(key, &patcher->tracks->names, digits, &n);

    return v->kind == LF_VALUE_PRIMITIVE && n == v->end - v->start &&
           memcmp(event + v->start, text, n) == 0;
}

static enum lanefix_status collect_ids(struct patch *p, const struct lf_patcher *patcher,
                                       const struct lf_event_reader *r, const uint8_t *event,
                                       const struct lf_edit *edit, struct lanefix_error *err)
{
    const struct lf_layout *layout = patcher->layout;
    const struct lf_names *names = &patcher->tracks->names;
    uint32_t track = track_of(patcher, r, event);
    const struct lf_rename *rename = track != UINT32_MAX ? &layout->renames[track] : NULL;
    const struct lf_value *tid = &r->values[LF_MEMBER_TID];
    const struct lf_value *pid = &r->values[LF_MEMBER_PID];

    if (edit != NULL && (edit->what & LF_EDIT_LANE)) {
        const struct lf_row *row = &layout->rows[edit->row];

        LF_TRY(replace_tid(p, tid, layout->lanes[row->first_lane + edit->lane - 1], names, err));
        p->noted |= 1u << LF_NOTE_TID;
    } else if (rename != NULL && rename->tid_changes) {
        LF_TRY(replace_tid(p, tid, (struct lf_key){LF_ID_NUMBER, rename->tid}, names, err));
        if (edit != NULL ||
            !id_comes_back(patcher, event, tid, lf_tracks_at(patcher->tracks, track)->tid)) {
            p->noted |= 1u << LF_NOTE_TID;
        }
    }
    if (rename != NULL && rename->pid_changes) {
        replace_pid(p, pid, rename->pid);
        if (edit != NULL ||
            !id_comes_back(patcher, event, pid, lf_tracks_at(patcher->tracks, track)->pid)) {
            p->noted |= 1u << LF_NOTE_PID;
        }
    }
    return LANEFIX_OK;
}

static enum lanefix_status collect(struct patch *p, const struct lf_patcher *patcher,
                                   const struct lf_event_reader *r, const uint8_t *event,
                                   const struct lf_edit *edit, struct lanefix_error *err)
{
    const struct lf_value *ts = &r->values[LF_MEMBER_TS];
    int64_t ns = 0;

    if (edit != NULL && (edit->what & LF_EDIT_TS)) {
        replace_ts(p, ts, edit->ts, patcher->rebase);
        p->noted |= 1u << LF_NOTE_TS;
    } else if (rebased_ts(patcher, r, event, &ns)) {
        replace_ts(p, ts, ns, true);
        if (edit != NULL || !ts_comes_back(patcher, r, event, ns)) {
            p->noted |= 1u << LF_NOTE_TS;
        }
    }
    if (edit != NULL && (edit->what & LF_EDIT_DUR)) {
        replace_dur(p, &r->values[LF_MEMBER_DUR], edit->dur);
        p->noted |= 1u << LF_NOTE_DUR;
    }
    return collect_ids(p, patcher, r, event, edit, err);
}

enum lanefix_status lf_replace(struct lf_bytes *out, const uint8_t *event, uint32_t n,
                               const struct lf_replacement *list, size_t n_list,
                               struct lanefix_error *err)
{
    size_t n_out = n;
    uint32_t at = 0;
    char *p;

    for (size_t i = 0; i < n_list; i++) {
        n_out += list[i].n - (list[i].end - list[i].start);
    }
    LF_TRY(lf_grow(&out->data, &out->cap, out->n + n_out, 1, err));
    p = out->data + out->n;
    for (size_t i = 0; i < n_list; i++) {
        p = mempcpy(p, event + at, list[i].start - at);
        p = list[i].n != 0 ? mempcpy(p, list[i].text, list[i].n) : p;
        at = list[i].end;
    }
    memcpy(p, event + at, n - at);
    out->n += n_out;
    return LANEFIX_OK;
}

static enum lanefix_status add_note(struct patch *p, const struct lf_event_reader *r,
                                    struct lf_note_reader *notes, const uint8_t *event, uint32_t n,
                                    struct lanefix_error *err)
{
    struct lf_replacement note;

    if (notes == NULL || p->noted == 0) {
        return LANEFIX_OK;
    }
    p->room->note.n = 0;
    LF_TRY(lf_annotate(notes, r, event, n, p->noted, &p->room->note, &note, err));
    if (note.n != 0) {
        replace(p, note.start, note.end, note.text, note.n);
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_patch_event(const struct lf_patcher *patcher,
                                   const struct lf_event_reader *r, struct lf_note_reader *notes,
                                   const uint8_t *window, const struct lf_split_event *e,
                                   const struct lf_edit *edit, struct lf_patch_room *room,
                                   struct lf_bytes *out, bool *patched, struct lanefix_error *err)
{
    const uint8_t *event = window + e->start;
    struct patch p = {.n = 0, .room = room};

    LF_TRY(collect(&p, patcher, r, event, edit, err));
    LF_TRY(add_note(&p, r, notes, event, e->end - e->start, err));
    *patched = p.n != 0;
    return p.n != 0 ? lf_replace(out, event, e->end - e->start, p.list, p.n, err) : LANEFIX_OK;
}
