/* Added events, in the order of rows: renamed processes, then per row its name, its lanes' names,
 * then the sort indices, then what undoing needs. */
#include "rewrite/metadata.h"

#include <stdio.h>
#include <string.h>

#include "rewrite/note.h"

struct writer {
    struct lf_bytes *out;
    const struct lf_layout *layout;
    const struct lf_tracks *tracks;
    const char *gap;
    size_t n_gap;
    struct lanefix_error *err;
};

static enum lanefix_status put_text(struct writer *w, const char *text, size_t n)
{
    return lf_bytes_append(w->out, text, n, w->err);
}

static enum lanefix_status put_key(struct writer *w, struct lf_key key)
{
    char digits[16];
    size_t n;
    const char *text = lf_key_text(key, &w->tracks->names, digits, &n);

    return put_text(w, text, n);
}

static enum lanefix_status put_id(struct writer *w, struct lf_key key)
{
    const char *quote = key.kind == LF_ID_STRING ? "\"" : "";

    LF_TRY(lf_bytes_printf(w->out, w->err, "%s", quote));
    LF_TRY(put_key(w, key));
    return lf_bytes_printf(w->out, w->err, "%s", quote);
}

/* Up to and including the opening of args. */
static enum lanefix_status begin_event(struct writer *w, const char *name, struct lf_key pid,
                                       const struct lf_key *tid)
{
    LF_TRY(put_text(w, ",", 1));
    LF_TRY(put_text(w, w->gap, w->n_gap));
    LF_TRY(lf_bytes_printf(w->out, w->err, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":", name));
    LF_TRY(put_id(w, pid));
    if (tid != NULL) {
        LF_TRY(lf_bytes_printf(w->out, w->err, ",\"tid\":"));
        LF_TRY(put_id(w, *tid));
    }
    return lf_bytes_printf(w->out, w->err, ",\"args\":{");
}

/* A row's own name: that of its thread_name, else "tid <tid>", of an unfolded one as written. */
static enum lanefix_status put_row_name(struct writer *w, const struct lf_row *row)
{
    uint32_t member = w->layout->members[row->first_member];
    size_t n;
    const char *text;

    if (row->name == LF_NO_NAME) {
        LF_TRY(lf_bytes_printf(w->out, w->err, "tid "));
        return put_key(w, w->layout->renames != NULL && w->layout->renames[member].tid_changes
                              ? lf_tracks_at(w->tracks, member)->tid
                              : row->tid);
    }
    text = lf_names_text(&w->tracks->names, row->name, &n);
    return put_text(w, text, n);
}

static enum lanefix_status name_processes(struct writer *w)
{
    const struct lf_tracks *t = w->tracks;

    for (size_t i = 0; i < w->layout->n_renamed_pids; i++) {
        uint32_t track = w->layout->renamed_pids[i];
        bool named = false;

        for (size_t k = 0; k < t->n_tracks && !named; k++) {
            named = lf_tracks_at(t, k)->has_process_name &&
                    lf_key_equal(lf_tracks_at(t, k)->pid, lf_tracks_at(t, track)->pid);
        }
        if (!named) {
            struct lf_key pid = {LF_ID_NUMBER, w->layout->renames[track].pid};

            LF_TRY(begin_event(w, "process_name", pid, NULL));
            LF_TRY(lf_bytes_printf(w->out, w->err, "\"name\":\"pid "));
            LF_TRY(put_key(w, lf_tracks_at(t, track)->pid));
            LF_TRY(lf_bytes_printf(w->out, w->err, "\"}}"));
        }
    }
    return LANEFIX_OK;
}

/* A renamed track takes its own thread_name events along; one without gets its old tid as name. */
static enum lanefix_status name_unfolded(struct writer *w)
{
    for (size_t i = 0; i < w->layout->n_renamed_tids; i++) {
        uint32_t number = w->layout->renamed_tids[i];
        const struct lf_track *track = lf_tracks_at(w->tracks, number);
        const struct lf_rename *rename = &w->layout->renames[number];
        struct lf_key pid = track->pid;
        struct lf_key tid = {LF_ID_NUMBER, rename->tid};
        struct lf_key unused = tid;

        if (lf_track_about(w->tracks, track)->name != LF_NO_NAME) {
            continue;
        }
        if (rename->pid_changes) {
            pid = (struct lf_key){LF_ID_NUMBER, rename->pid};
        }
        lf_key_visible(&pid, &unused);
        LF_TRY(begin_event(w, "thread_name", pid, &tid));
        LF_TRY(lf_bytes_printf(w->out, w->err, "\"name\":\"tid "));
        LF_TRY(put_key(w, track->tid));
        LF_TRY(lf_bytes_printf(w->out, w->err, "\"}}"));
    }
    return LANEFIX_OK;
}

static enum lanefix_status name_lanes(struct writer *w)
{
    for (size_t i = 0; i < w->layout->n_rows; i++) {
        const struct lf_row *row = &w->layout->rows[i];

        for (uint32_t k = 1; k <= row->n_lanes; k++) {
            LF_TRY(begin_event(w, "thread_name", row->pid,
                               &w->layout->lanes[row->first_lane + k - 1]));
            LF_TRY(lf_bytes_printf(w->out, w->err, "\"name\":\""));
            LF_TRY(put_row_name(w, row));
            LF_TRY(lf_bytes_printf(w->out, w->err, " lane %u\"}}", k));
        }
    }
    return LANEFIX_OK;
}

