/* What the tests of the solver share: records, a scratch and a solution that live for one test, and
 * what is expected of a slice. Times in ns. */
#ifndef TESTS_UNIT_SOLVE_SUPPORT_H
#define TESTS_UNIT_SOLVE_SUPPORT_H

#include <criterion/criterion.h>

#include <stdint.h>
#include <string.h>

#include "solve/solve.h"

static struct lf_solution solution;
static struct lf_solve_scratch *scratch;

static inline struct lf_slice record(unsigned kind, int64_t ts, int64_t dur, unsigned off)
{
    struct lf_slice s = {.ts = ts, .off = off, .kind = kind & 3};

    s.u.dur = dur;
    return s;
}

#define X(ts, dur, off)  record(LF_SLICE_COMPLETE, ts, dur, off)
#define B(ts, name, off) record(LF_SLICE_BEGIN, ts, name, off)
#define E(ts, name, off) record(LF_SLICE_END, ts, name, off)
#define I(ts, off)       record(LF_SLICE_INSTANT, ts, 0, off)
#define N(array)         (sizeof(array) / sizeof((array)[0]))

static inline void setup(void)
{
    struct lanefix_error err;

    memset(&solution, 0, sizeof solution);
    cr_assert_eq(lf_solve_scratch_create(&scratch, &err), LANEFIX_OK);
}

static inline void teardown(void)
{
    lf_solution_fini(&solution);
    lf_solve_scratch_destroy(scratch);
}

static inline void solve_track(struct lf_slice *slices, size_t n, struct lf_flow *flows,
                               size_t n_flows, const struct lf_solve_options *options)
{
    struct lanefix_error err;

    cr_assert_eq(lf_solve_track(slices, n, flows, n_flows, options, scratch, &solution, &err),
                 LANEFIX_OK);
}

/* The slice at off changes: it lasts from start to end, on that lane. */
static inline void expect_slice(uint64_t off, int64_t start, int64_t end, uint32_t lane)
{
    for (size_t i = 0; i < solution.n_slices; i++) {
        const struct lf_slice_change *c = &solution.slices[i];

        if (c->off == off) {
            cr_expect(c->ts == start && c->ts + c->dur == end && c->lane == lane,
                      "%d: %ld to %ld on lane %u", (int)off, (long)c->ts, (long)(c->ts + c->dur),
                      c->lane);
            return;
        }
    }
    cr_expect_fail("%d: no change", (int)off);
}

#endif
