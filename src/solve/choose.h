/* A small crossing group solved exactly: who moves, to which lanes, and how the rest is snapped.
 *
 * Each slice moves to a lane or stays; those that stay may be snapped: each boundary inwards, by
 * less than the threshold, to where a slice has one that it is connected with by crossings of those
 * that stay. A crossing that no such shifts cure is real. Of all ways the best has the fewest
 * moves, then the fewest lanes, the least total shift, the fewest moves of work (not annotations),
 * the least time moved, and the later slices moved.
 *
 * The search is exhaustive with a budget. Groups of up to 8 slices do not reach it; where one does,
 * the best way found so far stands, and exact is false. */
#ifndef LF_SOLVE_CHOOSE_H
#define LF_SOLVE_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#define LF_CHOOSE_MAX 64 /* slices of a group; a set of them is a bit mask */

/* Slices are named by their place in the group, in Perfetto's order. */
struct lf_group {
    unsigned n;
    int64_t threshold;
    int64_t start[LF_CHOOSE_MAX], end[LF_CHOOSE_MAX]; /* visible ns */
    uint64_t fixed;                                   /* pairs: they neither move nor shift */
    uint64_t annotations;
    unsigned free_lanes; /* so many cost nothing, as other groups need them */

    /* filled by lf_choose */
    uint64_t crossing[LF_CHOOSE_MAX]; /* those that each crosses */
    uint64_t real[LF_CHOOSE_MAX];     /* and of those, the ones of which one must move */
    int64_t budget;
};

struct lf_choice {
    uint64_t moved;
    unsigned n_lanes;
    uint8_t lane[LF_CHOOSE_MAX];                      /* 1, 2, ... of those */
    int64_t start[LF_CHOOSE_MAX], end[LF_CHOOSE_MAX]; /* of the others */
    bool exact;
};

/* Fills *choice; false where the budget ended before any way was found. */
bool lf_choose(struct lf_group *g, struct lf_choice *choice);

/* shift.c: do slices i and k cross in the trace? *real: nothing cures it but a move. */
bool lf_crossing(const struct lf_group *g, unsigned i, unsigned k, bool *real);

/* shift.c: the least total shift (*total, ns) with which the slices of kept, no two of which really
 * cross, cross no more; start[] and end[] of those kept. False: it is not below limit, or there is
 * no way. */
bool lf_least_shift(struct lf_group *g, uint64_t kept, int64_t *start, int64_t *end, uint64_t limit,
                    uint64_t *total);

/* colour.c: lanes for the slices of moved, no lane with two that cross: the fewest (*n_lanes).
 * False: it takes limit or more. A slice shares a lane with what holds it where that costs no lane.
 */
bool lf_fewest_lanes(struct lf_group *g, uint64_t moved, uint8_t *lane, unsigned limit,
                     unsigned *n_lanes);

static inline unsigned lf_lowest(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

static inline uint64_t lf_bit(unsigned i)
{
    return UINT64_C(1) << i;
}

#endif
