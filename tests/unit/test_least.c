/* Who gives way where several could, one rule a test (tests/prop/least.c searches for exceptions).
 * Times in ns, the threshold is 5000. */
#include "solve_support.h"

#include <stdlib.h>

#include "solve/rank_set.h"

static struct lf_slice slice(int64_t start, int64_t end, unsigned off)
{
    return X(start, end - start, off);
}

static struct lf_slice annotation(int64_t start, int64_t end, unsigned off)
{
    struct lf_slice s = slice(start, end, off);

    s.annotation = true;
    return s;
}

TestSuite(least, .init = setup, .fini = teardown);

static void solve(struct lf_slice *slices, size_t n, bool first_come)
{
    struct lf_solve_options options = {.threshold_ns = 5000, .first_come = first_come};

    solve_track(slices, n, NULL, 0, &options);
}

Test(least, the_long_one_over_many_moves)
{
    struct lf_slice s[] = {slice(0, 100000, 1), slice(50000, 900000, 2), slice(110000, 880000, 3),
                           slice(880000, 990000, 4)};

    solve(s, N(s), false);
    expect_slice(2, 50000, 900000, 1);
    cr_expect_eq(solution.n_slices, 1);
}

Test(least, the_first_one_moves_where_it_crosses_the_rest)
{
    struct lf_slice s[] = {slice(0, 500000, 1), slice(100000, 600000, 2), slice(200000, 600000, 3),
                           slice(300000, 600000, 4)};

    solve(s, N(s), false);
    expect_slice(1, 0, 500000, 1);
    cr_expect_eq(solution.n_slices, 1);
    solve(s, N(s), true);
    cr_expect_eq(solution.n_moved, 3);
}

Test(least, annotations_move_before_work)
{
    struct lf_slice s[] = {annotation(0, 300000, 1), slice(200000, 400000, 2)};
    struct lf_slice t[] = {slice(0, 200000, 1), annotation(100000, 400000, 2)};

    solve(s, N(s), false);
    expect_slice(1, 0, 300000, 1);
    cr_expect_eq(solution.n_slices, 1);
    solve(t, N(t), false);
    expect_slice(2, 100000, 400000, 1);
    cr_expect_eq(solution.n_slices, 1);
}

Test(least, then_the_shorter)
{
    struct lf_slice s[] = {slice(0, 200000, 1), slice(100000, 400000, 2)};

    solve(s, N(s), false);
    expect_slice(1, 0, 200000, 1);
    cr_expect_eq(solution.n_slices, 1);
}

Test(least, then_the_later)
{
    struct lf_slice s[] = {slice(0, 300000, 1), slice(100000, 400000, 2)};

    solve(s, N(s), false);
    expect_slice(2, 100000, 400000, 1);
    cr_expect_eq(solution.n_slices, 1);
}

/* A parent whose start lies a little before what its neighbour holds. */
Test(least, the_start_of_the_first_can_be_pushed)
{
    struct lf_slice s[] = {slice(1000, 90000, 1), slice(2000, 200000, 2)};

    solve(s, N(s), false);
    expect_slice(1, 2000, 90000, 0);
    cr_expect_eq(solution.n_slices, 1);
}

Test(least, the_end_of_the_first_can_be_pulled)
{
    struct lf_slice s[] = {slice(0, 100000, 1), slice(98000, 300000, 2), slice(98000, 250000, 3)};

    solve(s, N(s), false);
    expect_slice(1, 0, 98000, 0);
    cr_expect_eq(solution.n_slices, 1);
}

Test(least, chains_do_not_cascade)
{
    struct lf_slice s[] = {slice(0, 10000, 1), slice(9000, 20000, 2), slice(19000, 30000, 3),
                           slice(29000, 40000, 4)};

    solve(s, N(s), false);
    cr_expect_eq(solution.n_slices, 3);
    cr_expect_eq(solution.start_shift_ns + solution.end_shift_ns, 3000);
}

Test(least, a_nest_shares_a_lane)
{
    struct lf_slice s[] = {slice(0, 500000, 1), slice(0, 500000, 2), slice(0, 500000, 3),
                           slice(100000, 600000, 4), slice(200000, 550000, 5)};

    solve(s, N(s), false);
    expect_slice(4, 100000, 600000, 1);
    expect_slice(5, 200000, 550000, 1);
    cr_expect_eq(solution.n_slices, 2);
}

/* 1 and 2 need two lanes; so the group of 3 and 4 may use two as well. */
Test(least, lanes_are_the_fewest_of_the_track)
{
    struct lf_slice s[] = {slice(0, 800000, 1), slice(0, 800000, 2), slice(0, 800000, 3),
                           slice(100000, 900000, 4), slice(200000, 1000000, 5)};

    solve(s, N(s), false);
    cr_expect_eq(solution.n_moved, 2);
    cr_expect_eq(solution.n_lanes, 2);
    expect_slice(4, 100000, 900000, 1);
    expect_slice(5, 200000, 1000000, 2);
}

/* Too large to be searched: the long one crosses 200, each of which crosses it alone. */
Test(least, a_long_one_over_a_crowd_moves)
{
    static struct lf_slice s[201];

    s[0] = slice(0, 2500000, 0);
    for (unsigned i = 1; i <= 200; i++) {
        s[i] = slice((int64_t)i * 10000, 6000000 - (int64_t)i * 10000, i);
    }
    solve(s, N(s), false);
    expect_slice(0, 0, 2500000, 1);
    cr_expect_eq(solution.n_slices, 1);
    solve(s, N(s), true);
    cr_expect_eq(solution.n_moved, 200);
}

Test(least, all_of_a_crowd_cross)
{
    static struct lf_slice s[1000];

    for (unsigned i = 0; i < N(s); i++) {
        s[i] = slice((int64_t)i * 10000, 20000000 + (int64_t)i * 10000, i);
    }
    solve(s, N(s), false);
    cr_expect_eq(solution.n_moved, 999);
    cr_expect_eq(solution.n_lanes, 999);
}

Test(rank_set, walks_in_order)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, 300000};
    struct lf_rank_set set = {0};
    struct lanefix_error err;

    for (size_t k = 0; k < N(sizes); k++) {
        uint32_t n = (uint32_t)sizes[k];
        uint32_t expected = 0;

        cr_assert_eq(lf_rank_set_reset(&set, n, &err), LANEFIX_OK);
        cr_expect_eq(lf_rank_set_next(&set, 0), LF_RANK_NONE);
        for (uint32_t i = 0; i < n; i += 1 + i / 7) {
            lf_rank_set_add(&set, i);
        }
        for (uint32_t i = 0; i < n; i += 1 + i / 7) {
            cr_assert_eq(lf_rank_set_next(&set, expected), i);
            expected = i + 1;
        }
        cr_expect_eq(lf_rank_set_next(&set, expected), LF_RANK_NONE);
        cr_expect_eq(lf_rank_set_next(&set, n), LF_RANK_NONE);
        for (uint32_t i = 0; i < n; i += 1 + i / 7) {
            lf_rank_set_remove(&set, i);
        }
        cr_expect_eq(lf_rank_set_next(&set, 0), LF_RANK_NONE);
    }
    free(set.words);
}
