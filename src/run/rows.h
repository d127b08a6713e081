/* Solves the rows of a run's layout, in parallel: the middle of the plan. */
#ifndef LF_RUN_ROWS_H
#define LF_RUN_ROWS_H

#include "run/run.h"

/* Takes the records out of run->tracks; sets n_lanes of the rows, adds edits (in order of rows) and the
 * rows' counts in the report. LANEFIX_ERR_MEMORY; LANEFIX_ERR_LIMIT where a track needs more lanes than
 * the options allow. */
enum lanefix_status lf_rows_solve(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

#endif
