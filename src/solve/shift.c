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

/* Do the two cross? Then *a is the one that comes first. Two pairs do not: how they stand can't be
 * changed. */
static bool cross(const struct lf_group *g, unsigned *a, unsigned *b, const int64_t *start,
                  const int64_t *end)
{
    if (is_fixed(g, *a) && is_fixed(g, *b)) {
        return false;
    }
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

/* The least of those that are not in done (a bit each): *best, *to. UINT64_MAX: there is none. */
static uint64_t least_way(const struct lf_group *g, const struct crossing *c, unsigned done,
                          const int64_t *start, const int64_t *end, unsigned *best, int64_t *to)
{
    uint64_t least = UINT64_MAX;

    for (unsigned k = 0; k < N_WAYS; k++) {
        int64_t there;
        uint64_t shift = (done >> k & 1) != 0 ? UINT64_MAX : way(g, c, k, start, end, &there);

        if (shift < least) {
            least = shift;
            *best = k;
            *to = there;
        }
    }
    return least;
}

/* The boundary that it shifts. */
static int64_t *shifted(const struct search *p, const struct crossing *c, unsigned k)
{
    unsigned x = k == START_OF_A || k == END_OF_A ? c->a : c->b;

    return k == START_OF_A || k == START_OF_B ? &p->start[x] : &p->end[x];
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
    unsigned best;
    int64_t to;

    if (!cross(g, &c.a, &c.b, g->start, g->end)) {
        return false;
    }
    *real = least_way(g, &c, 0, g->start, g->end, &best, &to) == UINT64_MAX &&
            !may_meet_somewhere(g, &c);
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
    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned k = i + 1; k < p->n; k++) {
            struct crossing c = {p->slices[i], p->slices[k], 0};
            uint64_t use_starts, use_ends, overlap;
            unsigned best;
            int64_t to;

            g->budget--;
            if (g->start[c.b] >= g->end[c.a]) { /* nor does any behind it */
                break;
            }
            if (!cross(g, &c.a, &c.b, p->start, p->end)) {
                continue;
            }
            c.cure = least_way(g, &c, 0, p->start, p->end, &best, &to);
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

/* Where slices stand now is the best way so far. */
static void keep(struct search *p, uint64_t shift)
{
    for (unsigned i = 0; i < p->n; i++) {
        p->best_start[i] = p->start[p->slices[i]];
        p->best_end[i] = p->end[p->slices[i]];
    }
    p->least = shift;
    p->found = true;
}

static void put_back(struct search *p)
{
    for (unsigned i = 0; i < p->n; i++) {
        p->start[p->slices[i]] = p->g->start[p->slices[i]];
        p->end[p->slices[i]] = p->g->end[p->slices[i]];
    }
}

/* A first way: every crossing cured as it comes by its least single shift. In a chain of slices
 * that each cross the next one there is no better. */
static void cure_in_turn(struct search *p)
{
    struct lf_group *g = p->g;
    struct crossing c;
    uint64_t shift = 0;
    uint64_t at_least;

    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned k = i + 1; k < p->n; k++) {
            unsigned best;
            int64_t to;
            uint64_t cure;

            c = (struct crossing){p->slices[i], p->slices[k], 0};
            g->budget--;
            if (g->start[c.b] >= g->end[c.a]) {
                break;
            }
            if (!cross(g, &c.a, &c.b, p->start, p->end)) {
                continue;
            }
            cure = least_way(g, &c, 0, p->start, p->end, &best, &to);
            if (cure == UINT64_MAX) {
                put_back(p);
                return;
            }
            *shifted(p, &c, best) = to;
            shift = sum(shift, cure);
        }
    }
    if (shift < p->least && !look(p, &c, &at_least)) {
        keep(p, shift);
    }
    put_back(p);
}

static void go_on(struct search *p, uint64_t shift);

/* With the boundary elsewhere. */
static void with(struct search *p, int64_t *boundary, int64_t to, uint64_t shift)
{
    int64_t from = *boundary;

    *boundary = to;
    go_on(p, shift);
    *boundary = from;
}

/* The single shifts, the least first, until there is a way that costs no more than at_least. */
static void shift_one(struct search *p, const struct crossing *c, uint64_t shift, uint64_t at_least)
{
    unsigned done = 0;

    while (at_least < p->least) {
        unsigned best;
        int64_t to;
        uint64_t least = least_way(p->g, c, done, p->start, p->end, &best, &to);

        if (least == UINT64_MAX) {
            return;
        }
        done |= 1u << best;
        with(p, shifted(p, c, best), to, sum(shift, least));
    }
}

static void meet_at(struct search *p, const struct crossing *c, int64_t t, uint64_t shift)
{
    int64_t end = p->end[c->a];
    int64_t to;

    if (may_meet(p->g, c, t, p->start, p->end, &to)) {
        p->end[c->a] = t;
        with(p, &p->start[c->b], to,
             sum(shift, (uint64_t)(end - t) + (uint64_t)(to - p->start[c->b])));
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
        keep(p, shift);
        return;
    }
    at_least = sum(shift, at_least);
    if (at_least >= p->least) {
        return;
    }
    shift_one(p, &c, shift, at_least);
    for (unsigned i = 0; i < p->n && at_least < p->least; i++) {
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
        }
        put_back(&p);
        if (p.n > 1) {
            cure_in_turn(&p);
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
