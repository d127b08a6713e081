/* Least disturbance. Small tracks, all of them on a small grid and then random ones on a larger
 * one, against a search through everything: moves, lanes, shift and what decides between equals are
 * the least there is. Larger random ones, with pairs and flow endpoints too: never worse than first
 * come, first kept (that they are right in Perfetto's eyes is for prop_solve.c).
 *
 * In one file, as the search and what is held against it share the track they look at.
 *
 * LF_SEED chooses other random tracks, LF_ROUNDS how many; LF_FULL=1: a larger grid. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve.h"

#define SMALL_MAX 8
#define LARGE_MAX 400

/* Slice i of a small track has offset i + 1; in Perfetto's order. */
struct small {
    unsigned n;
    int64_t start[SMALL_MAX], end[SMALL_MAX];
    bool annotation[SMALL_MAX];
    int64_t threshold;
};

/* In order of importance; the smaller wins. */
struct cost {
    int64_t moved, lanes, shift, work, time, minus_places;
};

static uint64_t state;
static unsigned long passed, failed;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static int compare(const struct cost *a, const struct cost *b)
{
    const int64_t x[] = {a->moved, a->lanes, a->shift, a->work, a->time, a->minus_places};
    const int64_t y[] = {b->moved, b->lanes, b->shift, b->work, b->time, b->minus_places};

    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool times_cross(int64_t a, int64_t a_end, int64_t b, int64_t b_end)
{
    return (a < b && b < a_end && a_end < b_end) || (b < a && a < b_end && b_end < a_end);
}

static bool cross(const struct small *t, unsigned i, unsigned k)
{
    return times_cross(t->start[i], t->end[i], t->start[k], t->end[k]);
}

/* The slices of set that are connected to its lowest by crossings. */
static unsigned part_of(const struct small *t, unsigned set)
{
    unsigned part = set & -set;

    for (unsigned before = 0; before != part;) {
        before = part;
        for (unsigned i = 0; i < t->n; i++) {
            for (unsigned k = 0; k < t->n; k++) {
                if ((part >> i & 1) != 0 && (set >> k & 1) != 0 && cross(t, i, k)) {
                    part |= 1u << k;
                }
            }
        }
    }
    return part;
}

struct placing {
    const struct small *t;
    unsigned slices[SMALL_MAX], n;
    int64_t times[2 * SMALL_MAX]; /* each once */
    unsigned n_times;
    int64_t start[SMALL_MAX], end[SMALL_MAX];
    int64_t least; /* -1: none yet */
};

static void place(struct placing *p, unsigned k, int64_t shift)
{
    const struct small *t = p->t;
    unsigned x = k < p->n ? p->slices[k] : 0;

    if (p->least >= 0 && shift >= p->least) {
        return;
    }
    if (k == p->n) {
        p->least = shift;
        return;
    }
    for (unsigned i = 0; i < p->n_times; i++) {
        int64_t start = p->times[i];

        if (start < t->start[x] || (start > t->start[x] && start - t->start[x] >= t->threshold)) {
            continue;
        }
        for (unsigned j = 0; j < p->n_times; j++) {
            int64_t end = p->times[j];
            bool fits = end > start && end <= t->end[x] &&
                        (end == t->end[x] || t->end[x] - end < t->threshold);

            for (unsigned y = 0; y < k && fits; y++) {
                fits = !times_cross(start, end, p->start[y], p->end[y]);
            }
            if (fits) {
                p->start[k] = start;
                p->end[k] = end;
                place(p, k + 1, shift + (start - t->start[x]) + (t->end[x] - end));
            }
        }
    }
}

static void add_time(struct placing *p, int64_t time)
{
    for (unsigned i = 0; i < p->n_times; i++) {
        if (p->times[i] == time) {
            return;
        }
    }
    p->times[p->n_times++] = time;
}

/* The least total shift of those that stay; -1: it can't be. */
static int64_t least_shift(const struct small *t, unsigned kept)
{
    int64_t sum = 0;

    while (kept != 0) {
        struct placing p = {.t = t, .least = -1};
        unsigned part = part_of(t, kept);

        kept &= ~part;
        for (unsigned i = 0; i < t->n; i++) {
            if ((part >> i & 1) != 0) {
                add_time(&p, t->start[i]);
                add_time(&p, t->end[i]);
                p.slices[p.n++] = i;
            }
        }
        place(&p, 0, 0);
        if (p.least < 0) {
            return -1;
        }
        sum += p.least;
    }
    return sum;
}

/* Can the slices of moved, from i on, stand on n lanes? on: slices by lane. */
static bool lanes_do(const struct small *t, unsigned moved, unsigned i, unsigned *on, unsigned n)
{
    if (i == t->n) {
        return true;
    }
    if ((moved >> i & 1) == 0) {
        return lanes_do(t, moved, i + 1, on, n);
    }
    for (unsigned lane = 0; lane < n; lane++) {
        bool fits = true;

        for (unsigned k = 0; k < i; k++) {
            fits = fits && !((on[lane] >> k & 1) != 0 && cross(t, k, i));
        }
        if (fits) {
            on[lane] |= 1u << i;
            if (lanes_do(t, moved, i + 1, on, n)) {
                return true;
            }
            on[lane] &= ~(1u << i);
        }
    }
    return false;
}

/* Adds slice i, of group, which moves. */
static void add_move(const struct small *t, unsigned group, unsigned i, struct cost *c)
{
    c->moved++;
    c->work += !t->annotation[i];
    c->time += t->end[i] - t->start[i];
    c->minus_places -= __builtin_popcount(group & ((1u << i) - 1));
}

static struct cost cost_of_moved(const struct small *t, unsigned group, unsigned moved)
{
    struct cost c = {0, 0, 0, 0, 0, 0};
    unsigned on[SMALL_MAX] = {0};

    for (unsigned i = 0; i < t->n; i++) {
        if ((moved >> i & 1) != 0) {
            add_move(t, group, i, &c);
        }
    }
    while (!lanes_do(t, moved, 0, on, (unsigned)c.lanes)) {
        c.lanes++;
        memset(on, 0, sizeof on);
    }
    return c;
}

/* The best way for the slices of group; so many lanes cost nothing, as others need them. */
static struct cost best_of(const struct small *t, unsigned group, int64_t free_lanes)
{
    struct cost best = {INT64_MAX, INT64_MAX, 0, 0, 0, 0};

    for (int n = 0;; n++) {
        for (unsigned moved = group;; moved = (moved - 1) & group) { /* each subset of group */
            if (__builtin_popcount(moved) == n) {
                struct cost c = cost_of_moved(t, group, moved);

                c.lanes = c.lanes > free_lanes ? c.lanes : free_lanes;
                c.shift = c.lanes <= best.lanes ? least_shift(t, group & ~moved) : -1;
                if (c.shift >= 0 && compare(&c, &best) < 0) {
                    best = c;
                }
            }
            if (moved == 0) {
                break;
            }
        }
        if (best.moved == n) {
            return best;
        }
    }
}

static struct lf_solve_scratch *scratch;
static struct lf_solution solution;

static void solve(struct lf_slice *slices, size_t n, struct lf_flow *flows, size_t n_flows,
                  int64_t threshold, bool first_come)
{
    struct lf_solve_options options = {.threshold_ns = threshold, .first_come = first_come};
    struct lanefix_error err;

    if (lf_solve_track(slices, n, flows, n_flows, &options, scratch, &solution, &err) !=
        LANEFIX_OK) {
        abort();
    }
}

static void print_small(const struct small *t)
{
    printf("threshold %d:", (int)t->threshold);
    for (unsigned i = 0; i < t->n; i++) {
        printf(" [%d,%d)%s", (int)t->start[i], (int)t->end[i], t->annotation[i] ? "a" : "");
    }
    printf("\n");
}

static void print_cost(const char *what, const struct cost *c)
{
    printf("  %s: moved %d lanes %d shift %d work %d time %d places %d\n", what, (int)c->moved,
           (int)c->lanes, (int)c->shift, (int)c->work, (int)c->time, -(int)c->minus_places);
}

/* Of the solution, the part that is about the group. lanes: of all. */
static struct cost cost_of_solution(const struct small *t, unsigned group)
{
    struct cost c = {0, solution.n_lanes, 0, 0, 0, 0};

    for (size_t k = 0; k < solution.n_slices; k++) {
        const struct lf_slice_change *change = &solution.slices[k];
        unsigned i = (unsigned)change->off - 1;

        if ((group >> i & 1) == 0) {
            continue;
        }
        if (change->lane != 0) {
            add_move(t, group, i, &c);
        } else {
            c.shift += (change->ts - change->old_ts) +
                       (change->old_ts + change->old_dur - change->ts - change->dur);
        }
    }
    return c;
}

static struct cost cost_of_whole(void)
{
    struct cost c = {.moved = (int64_t)solution.n_moved, .lanes = solution.n_lanes};

    c.shift = (int64_t)(solution.start_shift_ns + solution.end_shift_ns);
    return c;
}

static void check_small(const struct small *t)
{
    struct lf_slice slices[SMALL_MAX];
    int64_t lanes = 0;
    bool right = true;

    for (unsigned i = 0; i < t->n; i++) {
        slices[i] =
            (struct lf_slice){.ts = t->start[i], .off = i + 1, .annotation = t->annotation[i]};
        slices[i].u.dur = t->end[i] - t->start[i];
    }
    solve(slices, t->n, NULL, 0, t->threshold, false);
    for (unsigned left = (1u << t->n) - 1; left != 0;) {
        unsigned group = part_of(t, left);
        struct cost best = best_of(t, group, 0);

        left &= ~group;
        lanes = best.lanes > lanes ? best.lanes : lanes;
    }
    for (unsigned left = (1u << t->n) - 1; left != 0;) {
        unsigned group = part_of(t, left);
        struct cost best = best_of(t, group, lanes);
        struct cost got = cost_of_solution(t, group);

        left &= ~group;
        got.lanes = best.lanes; /* held against all groups' below */
        if (compare(&best, &got) != 0) {
            right = false;
            print_small(t);
            print_cost("best", &best);
            print_cost("got", &got);
        }
    }
    if (right && lanes != solution.n_lanes) {
        right = false;
        print_small(t);
        printf("  %d lanes, not %d\n", (int)solution.n_lanes, (int)lanes);
    }
    passed += right;
    failed += !right;
    if (failed > 10) {
        printf("%lu passed, %lu failed\n", passed, failed);
        exit(1);
    }
}

/* All tracks of n slices, with times from 0 to grid, that come in order behind slice i, which is
 * the next'th interval or a later one. */
static void all_small(struct small *t, unsigned i, unsigned n, int64_t grid, unsigned next)
{
    unsigned k = 0;

    if (i == n) {
        t->n = n;
        check_small(t);
        return;
    }
    for (int64_t start = 0; start < grid; start++) {
        for (int64_t end = grid; end > start; end--, k++) { /* Perfetto's order */
            if (k >= next) {
                t->start[i] = start;
                t->end[i] = end;
                t->annotation[i] = ((start * 5 + end * 3 + i) / 2) % 3 == 0;
                all_small(t, i + 1, n, grid, k);
            }
        }
    }
}

static int in_order(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;

    if (x[0] != y[0]) {
        return x[0] < y[0] ? -1 : 1;
    }
    return x[1] != y[1] ? (x[1] > y[1] ? -1 : 1) : 0;
}

static void random_small(unsigned grid)
{
    struct small t = {.n = 3 + below(SMALL_MAX - 2), .threshold = 1 + (int64_t)below(grid / 2)};
    int64_t times[SMALL_MAX][2];

    for (unsigned i = 0; i < t.n; i++) {
        times[i][0] = below(grid);
        times[i][1] = times[i][0] + 1 + below(grid);
    }
    qsort(times, t.n, sizeof times[0], in_order);
    for (unsigned i = 0; i < t.n; i++) {
        t.start[i] = times[i][0];
        t.end[i] = times[i][1];
        t.annotation[i] = below(3) == 0;
    }
    check_small(&t);
}

static struct lf_slice random_slice(uint32_t span, uint32_t dur, uint32_t fixed)
{
    struct lf_slice s = {.ts = below(span), .annotation = below(5) == 0};

    if (below(100) < fixed) {
        s.kind = below(2) == 0 ? LF_SLICE_BEGIN : LF_SLICE_END;
        s.u.name_hash = below(2);
    } else {
        s.u.dur = below(10) == 0 ? below(span) : 1 + below(dur);
    }
    return s;
}

/* Groups of any size, with pairs and flow endpoints in some rounds: of moves, lanes and shift, in
 * this order, never more than first come, first kept. */
static void random_large(void)
{
    static struct lf_slice slices[LARGE_MAX], again[LARGE_MAX];
    static struct lf_flow flows[LARGE_MAX], flows_again[LARGE_MAX];
    unsigned n = 4 + below(below(2) == 0 ? 40 : LARGE_MAX - 4);
    unsigned n_flows = below(3) == 0 ? below(n) : 0;
    uint32_t span = below(3) == 0 ? 10 + below(5 * n) : 1000 + below(30000);
    uint32_t dur = 1 + below(span < 4000 ? span : 4000);
    uint32_t fixed = below(3) == 0 ? below(30) : 0;
    int64_t threshold = below(3) == 0 ? 0 : 1 + (int64_t)below(1 + span / 4);
    struct cost got, first;

    for (unsigned i = 0; i < n; i++) {
        slices[i] = random_slice(span, dur, fixed);
        slices[i].off = 2 * i + 1;
        if (i < n_flows) { /* the half of them where a slice starts */
            flows[i] = (struct lf_flow){.ts = below(span), .off = 2 * i + 2};
            flows[i].ts = below(2) == 0 ? slices[below(i + 1)].ts : flows[i].ts;
            flows[i].kind = below(5) == 0 ? LF_FLOW_NEXT : LF_FLOW_HERE;
        }
    }
    memcpy(again, slices, n * sizeof slices[0]);
    memcpy(flows_again, flows, n_flows * sizeof flows[0]);
    solve(slices, n, flows, n_flows, threshold, false);
    got = cost_of_whole();
    solve(again, n, flows_again, n_flows, threshold, true);
    first = cost_of_whole();
    if (compare(&got, &first) > 0) {
        printf("%u slices, %u endpoints, %u%% pairs, threshold %d:\n", n, n_flows, (unsigned)fixed,
               (int)threshold);
        print_cost("got", &got);
        print_cost("first come", &first);
        failed++;
    } else {
        passed++;
    }
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

int main(void)
{
    static const int64_t thresholds[] = {0, 2, 3, 9};
    unsigned long rounds = setting("LF_ROUNDS", 20000);
    unsigned full = setting("LF_FULL", 0) != 0;
    struct lanefix_error err;
    struct small t;

    state = setting("LF_SEED", 1);
    if (lf_solve_scratch_create(&scratch, &err) != LANEFIX_OK) {
        abort();
    }
    for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
        t.threshold = thresholds[i];
        for (unsigned n = 2; n <= SMALL_MAX; n++) {
            all_small(&t, 0, n, n <= 4 + full ? 6 : n <= 5 + full ? 5 : 4, 0);
        }
    }
    for (unsigned long i = 0; i < rounds; i++) {
        random_small(8 + below(12));
    }
    for (unsigned long i = 0; i < rounds / 20; i++) {
        random_large();
    }
    lf_solution_fini(&solution);
    lf_solve_scratch_destroy(scratch);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
