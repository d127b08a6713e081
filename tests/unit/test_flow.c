/* Flow endpoints on small tracks: whose they are, and where they go. Times in ns. */
#include "solve_support.h"

static struct lf_slice on_member(struct lf_slice s, unsigned member)
{
    s.member = member & 0x3fff;
    return s;
}

#define HERE(t, o)                                                                                 \
    {                                                                                              \
        .ts = (t), .off = (o), .kind = LF_FLOW_HERE                                                \
    }
#define NEXT(t, o)                                                                                 \
    {                                                                                              \
        .ts = (t), .off = (o), .kind = LF_FLOW_NEXT                                                \
    }

TestSuite(flow, .init = setup, .fini = teardown);

static void solve(struct lf_slice *slices, size_t n, struct lf_flow *flows, size_t n_flows)
{
    struct lf_solve_options options = {.threshold_ns = 5000};

    solve_track(slices, n, flows, n_flows, &options);
}

static void expect(uint64_t off, int64_t ts, uint32_t lane)
{
    for (size_t i = 0; i < solution.n_flows; i++) {
        const struct lf_flow_change *c = &solution.flows[i];

        if (c->off == off) {
            cr_expect(c->ts == ts && c->lane == lane, "%d: ts %ld lane %u", (int)off, (long)c->ts,
                      c->lane);
            return;
        }
    }
    cr_expect_fail("%d: no change", (int)off);
}

static void solve_unsnapped(struct lf_slice *slices, size_t n, struct lf_flow *flows,
                            size_t n_flows)
{
    solve_track(slices, n, flows, n_flows, &(struct lf_solve_options){.threshold_ns = 0});
}

Test(flow, endpoint_goes_with_a_moved_slice)
{
    struct lf_slice s[] = {X(0, 100000, 1), X(50000, 100000, 3)};
    struct lf_flow f[] = {HERE(0, 2), HERE(50000, 4), HERE(120000, 5)};

    solve(s, N(s), f, N(f));
    expect(4, 50000, 1);
    expect(5, 120000, 1);
    cr_expect_eq(solution.n_flows, 2);
}

Test(flow, endpoint_at_a_pushed_start_goes_along)
{
    struct lf_slice s[] = {X(0, 10000, 1), X(9000, 50000, 2)};
    struct lf_flow f[] = {HERE(9000, 3), HERE(9500, 4), HERE(20000, 5)};

    solve(s, N(s), f, N(f));
    expect(3, 10000, 0);
    expect(4, 10000, 0);
    cr_expect_eq(solution.n_flows, 2);
}

Test(flow, endpoint_behind_a_pulled_end_stays_inside)
{
    struct lf_slice s[] = {X(0, 10000, 1), X(5000, 6000, 2)};
    struct lf_flow f[] = {HERE(10500, 3)};

    solve(s, N(s), f, N(f));
    expect(3, 9999, 0);
}

Test(flow, last_of_two_that_start_together_owns)
{
    struct lf_slice s[] = {X(0, 100000, 1), X(50000, 200000, 2), X(50000, 20000, 3)};
    struct lf_flow f[] = {HERE(50000, 4)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_flows, 0); /* slice 3 nests in 1 and stays */
    cr_expect_eq(solution.n_moved, 1);
}

Test(flow, a_child_pushed_to_its_parents_start_leaves_it_to_the_parent)
{
    struct lf_slice s[] = {X(0, 10000, 1), X(0, 10000, 2), X(0, 10000, 3), X(9000, 50000, 4),
                           X(9500, 20000, 5)};
    struct lf_flow f[] = {HERE(9000, 6), HERE(9500, 7)};

    solve(s, N(s), f, N(f));
    expect(6, 10000, 0);
    expect(7, 10001, 0);
    cr_expect_eq(solution.n_slices, 2);
}

Test(flow, members_of_a_folded_track_are_told_apart)
{
    struct lf_slice s[] = {on_member(X(0, 100000, 1), 0), on_member(X(50000, 100000, 2), 1)};
    struct lf_flow f[] = {HERE(60000, 3)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_flows, 0); /* it is on member 0, where slice 1 holds it */
    cr_expect_eq(solution.n_moved, 1);
}

Test(flow, endpoint_of_nobody_stays)
{
    struct lf_slice s[] = {X(0, 1000, 1), X(900, 50000, 2)};
    struct lf_flow f[] = {HERE(60000, 3)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_flows, 0);
}

Test(flow, next_goes_with_the_slice_that_starts_next)
{
    struct lf_slice s[] = {X(0, 100000, 1), X(50000, 100000, 3), X(200000, 10000, 4),
                           X(209000, 10000, 5)};
    struct lf_flow f[] = {NEXT(40000, 2), NEXT(208500, 6)};

    solve(s, N(s), f, N(f));
    expect(2, 40000, 1);
    expect(6, 209500, 0);
}

Test(flow, clean_tracks_are_not_looked_at)
{
    struct lf_slice s[] = {X(0, 1000, 1), X(2000, 50000, 2)};
    struct lf_flow f[] = {HERE(1500, 3), NEXT(70000, 4), HERE(0, 5)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_flows, 0);
}

/* Pushing slice 3 would be the least shift, but where slice 4 starts the empty one is in the way of
 * its endpoint: that one, which crosses nothing, would have to move. */
Test(flow, no_other_slice_moves_for_a_smaller_shift)
{
    struct lf_slice s[] = {X(1000, 0, 1), X(0, 3000, 3), X(1000, 10000, 4)};
    struct lf_flow f[] = {HERE(0, 2)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_moved, 0);
    cr_expect_eq(solution.start_shift_ns + solution.end_shift_ns, 2000);
}

/* Slice 5 moves beside slice 2, as the instant is in the way of its endpoint: that is found out
 * when slices are placed, and is no better than moving 1 and 5 to one lane. */
Test(flow, lanes_count_where_a_decision_could_not_be_kept)
{
    struct lf_slice s[] = {X(0, 14, 2), X(10, 34, 5), I(10, 4), X(13, 16, 1)};
    struct lf_flow f[] = {HERE(10, 3)};

    solve_unsnapped(s, N(s), f, N(f));
    cr_expect_eq(solution.n_moved, 2);
    cr_expect_eq(solution.n_lanes, 1);
}

/* There is no time behind the last one for an endpoint to bind at. */
Test(flow, at_the_end_of_time)
{
    struct lf_slice s[] = {X(INT64_MAX - 807, -5, 1), X(INT64_MAX - 807, -6, 3)};
    struct lf_flow f[] = {NEXT(INT64_MAX - 807, 2)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_negative, 2);
}

/* 3, the shortest, would move into 2, but there it hides 2 from its endpoint: 4 moves instead. */
Test(flow, lanes_that_endpoints_take_count)
{
    struct lf_slice s[] = {X(0, 1400, 1), X(300, 1200, 2), X(300, 800, 3), X(400, 900, 4)};
    struct lf_flow f[] = {HERE(1382, 5)};

    solve_unsnapped(s, N(s), f, N(f));
    cr_expect_eq(solution.n_moved, 2);
    cr_expect_eq(solution.n_lanes, 1);
}

/* And none before the first: what is near to it is told without going there. */
Test(flow, at_the_beginning_of_time)
{
    const int64_t first = INT64_MIN + 808;
    struct lf_slice s[] = {X(first, 2000, 1), X(first + 1000, 2000, 3)};
    struct lf_flow f[] = {NEXT(first, 2)};

    solve(s, N(s), f, N(f));
    cr_expect_eq(solution.n_snapped, 1);
    cr_expect_eq(solution.n_moved, 0);
}
