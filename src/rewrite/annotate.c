/* Notes are put behind the last value of args, or of the event, so that taking one out again leaves
 * the bytes that were there. */
#include "rewrite/annotate.h"

#include <string.h>

const uint8_t lf_note_members[LF_NOTE_N_MEMBERS] = {[LF_NOTE_TS] = LF_MEMBER_TS,
                                                    [LF_NOTE_DUR] = LF_MEMBER_DUR,
                                                    [LF_NOTE_PID] = LF_MEMBER_PID,
                                                    [LF_NOTE_TID] = LF_MEMBER_TID,
                                                    [LF_NOTE_ARGS] = LF_MEMBER_ARGS};

static enum lanefix_status put_members(struct lf_bytes *text, const struct lf_event_reader *r,
                                       const uint8_t *event, unsigned noted,
                                       struct lanefix_error *err)
{
    bool comma = false;

    for (unsigned k = 0; k < LF_NOTE_N_MEMBERS; k++) {
        const struct lf_value *v = &r->values[lf_note_members[k]];
        struct lf_span old = {0, 0};

        if ((noted & (1u << k)) == 0) {
            continue;
        }
        if (v->kind != LF_VALUE_ABSENT) {
            old = lf_value_token(v);
        }
        LF_TRY(lf_note_put(text, (enum lf_note_key)k, event + old.start, old.end - old.start, comma,
                           err));
        comma = true;
    }
    return LANEFIX_OK;
}

/* Into the note that is there. */
static enum lanefix_status complete(const struct lf_note *old, const struct lf_event_reader *r,
                                    const uint8_t *event, unsigned noted, struct lf_bytes *text,
                                    struct lf_replacement *note, struct lanefix_error *err)
{
    for (unsigned k = 0; k < LF_N_NOTE_KEYS; k++) {
        if (old->texts[k].kind != LF_VALUE_ABSENT) {
            noted &= ~(1u << k);
        }
    }
    if (noted != 0) {
        LF_TRY(put_members(text, r, event, noted, err));
        LF_TRY(lf_bytes_append(text, ",", 1, err));
    }
    *note = (struct lf_replacement){old->open, old->open, text->data, text->n};
    return LANEFIX_OK;
}

enum lanefix_status lf_annotate(struct lf_note_reader *reader, const struct lf_event_reader *r,
                                const uint8_t *event, uint32_t n, unsigned noted,
                                struct lf_bytes *text, struct lf_replacement *note,
                                struct lanefix_error *err)
{
    const struct lf_value *args = &r->values[LF_MEMBER_ARGS];
    static const char opening[] = "\"lanefix\":{";
    const char *before = "{";
    const char *behind = "}";
    struct lf_note old;
    bool found;

    LF_TRY(lf_note_find(reader, event, args, &old, &found, err));
    if (found) {
        return complete(&old, r, event, noted, text, note, err);
    }
    if (args->kind == LF_VALUE_OBJECT) {
        uint32_t at = lf_behind_last_value(event, args->end);

        *note = (struct lf_replacement){.start = at, .end = at};
        before = at == args->start + 1 ? "" : ",";
        behind = "";
    } else {
        struct lf_span token = lf_value_token(args);

        if (args->kind == LF_VALUE_ABSENT) {
            before = ",\"args\":{";
            token.start = token.end = lf_behind_last_value(event, n);
        }
        *note = (struct lf_replacement){.start = token.start, .end = token.end};
        noted |= 1u << LF_NOTE_ARGS;
    }
    LF_TRY(lf_bytes_append(text, before, strlen(before), err));
    LF_TRY(lf_bytes_append(text, opening, sizeof opening - 1, err));
    LF_TRY(put_members(text, r, event, noted, err));
    LF_TRY(lf_bytes_append(text, "}", 1, err));
    LF_TRY(lf_bytes_append(text, behind, strlen(behind), err));
    note->text = text->data;
    note->n = text->n;
    return LANEFIX_OK;
}
