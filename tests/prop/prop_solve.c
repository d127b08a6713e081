/* Random tracks, solved and held against the oracle, and what is solved in windows against the
 * track solved whole. LF_SEED chooses other tracks, LF_ROUNDS how many of each kind. A failing
 * track is made smaller and printed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/promises.h"
#include "trace/time.h"

#define SLICES_MAX 1400
#define FLOWS_MAX  200
#define OFF_MASK   ((UINT64_C(1) << LF_OFF_BITS) - 1)

/* Where times are. FAR: many slices last so long that their ends are written in whole us. */
enum scale { NEAR, EPOCH, FAR };

#define FAR_NS INT64_C(4611686018427388000)

/* A kind of random track. */
struct kind {
    const char *name;
    unsigned rounds;          /* of a thousand */
    unsigned slices, flows;   /* at most */
    unsigned span;            /* starts are below this, in units */
    unsigned dur;             /* so are durations */
    unsigned fixed;           /* percent of "B", "E" and instants */
    unsigned empty, negative; /* percent */
    unsigned members;
    enum scale scale; /* EPOCH: times at 1.7e15 us, read from text */
    bool nested;      /* mostly nested, over 512 deep */
    int64_t threshold;
};

static const struct kind kinds[] = {
    {"grid", 1000, 8, 0, 13, 9, 0, 10, 0, 1, NEAR, false, 100},
    {"grid, no snaps", 500, 9, 0, 13, 9, 0, 10, 0, 1, NEAR, false, 0},
    {"grid, threshold 3", 1000, 9, 0, 13, 9, 0, 10, 3, 1, NEAR, false, 3},
    {"grid, flows", 1000, 6, 6, 13, 9, 0, 10, 0, 1, NEAR, false, 100},
    {"grid, flows, threshold 3", 1000, 7, 6, 13, 9, 0, 10, 3, 1, NEAR, false, 3},
    {"grid, flows, no snaps", 1000, 7, 6, 13, 9, 0, 10, 3, 1, NEAR, false, 0},
    {"grid, flows, members", 1000, 7, 6, 13, 9, 0, 10, 3, 3, NEAR, false, 4},
    {"grid, pairs", 1000, 9, 0, 13, 9, 40, 10, 3, 1, NEAR, false, 100},
    {"grid, pairs, threshold 2", 1000, 9, 0, 13, 9, 40, 10, 3, 1, NEAR, false, 2},
    {"grid, pairs, flows", 1000, 8, 6, 13, 9, 35, 10, 3, 2, NEAR, false, 4},
    {"sparse", 300, 60, 12, 3000, 400, 0, 5, 0, 1, NEAR, false, 100},
    {"sparse, flows", 600, 60, 40, 3000, 300, 0, 5, 0, 1, NEAR, false, 100},
    {"sparse, flows, no snaps", 300, 60, 40, 3000, 300, 0, 5, 0, 1, NEAR, false, 0},
    {"sparse, deep", 20, 900, 60, 90000, 300, 0, 5, 0, 1, NEAR, true, 100},
    {"sparse, pairs", 300, 60, 12, 3000, 400, 20, 5, 2, 2, NEAR, false, 100},
    {"crowded", 60, 300, 60, 3000, 2000, 5, 5, 1, 2, NEAR, false, 100},
    {"wide threshold", 200, 40, 10, 20000, 9000, 10, 5, 1, 1, NEAR, false, 5000},
    {"epoch", 300, 20, 0, 20, 12, 0, 5, 0, 1, EPOCH, false, 5000},
    {"epoch, flows, pairs", 300, 12, 8, 14, 8, 20, 5, 2, 2, EPOCH, false, 5000},
    {"epoch, small threshold", 300, 12, 8, 14, 8, 20, 5, 2, 1, EPOCH, false, 300},
    {"deep", 6, 1300, 60, 1400, 100, 1, 3, 0, 1, NEAR, true, 100},
    {"deep, no snaps", 4, 1300, 60, 1400, 100, 1, 3, 0, 1, NEAR, true, 0},
    {"far", 300, 12, 0, 20, 12, 0, 5, 0, 1, FAR, false, 5000},
    {"far, pairs", 1000, 8, 0, 20, 12, 40, 5, 0, 1, FAR, false, 5000},
    {"far, flows, pairs", 600, 10, 6, 20, 12, 30, 5, 2, 2, FAR, false, 3000},
};

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n == 0 ? 0 : (uint32_t)((state >> 33) % n);
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

