/* The fewest lanes for a few slices that move: a circle graph's colouring, by branch and bound,
 * slice by slice in Perfetto's order. Times stay as they are, so two either cross or do not. */
#include "solve/choose.h"

#include <string.h>

struct colouring {
    struct lf_group *g;
    unsigned slices[LF_CHOOSE_MAX];
    unsigned n;
    uint64_t on[LF_CHOOSE_MAX + 1]; /* slices by lane; lanes count from 1 */
    uint8_t lane[LF_CHOOSE_MAX];    /* by slice */
    uint8_t *best;
    unsigned limit; /* a way needs fewer lanes to count */
    bool found;
};

/* The lane of the innermost slice that holds x, 0 where none does. */
static unsigned lane_around(const struct colouring *c, unsigned k)
{
    const struct lf_group *g = c->g;
    unsigned x = c->slices[k];

    while (k-- > 0) {
        unsigned y = c->slices[k];

        if (g->end[y] >= g->end[x] && g->start[y] <= g->start[x]) {
            return c->lane[y];
        }
    }
    return 0;
}

static void go_on(struct colouring *c, unsigned k, unsigned n_lanes);

static void try_lane(struct colouring *c, unsigned k, unsigned lane, unsigned n_lanes)
{
    unsigned x = c->slices[k];

    if ((c->on[lane] & c->g->crossing[x]) != 0) {
        return;
    }
    c->on[lane] |= lf_bit(x);
    c->lane[x] = (uint8_t)lane;
    go_on(c, k + 1, lane > n_lanes ? lane : n_lanes);
    c->on[lane] &= ~lf_bit(x);
}

/* slices[0..k) have lanes. */
static void go_on(struct colouring *c, unsigned k, unsigned n_lanes)
{
    unsigned first;

    if (n_lanes >= c->limit || c->g->budget < 0) {
        return;
    }
    if (k == c->n) {
        memcpy(c->best, c->lane, sizeof c->lane);
        c->limit = n_lanes;
        c->found = true;
        return;
    }
    c->g->budget -= 4 + (int64_t)k;
    first = lane_around(c, k);
    if (first != 0) {
        try_lane(c, k, first, n_lanes);
    }
    for (unsigned lane = 1; lane <= n_lanes + 1; lane++) {
        if (lane != first) {
            try_lane(c, k, lane, n_lanes);
        }
    }
}

bool lf_fewest_lanes(struct lf_group *g, uint64_t moved, uint8_t *lane, unsigned limit,
                     unsigned *n_lanes)
{
    struct colouring c = {.g = g, .best = lane, .limit = limit};

    for (; moved != 0; moved &= moved - 1) {
        c.slices[c.n++] = lf_lowest(moved);
    }
    go_on(&c, 0, 0);
    *n_lanes = c.limit;
    return c.found;
}
