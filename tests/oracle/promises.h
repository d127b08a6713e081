/* The promises of the solver, held against one solved track. Slow and obvious. */
#ifndef TESTS_ORACLE_PROMISES_H
#define TESTS_ORACLE_PROMISES_H

#include "judge.h"
#include "solve/solve.h"

struct oracle_track {
    struct lf_slice *slices;
    size_t n_slices;
    struct lf_flow *flows;
    size_t n_flows;
};

/* What broke, or NULL. track: as it was before it was solved. */
const char *oracle_check(const struct oracle_track *track, const struct lf_solve_options *options,
                         const struct lf_solution *solution);

/* The track as the solution leaves it, one row (0 the track, k lane k); in file order. The arrays
 * have room for all records. */
void oracle_apply(const struct oracle_track *track, const struct lf_solution *solution,
                  unsigned row, struct oracle_track *out);

#endif
