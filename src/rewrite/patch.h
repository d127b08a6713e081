/* Patching one event: only the values of ts, dur, tid and pid that change are written anew, each in
 * the form it had, and what they were is noted in args; every other byte is the event's own. Pure.
 */
#ifndef LF_REWRITE_PATCH_H
#define LF_REWRITE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "rewrite/edit.h"
#include "rewrite/note.h"
#include "solve/layout.h"
#include "trace/event.h"
#include "trace/tracks.h"
#include "json/split.h"

/* What the patch of one event did, for the report. */
struct lf_patched {
    const struct lf_edit *edit;
    struct lf_span name;            /* in the window */
    bool is_kernel;                 /* cat is "kernel" */
    int64_t start_shift, end_shift; /* ns, inwards, >= 0 */
    int64_t crossing; /* ns, see lf_slice_change; of a snapped one what it was snapped by */
    bool was_negative;
};

/* What all events of a trace are patched by. */
struct lf_patcher {
    const struct lf_layout *layout;
    const struct lf_tracks *tracks;
    bool rebase;       /* base_ns is taken off every ts; the reader reads exact times */
    int64_t base_ns;   /* whole seconds */
    unsigned decimals; /* that a rebased ts had at least, as far as no note says otherwise */
};

/* What edit does to the event, which r's lf_event_tokenize must have read last. */
struct lf_patched lf_patch_describe(const struct lf_patcher *patcher,
                                    const struct lf_event_reader *r, const uint8_t *window,
                                    const struct lf_split_event *e, const struct lf_edit *edit);

/* Room that is used again from event to event. Zero-initialise; release with lf_patch_room_fini. */
struct lf_patch_room {
    struct lf_bytes tid, note;
};

void lf_patch_room_fini(struct lf_patch_room *room);

/* Appends the event to out, patched by edit (NULL: none), by the rename of its track and by
 * rebasing; *patched: there was something to do, else nothing was appended. notes: NULL where none
 * are to be made. r's lf_event_tokenize must have read the event last.
 *
 * An event with an edit gets a note of all that changed; one that was only renamed or rebased of
 * what the added events (metadata.h) do not say: a tid written otherwise than its track's number, a
 * ts that lf_unrebased_text does not give back, the ts of metadata. */
enum lanefix_status lf_patch_event(const struct lf_patcher *patcher,
                                   const struct lf_event_reader *r, struct lf_note_reader *notes,
                                   const uint8_t *window, const struct lf_split_event *e,
                                   const struct lf_edit *edit, struct lf_patch_room *room,
                                   struct lf_bytes *out, bool *patched,
                                   struct lanefix_error *err) LF_MUST_USE;

/* The ts, in ns, that rebasing makes of one as written. */
int64_t lf_rebased_ts(int64_t exact_ns, int64_t base_ns);

/* The text that a ts of ns (>= 0) had before it was rebased: microseconds with at least `decimals`
 * decimals and no more than needed. text: LF_TIME_TEXT_MAX bytes. */
void lf_unrebased_text(int64_t ns, unsigned decimals, char *text, size_t *n);

/* Bytes [start, end) of an event become text. */
struct lf_replacement {
    uint32_t start, end;
    const char *text;
    size_t n;
};

/* Appends the event [0, n) with the replacements, which are in order and apart. */
enum lanefix_status lf_replace(struct lf_bytes *out, const uint8_t *event, uint32_t n,
                               const struct lf_replacement *list, size_t n_list,
                               struct lanefix_error *err) LF_MUST_USE;

#endif
