/* Patching one event: only the values of ts, dur, tid and pid that change are written anew, each in
 * the form it had; every other byte is the event's own. Pure. */
#ifndef LF_REWRITE_PATCH_H
#define LF_REWRITE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "json/split.h"
#include "rewrite/edit.h"
#include "solve/layout.h"
#include "trace/event.h"
#include "trace/tracks.h"

/* What the patch of one event did, for the report. */
struct lf_patched {
    const struct lf_edit *edit; /* NULL: only its track was renamed */
    struct lf_span name;        /* in the window */
    bool is_kernel;             /* cat is "kernel" */
    int64_t start_shift, end_shift; /* ns, inwards, >= 0 */
    bool was_negative;
};

/* Appends the event to out, patched by edit (NULL: none) and rename (NULL: none), and fills *info. The
 * event stands at off in the stream and must have been read by r's lf_event_tokenize. */
enum lanefix_status lf_patch_event(const struct lf_event_reader *r, const uint8_t *window,
                                   const struct lf_split_event *e, const struct lf_edit *edit,
                                   const struct lf_rename *rename, const struct lf_layout *layout,
                                   const struct lf_names *names, struct lf_bytes *out,
                                   struct lf_patched *info, struct lanefix_error *err) LF_MUST_USE;

#endif
