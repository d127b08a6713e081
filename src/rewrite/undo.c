/* Every run that changed the trace left one block of added events, its summary last; blocks of
 * several runs stand one behind the other, and the first tells of the original. */
#include "rewrite/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rewrite/annotate.h"
#include "rewrite/patch.h"
#include "trace/time.h"

#define EDITED "expected what lanefix wrote; the trace was edited since"

void lf_undo_init(struct lf_undo *u, uint64_t seed)
{
    memset(u, 0, sizeof *u);
    lf_names_init(&u->texts, seed);
}

void lf_undo_fini(struct lf_undo *u)
{
    lf_names_fini(&u->texts);
    free(u->renames);
    lf_bytes_fini(&u->base_time);
    memset(u, 0, sizeof *u);
}

/* The number in a member of a summary. */
static bool read_number(const uint8_t *event, const struct lf_note *note, enum lf_note_key key,
                        int64_t *number)
{
    const struct lf_value *v = &note->texts[key];

    return v->kind != LF_VALUE_ABSENT &&
           lf_integer_read((const char *)event + v->start, v->end - v->start, number) &&
           *number >= 0;
}

static bool read_crc32(const uint8_t *event, const struct lf_note *note, uint32_t *crc)
{
    const struct lf_value *v = &note->texts[LF_NOTE_CRC32];
    char text[9] = "";
    char *end;

    if (v->kind == LF_VALUE_ABSENT || v->end - v->start != 8) {
        return false;
    }
    memcpy(text, event + v->start, 8);
    *crc = (uint32_t)strtoul(text, &end, 16);
    return *end == '\0';
}

static enum lanefix_status see_summary(struct lf_undo *u, const struct lf_note *note,
                                       const uint8_t *event, uint32_t n, uint64_t off,
                                       struct lanefix_error *err)
{
    int64_t added = 0;
    int64_t trace_bytes = 0;
    int64_t base_ns = 0;
    int64_t decimals = 0;
    uint32_t crc = 0;
    bool good = read_number(event, note, LF_NOTE_ADDED_BYTES, &added) &&
                read_number(event, note, LF_NOTE_TRACE_BYTES, &trace_bytes) &&
                read_crc32(event, note, &crc) && (uint64_t)added <= off;

    if (note->texts[LF_NOTE_REBASED_NS].kind != LF_VALUE_ABSENT) {
        good = good && read_number(event, note, LF_NOTE_REBASED_NS, &base_ns) &&
               read_number(event, note, LF_NOTE_DECIMALS, &decimals) && decimals <= 3 &&
               u->base_ns == 0;
        u->base_ns = base_ns;
        u->decimals = (unsigned)decimals;
    }
    if (!good || (u->n_summaries != 0 && off - (uint64_t)added != u->added_end)) {
        return lf_fail(err, LANEFIX_ERR_INPUT, off, "a summary that does not fit: " EDITED);
    }
    if (u->n_summaries++ == 0) {
        u->added_off = off - (uint64_t)added;
        u->trace_bytes = (uint64_t)trace_bytes;
        u->crc32 = crc;
    }
    u->added_end = off + n;
    if (note->texts[LF_NOTE_BASE_TIME].kind != LF_VALUE_ABSENT && !u->base_time_put) {
        u->base_time_put = true;
        return lf_note_get(&u->base_time, event, &note->texts[LF_NOTE_BASE_TIME], &good, err);
    }
    return LANEFIX_OK;
}

static enum lanefix_status keep_text(struct lf_undo *u, const uint8_t *event,
                                     const struct lf_value *v, uint32_t *id,
                                     struct lanefix_error *err)
{
    *id = LF_NO_NAME;
    return v->kind == LF_VALUE_ABSENT
               ? LANEFIX_OK
               : lf_names_intern(&u->texts, 0, (const char *)event + v->start, v->end - v->start,
                                 id, err);
}

