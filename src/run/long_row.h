/* One long row, solved by all threads without being unpacked whole. */
#ifndef LF_RUN_LONG_ROW_H
#define LF_RUN_LONG_ROW_H

#include <stdbool.h>

#include "run/run.h"
#include "solve/solve.h"

/* Whether row is worth it: long, of one track, of complete slices only. */
bool lf_long_row_suits(const struct lf_run *run, const struct lf_row *row);

/* Solves it into out (zero-initialised). Errors as lf_solve_track's. */
enum lanefix_status lf_long_row_solve(struct lf_run *run, const struct lf_row *row,
                                      struct lf_solution *out,
                                      struct lanefix_error *err) LF_MUST_USE;

/* The same for what Perfetto refuses of tracks that it takes for one: out (zero-initialised) gets
 * the counts of refused slices, the tracks are left as they are. */
bool lf_long_row_can_count(const struct lf_run *run, const uint32_t *tracks, uint32_t n_tracks);
enum lanefix_status lf_long_row_count(struct lf_run *run, const uint32_t *tracks, uint32_t n_tracks,
                                      struct lf_solution *out,
                                      struct lanefix_error *err) LF_MUST_USE;

#endif
