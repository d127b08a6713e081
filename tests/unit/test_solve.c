/* The solver on small tracks, one shape a test. Times in ns. */
#include "solve_support.h"

#include "trace/time.h"

TestSuite(solve, .init = setup, .fini = teardown);

static void solve(struct lf_slice *slices, size_t n, int64_t threshold)
{
    struct lf_solve_options options = {.threshold_ns = threshold};

    solve_track(slices, n, NULL, 0, &options);
}

static void expect(uint64_t off, int64_t ts, int64_t dur, uint32_t lane)
{
    expect_slice(off, ts, ts + dur, lane);
}

Test(solve, nothing)
{
    solve(NULL, 0, 5000);
    cr_expect_eq(solution.n_slices, 0);
}

Test(solve, nested_and_disjoint_stay)
{
    struct lf_slice s[] = {X(0, 100, 1), X(0, 50, 2), X(50, 50, 3), X(100, 10, 4), X(0, 100, 5)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 0);
    cr_expect_eq(solution.n_refused, 0);
}

Test(solve, empty_slices_on_boundaries_stay)
{
    struct lf_slice s[] = {X(0, 100, 1), X(0, 0, 2), X(100, 0, 3), X(100, 0, 4), X(50, 0, 5)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 0);
}

Test(solve, end_is_pulled_back)
{
    struct lf_slice s[] = {X(0, 100000, 1), X(50000, 50001, 2)};

    solve(s, N(s), 5000);
    expect(2, 50000, 50000, 0);
    cr_expect_eq(solution.n_slices, 1);
    cr_expect_eq(solution.n_refused, 1);
    cr_expect_eq(solution.n_crossings, 1);
    cr_expect_eq(solution.n_snapped, 1);
    cr_expect_eq(solution.end_shift_ns, 1);
}

Test(solve, start_is_pushed)
{
    struct lf_slice s[] = {X(100000, 20500, 1), X(119300, 20700, 2)};

    solve(s, N(s), 5000);
    expect(2, 120500, 19500, 0);
    cr_expect_eq(solution.start_shift_ns, 1200);
}

Test(solve, smaller_shift_wins_and_a_tie_is_the_end)
{
    struct lf_slice s[] = {X(0, 1000, 1), X(600, 800, 2)};
    struct lf_slice t[] = {X(0, 1000, 1), X(601, 800, 2)};

    solve(s, N(s), 5000);
    expect(2, 600, 400, 0);
    solve(t, N(t), 5000);
    expect(2, 1000, 401, 0);
}

Test(solve, threshold_is_exclusive_and_zero_turns_off)
{
    struct lf_slice s[] = {X(0, 10000, 1), X(5000, 90000, 2)};
    struct lf_slice t[] = {X(0, 10000, 1), X(5001, 90000, 2)};

    solve(s, N(s), 5000);
    expect(1, 0, 10000, 1);
    cr_expect_eq(solution.n_slices, 1);
    cr_expect_eq(solution.n_lanes, 1);
    solve(t, N(t), 5000);
    expect(2, 10000, 85001, 0);
    cr_expect_eq(solution.n_slices, 1);
    solve(t, N(t), 0);
    expect(1, 0, 10000, 1);
    cr_expect_eq(solution.n_slices, 1);
}

/* Pulling the end of the first of a stack back costs more than pushing two starts. */
Test(solve, children_are_pushed_along)
{
    struct lf_slice s[] = {X(0, 10000, 1),    X(0, 10000, 2),    X(0, 10000, 3),
                           X(9000, 50000, 4), X(9500, 20000, 5), X(9600, 300, 6)};

    solve(s, N(s), 5000);
    expect(4, 10000, 49000, 0);
    expect(5, 10000, 19500, 0);
    cr_expect_eq(solution.n_slices, 2);
}

Test(solve, annotation_in_deep_stack_moves_not_the_stack)
{
    struct lf_slice s[41];

    for (unsigned i = 0; i < 40; i++) {
        s[i] = X((int64_t)i * 10000, 10000000 - (int64_t)i * 20000, i);
    }
    s[40] = X(500000, 9305000, 40);
    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 1);
    expect(40, 500000, 9305000, 1);
}