static enum lanefix_status sort_rows(struct writer *w)
{
    for (size_t i = 0; i < w->layout->n_sort_indices; i++) {
        const struct lf_sort_index *s = &w->layout->sort_indices[i];
        const struct lf_row *row = &w->layout->rows[s->row];
        struct lf_key tid =
            s->lane == 0 ? row->tid : w->layout->lanes[row->first_lane + s->lane - 1];

        LF_TRY(begin_event(w, "thread_sort_index", row->pid, &tid));
        LF_TRY(lf_bytes_printf(w->out, w->err, "\"sort_index\":%lld}}", (long long)s->index));
    }
    return LANEFIX_OK;
}

/* The ids that a renamed track had, as a note of an event on it. */
static enum lanefix_status note_rename(struct writer *w, uint32_t number)
{
    const struct lf_track *track = lf_tracks_at(w->tracks, number);
    const struct lf_rename *rename = &w->layout->renames[number];
    struct lf_key pid = track->pid;
    struct lf_key tid = track->tid;
    char digits[16];
    const char *text;
    size_t n;

    if (rename->pid_changes) {
        pid = (struct lf_key){LF_ID_NUMBER, rename->pid};
    }
    if (rename->tid_changes) {
        tid = (struct lf_key){LF_ID_NUMBER, rename->tid};
    }
    LF_TRY(begin_event(w, "lanefix", pid, tid.kind != LF_ID_MISSING ? &tid : NULL));
    LF_TRY(lf_bytes_printf(w->out, w->err, "\"lanefix\":{"));
    if (rename->pid_changes) {
        text = lf_key_text(track->pid, &w->tracks->names, digits, &n);
        LF_TRY(lf_note_put(w->out, LF_NOTE_PID, text, n, false, w->err));
    }
    if (rename->tid_changes) {
        text = lf_key_text(track->tid, &w->tracks->names, digits, &n);
        LF_TRY(lf_note_put(w->out, LF_NOTE_TID, text, n, rename->pid_changes, w->err));
    }
    return lf_bytes_printf(w->out, w->err, "}}}");
}

static enum lanefix_status note_renames(struct writer *w)
{
    for (size_t i = 0; w->layout->renames != NULL && i < w->tracks->n_tracks; i++) {
        if (w->layout->renames[i].pid_changes || w->layout->renames[i].tid_changes) {
            LF_TRY(note_rename(w, (uint32_t)i));
        }
    }
    return LANEFIX_OK;
}

static enum lanefix_status put_number(struct writer *w, enum lf_note_key key, const char *format,
                                      long long number, bool comma)
{
    char text[24];
    int n = snprintf(text, sizeof text, format, number);

    return lf_note_put(w->out, key, text, (size_t)n, comma, w->err);
}

static enum lanefix_status put_summary(struct writer *w, const struct lf_summary *s)
{
    const struct lf_row *row = &w->layout->rows[s->row];
    /* what was added before, the summary's own comma and white space included: undo cuts out that
     */
    size_t n_added = w->out->n + 1 + w->n_gap;

    LF_TRY(begin_event(w, "lanefix", row->pid, &row->tid));
    LF_TRY(lf_bytes_printf(w->out, w->err, "\"lanefix\":{"));
    LF_TRY(put_number(w, LF_NOTE_ADDED_BYTES, "%lld", (long long)n_added, false));
    LF_TRY(put_number(w, LF_NOTE_TRACE_BYTES, "%lld", (long long)s->trace_bytes, true));
    LF_TRY(put_number(w, LF_NOTE_CRC32, "%08llx", s->crc32, true));
    if (s->base_ns != 0) {
        LF_TRY(put_number(w, LF_NOTE_REBASED_NS, "%lld", (long long)s->base_ns, true));
        LF_TRY(put_number(w, LF_NOTE_DECIMALS, "%lld", s->decimals, true));
    }
    if (s->base_time_put) {
        const char *text = s->base_time != NULL ? s->base_time : "";

        LF_TRY(lf_note_put(w->out, LF_NOTE_BASE_TIME, text, strlen(text), true, w->err));
    }
    if (s->indent >= 0) {
        LF_TRY(put_number(w, LF_NOTE_INDENT, "%lld", s->indent, true));
    }
    return lf_bytes_printf(w->out, w->err, "}}}");
}

enum lanefix_status lf_metadata_write(struct lf_bytes *out, const struct lf_layout *layout,
                                      const struct lf_tracks *tracks,
                                      const struct lf_summary *summary, const char *gap,
                                      size_t n_gap, struct lanefix_error *err)
{
    struct writer w = {out, layout, tracks, gap, n_gap, err};

    LF_TRY(name_processes(&w));
    LF_TRY(name_unfolded(&w));
    LF_TRY(name_lanes(&w));
    LF_TRY(sort_rows(&w));
    if (summary == NULL) {
        return LANEFIX_OK;
    }
    LF_TRY(note_renames(&w));
    return put_summary(&w, summary);
}
