/* Who moves: all sets of slices, fewer first, whose absence leaves no two that really cross (vertex
 * covers of the real crossings), until one is found of which the rest can be snapped; of those of
 * its size the best. */
#include "solve/choose.h"

#include <string.h>

/* Steps of the search, of about 8 ns each. Groups of up to BUDGET_SMALL slices get BUDGET, of which
 * those of tests/prop/least.c take up to 47,000; larger ones so much a slice, four times what any
 * group of the real traces that we have takes. */
#define BUDGET           100000
#define BUDGET_SMALL     8
#define BUDGET_PER_SLICE 300

struct cost {
    unsigned n_lanes;
    uint64_t shift;
    unsigned work;   /* slices moved that are no annotations */
    uint64_t time;   /* of those moved */
    unsigned places; /* of those moved, added up */
};

struct search {
    struct lf_group *g;
    struct lf_choice *choice;
    uint64_t in_crossing; /* slices that cross anything */
    struct cost least;
    bool found;
};

static void find_crossings(struct lf_group *g)
{
    for (unsigned i = 0; i < g->n; i++) {
        g->crossing[i] = 0;
        g->real[i] = 0;
    }
    for (unsigned i = 0; i < g->n; i++) {
        for (unsigned k = i + 1; k < g->n; k++) {
            bool real;

            if (g->start[k] >= g->end[i]) { /* nor does any behind it */
                break;
            }
            if (lf_crossing(g, i, k, &real)) {
                g->crossing[i] |= lf_bit(k);
                g->crossing[k] |= lf_bit(i);
                g->real[i] |= real ? lf_bit(k) : 0;
                g->real[k] |= real ? lf_bit(i) : 0;
            }
        }
    }
}

static struct cost cost_of(const struct lf_group *g, uint64_t moved)
{
    struct cost c = {0, 0, 0, 0, 0};

    for (; moved != 0; moved &= moved - 1) {
        unsigned i = lf_lowest(moved);
        uint64_t dur = (uint64_t)g->end[i] - (uint64_t)g->start[i];

        c.work += (g->annotations & lf_bit(i)) == 0;
        c.time = __builtin_add_overflow(c.time, dur, &c.time) ? UINT64_MAX : c.time;
        c.places += i;
    }
    return c;
}

/* Is a better than b, of the same number of lanes and the same shift? */
static bool wins_tie(const struct cost *a, const struct cost *b)
{
    if (a->work != b->work) {
        return a->work < b->work;
    }
    return a->time != b->time ? a->time < b->time : a->places > b->places;
}

static void judge(struct search *s, uint64_t moved)
{
    struct lf_group *g = s->g;
    struct lf_choice way = {.moved = moved};
    struct cost cost = cost_of(g, moved);
    uint64_t all = g->n == LF_CHOOSE_MAX ? UINT64_MAX : lf_bit(g->n) - 1;
    unsigned most_lanes = s->found ? s->least.n_lanes : g->n;
    uint64_t most_shift = UINT64_MAX;

    g->budget -= g->n;
    if (moved != 0 && !lf_fewest_lanes(g, moved, way.lane, most_lanes + 1, &cost.n_lanes)) {
        return;
    }
    way.n_lanes = cost.n_lanes;
    cost.n_lanes = cost.n_lanes > g->free_lanes ? cost.n_lanes : g->free_lanes;
    if (s->found && cost.n_lanes == most_lanes) {
        most_shift = s->least.shift + wins_tie(&cost, &s->least);
    }
    if (!lf_least_shift(g, all & ~moved, way.start, way.end, most_shift, &cost.shift)) {
        return;
    }
    *s->choice = way;
    s->least = cost;
    s->found = true;
}

/* Real crossings among set that have no slice in common: each needs a move. */
static unsigned least_moves(const struct lf_group *g, uint64_t set)
{
    unsigned n = 0;

    while (set != 0) {
        unsigned i = lf_lowest(set);
        uint64_t others = g->real[i] & set;

        set &= ~lf_bit(i);
        if (others != 0) {
            set &= ~lf_bit(lf_lowest(others));
            n++;
        }
    }
    return n;
}

/* No two of the others really cross; n more move, of open, one after the other. */
static void move_more(struct search *s, uint64_t open, uint64_t moved, unsigned n)
{
    if (s->g->budget < 0) {
        return;
    }
    if (n == 0) {
        judge(s, moved);
        return;
    }
    for (open &= s->in_crossing & ~s->g->fixed; open != 0;) {
        uint64_t last = lf_bit(63 - (unsigned)__builtin_clzll(open));

        open &= ~last;
        move_more(s, open, moved | last, n - 1);
    }
}

/* Each set of n more slices, of open, once. Those that are in neither set stay, and none of open
 * really crosses them. */
static void cover(struct search *s, uint64_t open, uint64_t moved, unsigned n)
{
    const struct lf_group *g = s->g;
    unsigned most = 0;
    unsigned x = 0;
    uint64_t others;

    s->g->budget -= g->n;
    if (s->g->budget < 0 || least_moves(g, open) > n) {
        return;
    }
    for (uint64_t left = open; left != 0; left &= left - 1) {
        unsigned i = lf_lowest(left);
        unsigned degree = (unsigned)__builtin_popcountll(g->real[i] & open);

        if (degree > most) {
            most = degree;
            x = i;
        }
    }
    if (most == 0) {
        move_more(s, open, moved, n);
        return;
    }
    if (n > 0 && (g->fixed & lf_bit(x)) == 0) {
        cover(s, open & ~lf_bit(x), moved | lf_bit(x), n - 1);
    }
    others = g->real[x] & open;
    if (most <= n && (others & g->fixed) == 0) {
        cover(s, open & ~lf_bit(x) & ~others, moved | others, n - most);
    }
}

bool lf_choose(struct lf_group *g, struct lf_choice *choice)
{
    struct search s = {.g = g, .choice = choice};
    uint64_t all = g->n == LF_CHOOSE_MAX ? UINT64_MAX : lf_bit(g->n) - 1;

    g->budget = g->n <= BUDGET_SMALL ? BUDGET : (int64_t)g->n * BUDGET_PER_SLICE;
    find_crossings(g);
    for (unsigned i = 0; i < g->n; i++) {
        s.in_crossing |= g->crossing[i] != 0 ? lf_bit(i) : 0;
    }
    for (unsigned n = least_moves(g, all); n < g->n && !s.found && g->budget >= 0; n++) {
        cover(&s, all, 0, n);
    }
    choice->exact = g->budget >= 0;
    return s.found;
}