/* The visible time of unit u. */
static int64_t time_of(const struct kind *k, uint32_t u)
{
    char text[64];
    int64_t ns = 0;

    if (k->scale != EPOCH) {
        return k->scale == FAR && u % 2 != 0 ? FAR_NS + (int64_t)(u / 2 * 1000) : (int64_t)u;
    }
    (void)snprintf(text, sizeof text, "1712345678%06u.%03u", 123000u + u / 8, u % 8 * 125);
    if (!lf_time_read(text, strlen(text), &ns)) {
        abort();
    }
    return ns;
}

static struct lf_slice random_slice(const struct kind *k, unsigned i)
{
    struct lf_slice s = {.kind = LF_SLICE_COMPLETE, .member = below(k->members) & 0x3fff};

    s.ts = time_of(k, below(k->span));
    if (chance(k->fixed)) {
        uint32_t roll = below(5);

        s.kind = roll < 2 ? LF_SLICE_BEGIN : roll < 4 ? LF_SLICE_END : LF_SLICE_INSTANT;
        s.u.name_hash = below(3);
        return s;
    }
    s.u.dur = (int64_t)below(k->dur + 1) * (k->scale == EPOCH ? 1 + below(130) : 1);
    if (k->scale == FAR && s.ts < FAR_NS && chance(50)) {
        s.u.dur = FAR_NS + (int64_t)below(k->dur) * 1000;
    }
    if (k->nested && !chance(4)) {
        int64_t from = (int64_t)(i / 2 + below(2));

        s.ts = from;
        s.u.dur = 4000 - 2 * from - (int64_t)below(2);
    }
    s.u.dur = chance(k->empty) ? 0 : s.u.dur;
    s.u.dur = chance(k->negative) ? -1 - (int64_t)below(5) : s.u.dur;
    return s;
}

/* Offsets are file order; slices and endpoints are mixed, slices partly sorted by time. */
static void random_track(const struct kind *k, struct oracle_track *t)
{
    uint64_t off = 0;
    unsigned n_slices = k->nested ? k->slices - below(500) : below(k->slices + 1);
    unsigned n_flows = below(k->flows + 1);

    t->n_slices = 0;
    t->n_flows = 0;
    while (t->n_slices < n_slices || t->n_flows < n_flows) {
        off += 1 + below(3);
        if (t->n_flows < n_flows && below(n_slices + n_flows) < n_flows) {
            int64_t t_ns = time_of(k, below(k->span + 2));

            if (t->n_slices > 0 && chance(60)) { /* where slices start */
                t_ns = t->slices[below((uint32_t)t->n_slices)].ts;
            }
            t->flows[t->n_flows++] =
                (struct lf_flow){.ts = t_ns,
                                 .off = off & OFF_MASK,
                                 .kind = chance(20) ? LF_FLOW_NEXT : LF_FLOW_HERE,
                                 .member = below(k->members) & 0x3fff};
        } else if (t->n_slices < n_slices) {
            t->slices[t->n_slices] = random_slice(k, (unsigned)t->n_slices);
            t->slices[t->n_slices++].off = off & OFF_MASK;
        }
    }
}

static void new_track(struct oracle_track *t)
{
    t->slices = malloc(SLICES_MAX * sizeof *t->slices);
    t->flows = malloc(FLOWS_MAX * sizeof *t->flows);
    if (t->slices == NULL || t->flows == NULL) {
        abort();
    }
    t->n_slices = 0;
    t->n_flows = 0;
}

