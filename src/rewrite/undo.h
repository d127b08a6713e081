/* Undoing: what a fixed trace says of itself, and one event of it given back as it was. The inverse
 * of patch.c, annotate.c and metadata.c. Pure.
 *
 * Events whose note says what they were get that back; of the rest those on a renamed track get its
 * old ids, and all but metadata the ts that rebasing took from them. What was added is cut out. */
#ifndef LF_REWRITE_UNDO_H
#define LF_REWRITE_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "rewrite/note.h"
#include "trace/event.h"
#include "trace/names.h"
#include "trace/tracks.h"
#include "json/split.h"

/* The ids that the events of a track had: texts in lf_undo.texts, LF_NO_NAME where unchanged. */
struct lf_undo_rename {
    uint64_t off; /* of the added event that says so */
    uint32_t track, pid, tid;
};

/* Zero-initialise and lf_undo_init; release with lf_undo_fini. */
struct lf_undo {
    struct lf_names texts;
    struct lf_undo_rename *renames; /* as seen; after lf_undo_prepare one a track */
    size_t n_renames, cap_renames;
    size_t n_summaries;
    uint64_t added_off, added_end; /* bytes of the fixed trace that were added */
    /* of the original */
    uint64_t trace_bytes;
    uint32_t crc32;
    int64_t base_ns; /* to be put on every ts */
    unsigned decimals;
    bool base_time_put;        /* baseTimeNanoseconds was put in or changed */
    struct lf_bytes base_time; /* what it was; empty: there was none */
};

void lf_undo_init(struct lf_undo *u, uint64_t seed);
void lf_undo_fini(struct lf_undo *u);

/* Shows a metadata event [0, n) that stands at off on track `track`; r's lf_event_tokenize has read
 * it. In file order. LANEFIX_ERR_INPUT where what it says is not what lanefix writes. */
enum lanefix_status lf_undo_see(struct lf_undo *u, const struct lf_event_reader *r,
                                struct lf_note_reader *notes, const uint8_t *event, uint32_t n,
                                uint64_t off, uint32_t track,
                                struct lanefix_error *err) LF_MUST_USE;

/* All metadata was shown; last_event_end: behind the trace's last event. LANEFIX_ERR_INPUT where
 * nothing says what was changed, or something stands behind it. */
enum lanefix_status lf_undo_prepare(struct lf_undo *u, size_t n_tracks, uint64_t last_event_end,
                                    struct lanefix_error *err) LF_MUST_USE;

/* Appends the event at off to out as it was; *changed: it was otherwise, else nothing was appended.
 * r's lf_event_tokenize must have read the event last; tracks are those of the fixed trace. */
enum lanefix_status lf_undo_event(const struct lf_undo *u, const struct lf_tracks *tracks,
                                  const struct lf_event_reader *r, struct lf_note_reader *notes,
                                  const uint8_t *event, uint32_t n, uint64_t off,
                                  struct lf_bytes *out, bool *changed,
                                  struct lanefix_error *err) LF_MUST_USE;

#endif