Test(solve, negative_duration_is_made_empty)
{
    struct lf_slice s[] = {X(0, 100, 1), X(50, -7, 2)};

    solve(s, N(s), 5000);
    expect(2, 50, 0, 0);
    cr_expect_eq(solution.n_negative, 1);
    cr_expect_eq(solution.n_refused, 1);
    cr_expect_eq(solution.n_crossings, 0);
    cr_expect_eq(solution.n_snapped, 0);
}

Test(solve, pair_stays_and_slice_moves)
{
    struct lf_slice s[] = {B(0, 1, 1), X(50000, 90000, 2), E(100000, 1, 3)};

    solve(s, N(s), 5000);
    expect(2, 50000, 90000, 1);
    cr_expect_eq(solution.n_slices, 1);
}

Test(solve, slice_gives_way_to_a_later_pair)
{
    struct lf_slice s[] = {X(0, 60000, 1), B(59000, 1, 2), E(100000, 1, 3)};

    solve(s, N(s), 5000);
    expect(1, 0, 59000, 0);
}

Test(solve, slice_that_starts_with_a_pair_gets_behind_it)
{
    struct lf_slice s[] = {X(1000, 60000, 1), B(1000, 1, 2), E(100000, 1, 3)};

    solve(s, N(s), 5000);
    expect(1, 1001, 59999, 0);
}

Test(solve, pairs_that_cross_by_name)
{
    struct lf_slice s[] = {B(0, 1, 1), B(10, 2, 2), E(20, 1, 3), E(30, 2, 4), X(40, 5, 5)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 0);
    cr_expect_eq(solution.n_named_end_crossings, 1);
}

Test(solve, begin_without_end_harms_nobody)
{
    struct lf_slice s[] = {X(0, 100, 1), B(10, 1, 2), X(20, 80, 3), X(200, 50, 4), E(300, 9, 5)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 0);
}

Test(solve, instants_are_in_nobodys_way)
{
    struct lf_slice s[] = {X(0, 100, 1), I(50, 2), I(50, 3), X(60, 40, 4), I(100, 5)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 0);
}

Test(solve, too_deep_moves)
{
    struct lf_slice s[600];

    for (unsigned i = 0; i < 600; i++) {
        s[i] = X(i, 2000 - 2 * (int64_t)i, i);
    }
    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_moved, 88);
    cr_expect_eq(solution.n_refused, 88);
    cr_expect_eq(solution.n_crossings, 0);
    cr_expect_eq(solution.n_lanes, 1);
}

Test(solve, lanes_are_shared_and_limited)
{
    struct lf_slice s[] = {X(0, 100000, 1),      X(20000, 100000, 2),  X(40000, 100000, 3),
                           X(160000, 100000, 4), X(180000, 100000, 5), X(90000, 5000, 6)};
    struct lf_solve_options options = {.threshold_ns = 5000, .max_lanes = 1};
    struct lanefix_error err;

    solve(s, N(s), 5000);
    expect(2, 20000, 100000, 1);
    expect(3, 40000, 100000, 2);
    expect(5, 180000, 100000, 1);
    cr_expect_eq(solution.n_slices, 3);
    cr_expect_eq(solution.n_lanes, 2);
    cr_expect_eq(lf_solve_track(s, N(s), NULL, 0, &options, scratch, &solution, &err),
                 LANEFIX_ERR_LIMIT);
}

Test(solve, file_order_does_not_matter_but_for_ties)
{
    struct lf_slice s[] = {X(50000, 50001, 1), X(0, 100000, 2)};

    solve(s, N(s), 5000);
    expect(1, 50000, 50000, 0);
}

/* A start that is pushed behind five ends, which stand between two times that can be written. */
Test(solve, new_times_can_be_written)
{
    int64_t a = 0;
    int64_t b = 0;
    struct lf_slice s[6];

    cr_assert(lf_time_read("1712345678123000", 16, &a));
    cr_assert(lf_time_read("1712345678123001.75", 19, &b));
    for (unsigned i = 0; i < 5; i++) {
        s[i] = X(a, 1900, i);
    }
    s[5] = X(b, 9000, 5);
    solve(s, N(s), 5000);
    cr_assert_eq(solution.n_slices, 1);
    cr_expect_geq(solution.slices[0].ts, a + 1900);
    cr_expect_eq(lf_time_writable(solution.slices[0].ts, true), solution.slices[0].ts);
    cr_expect_eq(solution.slices[0].ts + solution.slices[0].dur, b + 9000);
}