enum lanefix_status lf_undo_see(struct lf_undo *u, const struct lf_event_reader *r,
                                struct lf_note_reader *notes, const uint8_t *event, uint32_t n,
                                uint64_t off, uint32_t track, struct lanefix_error *err)
{
    const struct lf_value *name = &r->values[LF_MEMBER_NAME];
    struct lf_undo_rename *rename;
    struct lf_note note;
    bool found;

    if (name->end - name->start != 7 || memcmp(event + name->start, "lanefix", 7) != 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_note_find(notes, event, &r->values[LF_MEMBER_ARGS], &note, &found, err));
    if (!found) {
        return LANEFIX_OK;
    }
    if (note.texts[LF_NOTE_INDENT].kind != LF_VALUE_ABSENT) {
        return lf_fail(err, LANEFIX_ERR_INPUT, off,
                       "the trace was written with an indent of its own: its white space is lost");
    }
    if (note.texts[LF_NOTE_ADDED_BYTES].kind != LF_VALUE_ABSENT) {
        return see_summary(u, &note, event, n, off, err);
    }
    LF_TRY(lf_grow(&u->renames, &u->cap_renames, u->n_renames + 1, sizeof *u->renames, err));
    rename = &u->renames[u->n_renames++];
    *rename = (struct lf_undo_rename){.off = off, .track = track};
    LF_TRY(keep_text(u, event, &note.texts[LF_NOTE_PID], &rename->pid, err));
    return keep_text(u, event, &note.texts[LF_NOTE_TID], &rename->tid, err);
}

enum lanefix_status lf_undo_prepare(struct lf_undo *u, size_t n_tracks, uint64_t last_event_end,
                                    struct lanefix_error *err)
{
    struct lf_undo_rename *by_track;

    if (u->n_summaries == 0) {
        return lf_fail(err, LANEFIX_ERR_INPUT, LANEFIX_NO_OFFSET,
                       "nothing to undo: expected a trace that lanefix changed, with its notes");
    }
    if (u->added_end != last_event_end) {
        return lf_fail(err, LANEFIX_ERR_INPUT, u->added_end,
                       "an event behind those that lanefix added: " EDITED);
    }
    LF_TRY(lf_alloc(&by_track, n_tracks, sizeof *by_track, err));
    for (size_t i = 0; i < n_tracks; i++) {
        by_track[i] = (struct lf_undo_rename){0, (uint32_t)i, LF_NO_NAME, LF_NO_NAME};
    }
    for (size_t i = u->n_renames; i-- > 0;) { /* of several runs the first knows the original */
        const struct lf_undo_rename *r = &u->renames[i];

        if (r->off >= u->added_off && r->track < n_tracks) {
            by_track[r->track] = *r;
        }
    }
    free(u->renames);
    u->renames = by_track;
    u->n_renames = u->cap_renames = n_tracks;
    return LANEFIX_OK;
}

/* An event on its way back. */
struct back {
    const struct lf_undo *u;
    const struct lf_event_reader *r;
    const uint8_t *event;
    struct lf_replacement list[LF_NOTE_N_MEMBERS];
    size_t n_list;
    bool good; /* everything found was as lanefix writes it */
    char ts[LF_TIME_TEXT_MAX];
    struct lf_bytes text; /* of all members of the note, one behind the other */
};

static void replace(struct back *b, struct lf_span span, const char *text, size_t n)
{
    size_t at = b->n_list++;

    for (; at > 0 && b->list[at - 1].start > span.start; at--) {
        b->list[at] = b->list[at - 1];
    }
    b->list[at] = (struct lf_replacement){span.start, span.end, text, n};
}

/* A tid that was put in: with its comma, at the event's beginning. */
static struct lf_span added_tid(struct back *b, const struct lf_value *tid)
{
    static const char before[] = "{\"tid\":";
    struct lf_span token = lf_value_token(tid);

    b->good = b->good && token.start == sizeof before - 1 &&
              memcmp(b->event, before, sizeof before - 1) == 0 && b->event[token.end] == ',';
    return (struct lf_span){1, token.end + 1};
}

/* The note itself, or the args that were made for it or took their place. */
static void drop_note(struct back *b, const struct lf_note *note, const char *text, size_t n)
{
    static const char before[] = ",\"args\":";
    const struct lf_value *args = &b->r->values[LF_MEMBER_ARGS];
    struct lf_span span = note->member;
    uint32_t len = sizeof before - 1;

    if (note->texts[LF_NOTE_ARGS].kind == LF_VALUE_ABSENT) {
        span.start -= b->event[span.start - 1] == ',';
        n = 0;
    } else {
        b->good =
            b->good && note->member.start == args->start + 1 && note->member.end + 1 == args->end;
        span = (struct lf_span){args->start, args->end};
        if (n == 0) {
            b->good = b->good && span.start > len &&
                      memcmp(b->event + span.start - len, before, len) == 0;
            span.start -= b->good ? len : 0;
        }
    }
    replace(b, span, text, n);
}

static enum lanefix_status undo_note(struct back *b, const struct lf_note *note,
                                     struct lanefix_error *err)
{
    size_t starts[LF_NOTE_N_MEMBERS + 1] = {0};
    const char *text;
    bool good = true;

