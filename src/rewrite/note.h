/* Notes: what an event was before it was changed, kept in its args under "lanefix".
 *
 *     "lanefix":{"ts":"123.456","tid":"7"}
 *
 * A note's members are strings: the text that stood there, quotes included where it was a string;
 * empty where there was none. The member "args" is there only where args had to be made for the
 * note (empty) or were no object (their text). Owns the writing, finding and reading of notes;
 * which events get one is patch.c's, giving back is undo.c's. Pure. */
#ifndef LF_REWRITE_NOTE_H
#define LF_REWRITE_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "json/token.h"

/* The members of a note, of a changed event first, then those of the added event that tells what
 * was done to the whole trace (metadata.h). */
enum lf_note_key {
    LF_NOTE_TS,
    LF_NOTE_DUR,
    LF_NOTE_PID,
    LF_NOTE_TID,
    LF_NOTE_ARGS,
    LF_NOTE_ADDED_BYTES,
    LF_NOTE_TRACE_BYTES,
    LF_NOTE_CRC32,
    LF_NOTE_REBASED_NS,
    LF_NOTE_DECIMALS,
    LF_NOTE_BASE_TIME,
    LF_NOTE_INDENT,
    LF_N_NOTE_KEYS
};

extern const char *const lf_note_names[LF_N_NOTE_KEYS];

/* A note as it stands in an event; spans count from the event's first byte. */
struct lf_note {
    struct lf_span member; /* from the quote of "lanefix" to behind the closing brace */
    uint32_t open;         /* behind the note's opening brace */
    struct lf_value texts[LF_N_NOTE_KEYS]; /* strings, between the quotes; others are absent */
};

/* Used by one thread at a time. */
struct lf_note_reader {
    struct lf_tokenizer *note;
};

/* Release with lf_note_reader_fini, also after a failure. */
enum lanefix_status lf_note_reader_init(struct lf_note_reader *r,
                                        struct lanefix_error *err) LF_MUST_USE;
void lf_note_reader_fini(struct lf_note_reader *r);

/* Finds the note in args, a value of the event. *found: there is one, with at least one member of
 * those above. Only LANEFIX_ERR_MEMORY can be. */
enum lanefix_status lf_note_find(struct lf_note_reader *r, const uint8_t *event,
                                 const struct lf_value *args, struct lf_note *note, bool *found,
                                 struct lanefix_error *err) LF_MUST_USE;

/* Behind the last value (or the opening brace) of the object that ends before end: there a member
 * can be put in. Commas too many may follow it. */
uint32_t lf_behind_last_value(const uint8_t *event, uint32_t end);

/* Appends the member key with text[0..n) as its string; a comma first where comma is set. */
enum lanefix_status lf_note_put(struct lf_bytes *out, enum lf_note_key key, const void *text,
                                size_t n, bool comma, struct lanefix_error *err) LF_MUST_USE;

/* Appends the text that a note's member stands for; false where it is none that lf_note_put wrote.
 */
enum lanefix_status lf_note_get(struct lf_bytes *out, const uint8_t *event,
                                const struct lf_value *text, bool *good,
                                struct lanefix_error *err) LF_MUST_USE;

/* The span of a value with its quotes. */
static inline struct lf_span lf_value_token(const struct lf_value *v)
{
    uint32_t quote = v->kind == LF_VALUE_STRING;

    return (struct lf_span){v->start - quote, v->end + quote};
}

#endif
