/* The packed slices of a track, or of several, in Perfetto's order, without unpacking all of them:
 * chunks of the lists are unpacked and sorted when their turn comes and merged. Records that are
 * roughly in order, or several such sequences one behind the other (as profilers write them), take
 * a few chunks at a time; only where they are in no order at all it is all of them. */
#ifndef LF_RUN_SORTED_H
#define LF_RUN_SORTED_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/records.h"

struct lf_run;
struct lf_sorted;

/* lists: complete slices only, read as of member 0; they must not change, nor go, before *out does.
 * Times are rebased where the run's are. LANEFIX_ERR_MEMORY. Reading starts at the beginning. */
enum lanefix_status lf_sorted_create(struct lf_sorted **out, const struct lf_run *run,
                                     const struct lf_records *const *lists, size_t n_lists,
                                     struct lanefix_error *err) LF_MUST_USE;

/* The next slices, at most LF_RECORD_CHUNK: *slices[0..*n), valid until the next call; *n == 0 at
 * the end.
 * LANEFIX_ERR_MEMORY. */
enum lanefix_status lf_sorted_next(struct lf_sorted *sorted, const struct lf_slice **slices,
                                   size_t *n, struct lanefix_error *err) LF_MUST_USE;

/* Reading starts at the beginning again. */
void lf_sorted_rewind(struct lf_sorted *sorted);

void lf_sorted_destroy(struct lf_sorted *sorted);

#endif