    for (unsigned k = 0; k < LF_NOTE_N_MEMBERS; k++) {
        if (note->texts[k].kind != LF_VALUE_ABSENT) {
            LF_TRY(lf_note_get(&b->text, b->event, &note->texts[k], &good, err));
            b->good = b->good && good;
        }
        starts[k + 1] = b->text.n;
    }
    text = b->text.n != 0 ? b->text.data : "";
    for (unsigned k = 0; k < LF_NOTE_ARGS; k++) {
        const struct lf_value *v = &b->r->values[lf_note_members[k]];
        size_t n = starts[k + 1] - starts[k];

        if (note->texts[k].kind == LF_VALUE_ABSENT) {
            continue;
        }
        if (v->kind == LF_VALUE_ABSENT || (n == 0 && k != LF_NOTE_TID)) {
            b->good = false;
        } else {
            replace(b, n == 0 ? added_tid(b, v) : lf_value_token(v), text + starts[k], n);
        }
    }
    drop_note(b, note, text + starts[LF_NOTE_ARGS],
              starts[LF_NOTE_ARGS + 1] - starts[LF_NOTE_ARGS]);
    return LANEFIX_OK;
}

static void undo_rebase(struct back *b, const struct lf_note *note)
{
    int64_t visible, exact;
    size_t n;
    const struct lf_value *ts = &b->r->values[LF_MEMBER_TS];

    if (b->u->base_ns == 0 || note->texts[LF_NOTE_TS].kind != LF_VALUE_ABSENT ||
        ts->kind != LF_VALUE_PRIMITIVE ||
        lf_event_phase(b->event, &b->r->values[LF_MEMBER_PH]) == 'M' ||
        !lf_time_read_exact((const char *)b->event + ts->start, ts->end - ts->start, &visible,
                            &exact) ||
        exact < 0 || __builtin_add_overflow(exact, b->u->base_ns, &exact)) {
        return;
    }
    lf_unrebased_text(exact, b->u->decimals, b->ts, &n);
    replace(b, (struct lf_span){ts->start, ts->end}, b->ts, n);
}

static void undo_id(struct back *b, const struct lf_note *note, enum lf_note_key key,
                    const struct lf_value *v, uint32_t text)
{
    size_t n;
    const char *old;

    if (text != LF_NO_NAME && note->texts[key].kind == LF_VALUE_ABSENT &&
        v->kind != LF_VALUE_ABSENT) {
        old = lf_names_text(&b->u->texts, text, &n);
        replace(b, lf_value_token(v), old, n);
    }
}

static void undo_rename(struct back *b, const struct lf_tracks *tracks, const struct lf_note *note)
{
    struct lf_id pid, tid;
    uint32_t track;

    lf_event_ids(b->r, b->event, &pid, &tid);
    track = lf_tracks_find(tracks, &pid, &tid, b->event);
    if (track < b->u->n_renames) {
        const struct lf_undo_rename *rename = &b->u->renames[track];

        undo_id(b, note, LF_NOTE_PID, &b->r->values[LF_MEMBER_PID], rename->pid);
        undo_id(b, note, LF_NOTE_TID, &b->r->values[LF_MEMBER_TID], rename->tid);
    }
}

enum lanefix_status lf_undo_event(const struct lf_undo *u, const struct lf_tracks *tracks,
                                  const struct lf_event_reader *r, struct lf_note_reader *notes,
                                  const uint8_t *event, uint32_t n, uint64_t off,
                                  struct lf_bytes *out, bool *changed, struct lanefix_error *err)
{
    struct back b = {.u = u, .r = r, .event = event, .good = true};
    struct lf_note note = {.member = {0, 0}};
    enum lanefix_status status;
    bool found;

    *changed = false;
    if (off >= u->added_off && off < u->added_end) {
        return LANEFIX_OK; /* cut out with all around it */
    }
    LF_TRY(lf_note_find(notes, event, &r->values[LF_MEMBER_ARGS], &note, &found, err));
    if (!found) {
        memset(&note, 0, sizeof note);
    }
    status = found ? undo_note(&b, &note, err) : LANEFIX_OK;
    undo_rebase(&b, &note);
    undo_rename(&b, tracks, &note);
    if (status == LANEFIX_OK && !b.good) {
        status = lf_fail(err, LANEFIX_ERR_INPUT, off, "a note that does not fit: " EDITED);
    }
    *changed = b.n_list != 0;
    if (status == LANEFIX_OK && *changed) {
        status = lf_replace(out, event, n, b.list, b.n_list, err);
    }
    lf_bytes_fini(&b.text);
    return status;
}
