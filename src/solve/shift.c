/* The least total shift of a few slices that only just cross: branch and bound over the ways to
 * cure one crossing after the other.
 *
 * Whatever cures the crossing of a and b, b the later one, does at least one of these: b ends where
 * a ends, a starts where b starts, or a ends no later, and b starts no earlier, than some place
 * from b's start to a's end. Each only narrows a or b, so no way is lost by going on from there. */
#include "solve/choose.h"
#include "trace/time.h"

struct search {
    struct lf_group *g;
    unsigned slices[LF_CHOOSE_MAX]; /* one connected part of the group */
    unsigned n;
    int64_t *start, *end; /* where they stand now */
    int64_t best_start[LF_CHOOSE_MAX], best_end[LF_CHOOSE_MAX];
    uint64_t least; /* total shift of the best way, or what a way must be below to count */
    bool found;
};

struct crossing {
    unsigned a, b;
    uint64_t cure; /* the least single shift that cures it; UINT64_MAX: none */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t s;

    return __builtin_add_overflow(a, b, &s) ? UINT64_MAX : s;
}

static bool is_fixed(const struct lf_group *g, unsigned i)
{
    return (g->fixed & lf_bit(i)) != 0;
}

/* The first time that a slice with b's start behind its own can start at: a pair's is the last of
 * those at its time. */
static int64_t start_within(const struct lf_group *g, unsigned b, int64_t start)
{
    return lf_time_writable(start + is_fixed(g, b), true);
}

static bool may_start(const struct lf_group *g, unsigned i, int64_t start, int64_t end)
{
    return !is_fixed(g, i) && start < end && start - g->start[i] < g->threshold;
}

static bool may_end(const struct lf_group *g, unsigned i, int64_t start, int64_t end)
{
    return !is_fixed(g, i) && start < end && g->end[i] - end < g->threshold;
}

/* Do the two cross? Then *a is the one that comes first. */
static bool cross(const struct lf_group *g, unsigned *a, unsigned *b, const int64_t *start,
                  const int64_t *end)
{
    if (start[*b] < start[*a] || (start[*b] == start[*a] && is_fixed(g, *a))) {
        unsigned first = *b;

        *b = *a;
        *a = first;
    }
    return (start[*a] < start[*b] || is_fixed(g, *b)) && end[*a] > start[*b] && end[*a] < end[*b];
}

/* The four shifts that cure a crossing. The order decides between equal ones. */
enum { END_OF_B, START_OF_B, END_OF_A, START_OF_A, N_WAYS };

/* Where the boundary goes, and how far; UINT64_MAX where it may not. */
static uint64_t way(const struct lf_group *g, const struct crossing *c, unsigned k,
                    const int64_t *start, const int64_t *end, int64_t *to)
{
    switch (k) {
    case END_OF_B:
        *to = end[c->a];
        return may_end(g, c->b, start[c->b], *to) ? (uint64_t)(end[c->b] - *to) : UINT64_MAX;
    case START_OF_B:
        *to = lf_time_writable(end[c->a], true);
        return may_start(g, c->b, *to, end[c->b]) ? (uint64_t)(*to - start[c->b]) : UINT64_MAX;
    case END_OF_A:
        *to = start[c->b];
        return may_end(g, c->a, start[c->a], *to) ? (uint64_t)(end[c->a] - *to) : UINT64_MAX;
    default:
        *to = start_within(g, c->b, start[c->b]);
        return may_start(g, c->a, *to, end[c->a]) ? (uint64_t)(*to - start[c->a]) : UINT64_MAX;
    }
}

static uint64_t least_way(const struct lf_group *g, const struct crossing *c, const int64_t *start,
                          const int64_t *end)
{
    uint64_t least = UINT64_MAX;
    int64_t to;

    for (unsigned k = 0; k < N_WAYS; k++) {
        uint64_t shift = way(g, c, k, start, end, &to);

        least = shift < least ? shift : least;
    }
    return least;
}

/* Can a end and b start at t, between them? *to: where b starts then. */
static bool may_meet(const struct lf_group *g, const struct crossing *c, int64_t t,
                     const int64_t *start, const int64_t *end, int64_t *to)
{
    *to = lf_time_writable(t, true);
    return t > start[c->b] && t < end[c->a] && may_end(g, c->a, start[c->a], t) &&
           may_start(g, c->b, *to, end[c->b]);
}

static bool may_meet_somewhere(const struct lf_group *g, const struct crossing *c)
{
    int64_t to;

    if ((g->end[c->a] - g->start[c->b]) / 2 >= g->threshold) { /* too far apart for both */
        return false;
    }
    for (unsigned i = 0; i < g->n; i++) {
        if (may_meet(g, c, g->start[i], g->start, g->end, &to) ||
            may_meet(g, c, g->end[i], g->start, g->end, &to)) {
            return true;
        }
    }
    return false;
}

bool lf_crossing(const struct lf_group *g, unsigned i, unsigned k, bool *real)
{
    struct crossing c = {i, k, 0};

    if (!cross(g, &c.a, &c.b, g->start, g->end)) {
        return false;
    }
    *real = least_way(g, &c, g->start, g->end) == UINT64_MAX && !may_meet_somewhere(g, &c);
    return true;
}

/* The crossing that is hardest to cure; false: there is none. *at_least: what curing all costs at
 * least, the sum over some whose cures have no boundary in common. */