static void copy_track(struct oracle_track *to, const struct oracle_track *from)
{
    memcpy(to->slices, from->slices, from->n_slices * sizeof *to->slices);
    memcpy(to->flows, from->flows, from->n_flows * sizeof *to->flows);
    to->n_slices = from->n_slices;
    to->n_flows = from->n_flows;
}

struct bench {
    struct oracle_track track, work, again;
    struct lf_solve_scratch *scratch;
    struct lf_solution solution, second;
};

static void solve(struct bench *b, const struct oracle_track *t,
                  const struct lf_solve_options *options, struct lf_solution *out)
{
    struct lanefix_error err;

    lf_error_init(&err);
    copy_track(&b->work, t);
    if (lf_solve_track(b->work.slices, b->work.n_slices, b->work.flows, b->work.n_flows, options,
                       b->scratch, out, &err) != LANEFIX_OK) {
        printf("%s\n", err.message);
        abort();
    }
}

static bool same(const struct lf_solution *a, const struct lf_solution *b)
{
    bool same = a->n_slices == b->n_slices && a->n_flows == b->n_flows &&
                a->n_lanes == b->n_lanes && a->n_refused == b->n_refused &&
                a->n_crossings == b->n_crossings && a->n_moved == b->n_moved &&
                a->n_snapped == b->n_snapped && a->start_shift_ns == b->start_shift_ns &&
                a->end_shift_ns == b->end_shift_ns;

    for (size_t i = 0; same && i < a->n_slices; i++) {
        const struct lf_slice_change *x = &a->slices[i];
        const struct lf_slice_change *y = &b->slices[i];

        same = x->off == y->off && x->ts == y->ts && x->dur == y->dur && x->lane == y->lane &&
               x->crossing == y->crossing;
    }
    for (size_t i = 0; same && i < a->n_flows; i++) {
        const struct lf_flow_change *x = &a->flows[i];
        const struct lf_flow_change *y = &b->flows[i];

        same = x->off == y->off && x->ts == y->ts && x->lane == y->lane;
    }
    return same;
}

/* What is wrong with the solution of t, or NULL. */
static const char *try_track(struct bench *b, const struct oracle_track *t,
                             const struct lf_solve_options *options)
{
    struct lf_solve_options whole = *options;
    const char *broken;

    solve(b, t, options, &b->solution);
    broken = oracle_check(t, options, &b->solution);
    if (broken == NULL) {
        whole.whole = true;
        solve(b, t, &whole, &b->second);
        broken = same(&b->solution, &b->second) ? NULL : "solved whole it is another";
    }
    for (unsigned row = 0; row <= b->solution.n_lanes && broken == NULL; row++) {
        oracle_apply(t, &b->solution, row, &b->again);
        solve(b, &b->again, options, &b->second);
        if (b->second.n_slices + b->second.n_flows + b->second.n_refused > 0) {
            broken = "solving the result changes it";
        }
    }
    return broken;
}

static void remove_at(void *array, size_t *n, size_t i, size_t size)
{
    char *p = array;

    memmove(p + i * size, p + (i + 1) * size, (*n - i - 1) * size);
    (*n)--;
}

/* Leaves out records as long as the same thing breaks. */
static void shrink(struct bench *b, struct oracle_track *t, const struct lf_solve_options *options,
                   const char *broken)
{
    struct oracle_track trial;
    bool smaller = true;

    new_track(&trial);
    while (smaller) {
        smaller = false;
        for (size_t i = t->n_slices + t->n_flows; i-- > 0;) {
            const char *now;

            copy_track(&trial, t);
            if (i < t->n_slices) {
                remove_at(trial.slices, &trial.n_slices, i, sizeof *trial.slices);
            } else if (i - t->n_slices < t->n_flows) {
                remove_at(trial.flows, &trial.n_flows, i - t->n_slices, sizeof *trial.flows);
            } else {
                continue;
            }
            now = try_track(b, &trial, options);
            if (now != NULL && strcmp(now, broken) == 0) {
                copy_track(t, &trial);
                smaller = true;
            }
        }
    }
    free(trial.slices);
    free(trial.flows);
}

