/* The metadata events that are added: names and sort indices of lanes, names of unfolded tracks and
 * processes. They carry no ts, which Perfetto reads as 0. */
#ifndef LF_REWRITE_METADATA_H
#define LF_REWRITE_METADATA_H

#include "base/bytes.h"
#include "base/status.h"
#include "solve/layout.h"
#include "trace/tracks.h"

/* Appends them to out, each behind a comma and the white space gap[0..n_gap); to be put in behind
 * the last event. */
enum lanefix_status lf_metadata_write(struct lf_bytes *out, const struct lf_layout *layout,
                                      const struct lf_tracks *tracks, const char *gap, size_t n_gap,
                                      struct lanefix_error *err) LF_MUST_USE;

#endif
