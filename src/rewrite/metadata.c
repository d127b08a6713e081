/* Added events, in the order of rows: renamed processes, then per row its name, its lanes' names,
 * then the sort indices. */
#include "rewrite/metadata.h"

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

/* The text of a key without quotes. */
static enum lanefix_status put_key(struct writer *w, struct lf_key key)
{
    size_t n;
    const char *text;

    switch ((enum lf_id_kind)key.kind) {
    case LF_ID_NUMBER:
        return lf_bytes_printf(w->out, w->err, "%u", key.value);
    case LF_ID_STRING:
    case LF_ID_ODD:
        text = lf_names_text(&w->tracks->names, key.value, &n);
        return put_text(w, text, n);
    case LF_ID_MISSING:
        break;
    }
    return lf_bytes_printf(w->out, w->err, "none");
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
                              ? w->tracks->tracks[member].tid
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
            named = t->tracks[k].has_process_name &&
                    lf_key_equal(t->tracks[k].pid, t->tracks[track].pid);
        }
        if (!named) {
            struct lf_key pid = {LF_ID_NUMBER, w->layout->renames[track].pid};

            LF_TRY(begin_event(w, "process_name", pid, NULL));
            LF_TRY(lf_bytes_printf(w->out, w->err, "\"name\":\"pid "));
            LF_TRY(put_key(w, t->tracks[track].pid));
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
        const struct lf_track *track = &w->tracks->tracks[number];
        const struct lf_rename *rename = &w->layout->renames[number];
        struct lf_key pid = track->pid;
        struct lf_key tid = {LF_ID_NUMBER, rename->tid};
        struct lf_key unused = tid;

        if (track->name != LF_NO_NAME) {
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

enum lanefix_status lf_metadata_write(struct lf_bytes *out, const struct lf_layout *layout,
                                      const struct lf_tracks *tracks, const char *gap, size_t n_gap,
                                      struct lanefix_error *err)
{
    struct writer w = {out, layout, tracks, gap, n_gap, err};

    LF_TRY(name_processes(&w));
    LF_TRY(name_unfolded(&w));
    LF_TRY(name_lanes(&w));
    return sort_rows(&w);
}
