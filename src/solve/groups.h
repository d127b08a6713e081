/* Crossing groups: slices that cross one another, directly or through others.
 *
 * Whatever is done about a group's crossings, nothing outside it is touched: a boundary moves only
 * inwards and only to where another of the group has one, and a slice outside that such a place
 * were inside of would cross one of the group. So each group is solved for itself. */
#ifndef LF_SOLVE_GROUPS_H
#define LF_SOLVE_GROUPS_H

#include "solve/internal.h"

/* Finds the groups (of two or more) among the complete slices and closed pairs, where at[] says
 * they stand; candidates: only these n, in Perfetto's order, NULL: all slices. Fills members[] and
 * groups[], members in Perfetto's order. O(n log n), O(n) where nothing crosses. Uses order[],
 * link[] and lane[]. */
enum lanefix_status lf_groups_find(struct lf_solve_scratch *w, const uint32_t *candidates, size_t n,
                                   struct lanefix_error *err) LF_MUST_USE;

#endif