static void dump(struct bench *b, const struct oracle_track *t,
                 const struct lf_solve_options *options)
{
    static const char letters[] = "XBEi";

    (void)try_track(b, t, options);
    solve(b, t, options, &b->solution);
    for (size_t i = 0; i < t->n_slices; i++) {
        const struct lf_slice *s = &t->slices[i];

        printf("  %c off %u member %u ts %" PRId64, letters[s->kind], (unsigned)s->off,
               (unsigned)s->member, s->ts);
        if (s->kind == LF_SLICE_COMPLETE) {
            printf(" dur %" PRId64 " end %" PRId64 "\n", s->u.dur, s->ts + s->u.dur);
        } else {
            printf(" name %u\n", (unsigned)s->u.name_hash);
        }
    }
    for (size_t i = 0; i < t->n_flows; i++) {
        const struct lf_flow *f = &t->flows[i];

        printf("  %s off %u member %u ts %" PRId64 "\n", f->kind == LF_FLOW_HERE ? "here" : "next",
               (unsigned)f->off, (unsigned)f->member, f->ts);
    }
    for (size_t i = 0; i < b->solution.n_slices; i++) {
        const struct lf_slice_change *c = &b->solution.slices[i];

        printf("  -> X off %u ts %" PRId64 " dur %" PRId64 " end %" PRId64 " lane %u\n",
               (unsigned)c->off, c->ts, c->dur, c->ts + c->dur, c->lane);
    }
    for (size_t i = 0; i < b->solution.n_flows; i++) {
        const struct lf_flow_change *c = &b->solution.flows[i];

        printf("  -> flow off %u ts %" PRId64 " lane %u\n", (unsigned)c->off, c->ts, c->lane);
    }
}

static unsigned run_kind(struct bench *b, const struct kind *k, uint64_t seed, unsigned long rounds)
{
    struct lf_solve_options options = {.threshold_ns = k->threshold, .max_lanes = 0};
    unsigned failed = 0;
    unsigned long n = rounds * k->rounds / 1000;

    for (unsigned long i = 0; i < n; i++) {
        const char *broken;

        state = seed * 0xd1342543de82ef95u + i * 0x9e3779b97f4a7c15u + (uint64_t)(k - kinds);
        (void)below(1);
        random_track(k, &b->track);
        broken = try_track(b, &b->track, &options);
        if (broken != NULL && failed++ == 0) {
            printf("seed %" PRIu64 ", %s, round %lu: %s (threshold %" PRId64 ")\n", seed, k->name,
                   i, broken, k->threshold);
            shrink(b, &b->track, &options, broken);
            dump(b, &b->track, &options);
        }
    }
    if (failed > 0) {
        printf("%s: %u of %lu tracks\n", k->name, failed, n);
    }
    return failed;
}

int main(void)
{
    const char *seed_text = getenv("LF_SEED");
    const char *rounds_text = getenv("LF_ROUNDS");
    uint64_t seed = seed_text != NULL ? strtoull(seed_text, NULL, 10) : 1;
    unsigned long rounds = rounds_text != NULL ? strtoul(rounds_text, NULL, 10) : 3000;
    unsigned failed = 0;
    struct bench b = {.scratch = NULL};
    struct lanefix_error err;
    size_t n_kinds = sizeof kinds / sizeof kinds[0];

    lf_error_init(&err);
    new_track(&b.track);
    new_track(&b.work);
    new_track(&b.again);
    if (lf_solve_scratch_create(&b.scratch, &err) != LANEFIX_OK) {
        abort();
    }
    for (size_t i = 0; i < n_kinds; i++) {
        failed += run_kind(&b, &kinds[i], seed, rounds) > 0;
    }
    lf_solve_scratch_destroy(b.scratch);
    lf_solution_fini(&b.solution);
    lf_solution_fini(&b.second);
    free(b.track.slices);
    free(b.track.flows);
    free(b.work.slices);
    free(b.work.flows);
    free(b.again.slices);
    free(b.again.flows);
    printf("seed %" PRIu64 "\n%zu passed, %u failed\n", seed, n_kinds - failed, failed);
    return failed > 0;
}