Test(solve, scratch_is_reused)
{
    struct lf_slice s[] = {X(0, 100000, 1), X(50000, 100000, 2)};
    struct lf_slice t[] = {X(0, 100000, 1)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 1);
    solve(t, N(t), 5000);
    cr_expect_eq(solution.n_slices, 0);
    cr_expect_eq(solution.n_lanes, 0);
    cr_expect_eq(solution.n_refused, 0);
}

/* Two pairs that begin at one time do not cross: of the slices those move that share a lane. */
Test(solve, pairs_that_begin_together_do_not_cross)
{
    struct lf_slice s[] = {X(0, 35000, 1),     B(0, 0, 2),     B(0, 0, 3),    X(5000, 65000, 4),
                           X(30000, 10000, 5), E(45000, 0, 6), E(70000, 0, 7)};

    solve(s, N(s), 5000);
    expect(1, 1, 34999, 0);
    expect(4, 5000, 65000, 1);
    expect(5, 30000, 10000, 1);
    cr_expect_eq(solution.n_lanes, 1);
}

/* Pairs that last longer than an int64 of ns, in a group that is thinned. */
Test(solve, pairs_longer_than_all_time)
{
    static struct lf_slice s[74];
    const int64_t unit = INT64_C(1000000000000000000);

    s[0] = B(-9 * unit, 0, 1);
    s[1] = B(-8 * unit, 0, 2);
    for (unsigned i = 0; i < 70; i++) {
        s[2 + i] = X(-7 * unit + (int64_t)i * 100000, 9 * unit + unit / 10, 3 + i);
    }
    s[72] = E(unit, 0, 73);
    s[73] = E(2 * unit, 0, 74);
    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_moved, 70);
    cr_expect_eq(solution.n_lanes, 70);
}

/* 2 holds the pair, which ends 60 ns before it. So long a duration is written in whole
 * microseconds: pushed behind 1, 2 would end within the pair. */
Test(solve, rounded_ends_cut_no_pair)
{
    const int64_t e = INT64_C(4611686018427388000);
    struct lf_slice s[] = {X(-2, 67, 1), X(60, e, 2), B(165, 0, 3), E(e, 0, 4)};

    solve(s, N(s), 5000);
    expect(2, 166, 4611686018427387000, 0);
    cr_expect_eq(solution.n_slices, 1);
}

/* Perfetto takes the pair that begins where 1 ends off along with 1, because of the "B" within 1
 * that no "E" closes. */
Test(solve, pair_is_not_taken_off_with_what_ends_at_its_begin)
{
    struct lf_slice s[] = {X(10000, 8000, 1), B(10000, 1, 2), B(18000, 0, 3), E(90000, 0, 4)};

    solve(s, N(s), 5000);
    expect(1, 10000, 7999, 0);
    cr_expect_eq(solution.n_slices, 1);
}

/* A "B" without an end lasts longer than an int64 of ns where it begins before 0. */
Test(solve, begins_before_zero_without_end)
{
    struct lf_slice s[] = {X(-3000, 9000, 1), X(-2000, 9000, 2), B(-2000, 1, 3)};

    solve(s, N(s), 5000);
    cr_expect_eq(solution.n_slices, 1);
    cr_expect_eq(solution.n_moved, 0);
}

/* 1 lasts as long as there is time, and holds a pair and a "B" without an end. */
Test(solve, slice_to_the_end_of_time)
{
    struct lf_slice s[] = {X(0, INT64_MAX, 1), B(10, 1, 2),        B(20, 2, 3),
                           E(30, 2, 4),        X(40000, 90000, 5), X(80000, 90000, 6)};

    solve(s, N(s), 5000);
    expect(6, 80000, 90000, 1);
    cr_expect_eq(solution.n_slices, 1);
}