static bool look(const struct search *p, struct crossing *worst, uint64_t *at_least)
{
    struct lf_group *g = p->g;
    uint64_t starts = 0; /* boundaries that are counted */
    uint64_t ends = 0;
    bool found = false;

    *at_least = 0;
    g->budget -= (int64_t)p->n * p->n;
    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned k = i + 1; k < p->n; k++) {
            struct crossing c = {p->slices[i], p->slices[k], 0};
            uint64_t use_starts, use_ends, overlap;
            int64_t to;

            if (!cross(g, &c.a, &c.b, p->start, p->end)) {
                continue;
            }
            c.cure = least_way(g, &c, p->start, p->end);
            /* two that meet between them shift as far as they overlap */
            overlap = (uint64_t)(p->end[c.a] - p->start[c.b]);
            use_starts = lf_bit(c.b);
            use_ends = lf_bit(c.a);
            if (way(g, &c, START_OF_A, p->start, p->end, &to) != UINT64_MAX) {
                use_starts |= lf_bit(c.a);
            }
            if (way(g, &c, END_OF_B, p->start, p->end, &to) != UINT64_MAX) {
                use_ends |= lf_bit(c.b);
            }
            if ((starts & use_starts) == 0 && (ends & use_ends) == 0) {
                starts |= use_starts;
                ends |= use_ends;
                *at_least = sum(*at_least, c.cure < overlap ? c.cure : overlap);
            }
            if (!found || c.cure > worst->cure) {
                *worst = c;
                found = true;
            }
        }
    }
    return found;
}

static void go_on(struct search *p, uint64_t shift);

static void with_start(struct search *p, unsigned i, int64_t to, uint64_t shift)
{
    int64_t from = p->start[i];

    p->start[i] = to;
    go_on(p, shift);
    p->start[i] = from;
}

static void with_end(struct search *p, unsigned i, int64_t to, uint64_t shift)
{
    int64_t from = p->end[i];

    p->end[i] = to;
    go_on(p, shift);
    p->end[i] = from;
}

/* The single shifts, the least first. */
static void shift_one(struct search *p, const struct crossing *c, uint64_t shift)
{
    unsigned done = 0;

    for (unsigned round = 0; round < N_WAYS; round++) {
        uint64_t least = UINT64_MAX;
        unsigned best = 0;
        int64_t best_to = 0;

        for (unsigned k = 0; k < N_WAYS; k++) {
            int64_t to;
            uint64_t by =
                (done >> k & 1) != 0 ? UINT64_MAX : way(p->g, c, k, p->start, p->end, &to);

            if (by < least) {
                least = by;
                best = k;
                best_to = to;
            }
        }
        if (least == UINT64_MAX) {
            return;
        }
        done |= 1u << best;
        if (best == START_OF_A || best == START_OF_B) {
            with_start(p, best == START_OF_A ? c->a : c->b, best_to, sum(shift, least));
        } else {
            with_end(p, best == END_OF_A ? c->a : c->b, best_to, sum(shift, least));
        }
    }
}

static void meet_at(struct search *p, const struct crossing *c, int64_t t, uint64_t shift)
{
    int64_t end = p->end[c->a];
    int64_t to;

    if (may_meet(p->g, c, t, p->start, p->end, &to)) {
        p->end[c->a] = t;
        with_start(p, c->b, to, sum(shift, (uint64_t)(end - t) + (uint64_t)(to - p->start[c->b])));
        p->end[c->a] = end;
    }
}

/* Goes on from where the slices stand now, shifted by shift already. */
static void go_on(struct search *p, uint64_t shift)
{
    struct lf_group *g = p->g;
    struct crossing c = {0, 0, 0};
    uint64_t at_least;

    if (g->budget < 0 || shift >= p->least) {
        return;
    }
    if (!look(p, &c, &at_least)) {
        for (unsigned i = 0; i < p->n; i++) {
            p->best_start[i] = p->start[p->slices[i]];
            p->best_end[i] = p->end[p->slices[i]];
        }
        p->least = shift;
        p->found = true;
        return;
    }
    if (sum(shift, at_least) >= p->least) {
        return;
    }
    shift_one(p, &c, shift);
    for (unsigned i = 0; i < p->n; i++) {
        meet_at(p, &c, g->start[p->slices[i]], shift);
        meet_at(p, &c, g->end[p->slices[i]], shift);
    }
}

/* The slices of set that are connected to its lowest one by crossings. */
static uint64_t connected(const struct lf_group *g, uint64_t set)
{
    uint64_t part = 0;
    uint64_t next = lf_bit(lf_lowest(set));

    while (next != 0) {
        unsigned i = lf_lowest(next);

        part |= lf_bit(i);
        next = (next & ~lf_bit(i)) | (g->crossing[i] & set & ~part);
    }
    return part;
}

bool lf_least_shift(struct lf_group *g, uint64_t kept, int64_t *start, int64_t *end, uint64_t limit,
                    uint64_t *total)
{
    *total = 0;
    for (uint64_t left = kept; left != 0;) {
        struct search p = {.g = g, .start = start, .end = end, .least = limit - *total};
        uint64_t part = connected(g, left);

        left &= ~part;
        for (; part != 0; part &= part - 1) {
            unsigned i = lf_lowest(part);

            p.slices[p.n++] = i;
            start[i] = g->start[i];
            end[i] = g->end[i];
        }
        if (p.n > 1) {
            go_on(&p, 0);
            if (!p.found) {
                return false;
            }
            for (unsigned i = 0; i < p.n; i++) {
                start[p.slices[i]] = p.best_start[i];
                end[p.slices[i]] = p.best_end[i];
            }
            *total = sum(*total, p.least);
        }
        if (*total >= limit) {
            return false;
        }
    }
    return true;
}
