/* Who moves in a group that is too large to be solved exactly. */
#ifndef LF_SOLVE_CROWD_H
#define LF_SOLVE_CROWD_H

#include "solve/internal.h"

/* Marks members that move (lane[] LF_MOVED) until no two of the others cross by the threshold or
 * more; pairs never move. The slice with the fewest such crossings stays first, so one that crosses
 * many moves. O(n log n). *n_moved: how many. lane[] of the members must be 0. */
enum lanefix_status lf_crowd_thin(struct lf_solve_scratch *w, const uint32_t *members, size_t n,
                                  size_t *n_moved, struct lanefix_error *err) LF_MUST_USE;

#endif
