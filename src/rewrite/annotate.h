/* Where an event's note goes and what it says. Pure. */
#ifndef LF_REWRITE_ANNOTATE_H
#define LF_REWRITE_ANNOTATE_H

#include "base/bytes.h"
#include "base/status.h"
#include "rewrite/patch.h"

/* The member of an event that each of a changed event's note keys tells of. */
enum { LF_NOTE_N_MEMBERS = LF_NOTE_ARGS + 1 };
extern const uint8_t lf_note_members[LF_NOTE_N_MEMBERS];

/* Makes *note, with text (to be released by the caller), the replacement that puts a note of the
 * members in noted (bits by enum lf_note_key) into the event [0, n): at the end of its args, which
 * are made where there are none. A note that is there already keeps what it says and gets what it
 * lacks: the oldest values are the original ones. note->n == 0: it says all. */
enum lanefix_status lf_annotate(struct lf_note_reader *reader, const struct lf_event_reader *r,
                                const uint8_t *event, uint32_t n, unsigned noted,
                                struct lf_bytes *text, struct lf_replacement *note,
                                struct lanefix_error *err) LF_MUST_USE;

#endif
