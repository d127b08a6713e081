/* Which slices are looked at where a few cross, and when all are. Times in ns. */
#include <criterion/criterion.h>

#include "solve/windows.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static struct lf_windows windows;

static void teardown(void)
{
    lf_windows_fini(&windows);
}

TestSuite(windows, .fini = teardown);

static struct lf_slice slice(int64_t start, int64_t end)
{
    static unsigned off;
    struct lf_slice s = {.ts = start, .off = ++off};

    s.u.dur = end - start;
    return s;
}

/* Adds them in pieces, as a long row does. */
static void find(const struct lf_slice *slices, size_t n, const struct lf_flow *flows,
                 size_t n_flows)
{
    struct lanefix_error err;

    lf_windows_reset(&windows);
    for (size_t i = 0; i < n; i += 3) {
        size_t piece = n - i < 3 ? n - i : 3;

        cr_assert_eq(lf_windows_add(&windows, slices + i, piece, flows, n_flows, &err), LANEFIX_OK);
    }
    cr_assert_eq(lf_windows_end(&windows, n_flows, &err), LANEFIX_OK);
}

static void expect(size_t k, size_t first, size_t end, size_t first_flow, size_t end_flow)
{
    const struct lf_window *v = &windows.list[k];

    cr_assert_lt(k, windows.n);
    cr_expect(v->first == first && v->end == end, "%zu to %zu", v->first, v->end);
    cr_expect(v->first_flow == first_flow && v->end_flow == end_flow, "endpoints %zu to %zu",
              v->first_flow, v->end_flow);
}

Test(windows, none_where_nothing_crosses)
{
    struct lf_slice s[] = {slice(0, 100), slice(0, 50), slice(50, 100), slice(50, 50),
                           slice(100, 120)};

    find(s, N(s), NULL, 0);
    cr_expect_eq(windows.n, 0);
}

Test(windows, hold_a_group_and_what_is_in_it)
{
    struct lf_slice s[] = {slice(0, 1000),  slice(10, 20),   slice(100, 200), slice(110, 120),
                           slice(190, 300), slice(250, 260), slice(300, 310), slice(400, 500),
                           slice(450, 550), slice(600, 700)};

    find(s, N(s), NULL, 0);
    cr_assert_eq(windows.n, 2);
    expect(0, 2, 6, 0, 0);
    expect(1, 7, 9, 0, 0);
}

/* The last slice crosses the first: what crossed before lies within. */
Test(windows, grow_over_those_within)
{
    struct lf_slice s[] = {slice(0, 1000),  slice(100, 200),  slice(150, 250),  slice(300, 400),
                           slice(350, 450), slice(900, 1100), slice(2000, 2001)};

    find(s, N(s), NULL, 0);
    cr_assert_eq(windows.n, 1);
    expect(0, 0, 6, 0, 0);
}

Test(windows, hold_the_endpoints_behind_their_first_slice)
{
    struct lf_slice s[] = {slice(0, 10), slice(20, 40), slice(30, 50), slice(60, 70)};
    struct lf_flow f[] = {{.ts = 0, .off = 101},
                          {.ts = 15, .off = 102},
                          {.ts = 20, .off = 103},
                          {.ts = 55, .off = 104},
                          {.ts = 60, .off = 105}};

    find(s, N(s), f, N(f));
    cr_assert_eq(windows.n, 1);
    expect(0, 1, 3, 2, 4);
}

/* An endpoint that binds to the next slice needs both slices that it stands between. */
Test(windows, hold_both_sides_of_endpoints_that_wait)
{
    struct lf_slice s[] = {slice(0, 10), slice(20, 40), slice(30, 50), slice(60, 70),
                           slice(80, 90)};
    struct lf_flow before[] = {{.ts = 5, .off = 101}, {.ts = 15, .off = 102, .kind = LF_FLOW_NEXT}};
    struct lf_flow behind[] = {{.ts = 55, .off = 101, .kind = LF_FLOW_NEXT},
                               {.ts = 65, .off = 102}};

    find(s, N(s), before, N(before));
    cr_assert_eq(windows.n, 1);
    expect(0, 0, 3, 0, 2);
    find(s, N(s), behind, N(behind));
    cr_assert_eq(windows.n, 1);
    expect(0, 1, 4, 0, 1);
    find(s + 1, N(s) - 1, before + 1, 1);
    cr_assert_eq(windows.n, 1);
    expect(0, 0, 2, 0, 1);
}

static void expect_whole(const struct lf_slice *slices, size_t n)
{
    struct lf_flow flow = {.ts = 0, .off = 10000};

    find(slices, n, &flow, 1);
    cr_assert_eq(windows.n, 1);
    cr_expect(windows.whole);
    expect(0, 0, n, 0, 1);
}

Test(windows, are_the_whole_track_where_a_duration_is_negative)
{
    struct lf_slice s[] = {slice(0, 10), slice(20, 40), slice(30, 29), slice(60, 70)};

    expect_whole(s, N(s));
}

Test(windows, are_the_whole_track_where_tracks_fold)
{
    struct lf_slice s[] = {slice(0, 10), slice(20, 40), slice(30, 50), slice(60, 70)};

    s[3].member = 1;
    expect_whole(s, N(s));
}

/* Two that cross and may be open at the same time, below as many as fit. */
Test(windows, are_the_whole_track_where_it_is_too_deep)
{
    static struct lf_slice s[LF_MAX_DEPTH + 2];
    size_t n = LF_MAX_DEPTH - 1;

    for (size_t i = 0; i < n; i++) {
        s[i] = slice(0, 1000000 - (int64_t)i);
    }
    s[n] = slice(10, 1000);
    s[n + 1] = slice(20, 1001);
    expect_whole(s, n + 2);
    find(s + 1, n + 1, NULL, 0);
    expect(0, n - 1, n + 1, 0, 0);
}

Test(windows, are_solved_in_batches)
{
    static struct lf_slice s[LF_BATCH_SLICES * 2];
    size_t n_slices, n_flows;

    for (size_t i = 0; i < N(s); i += 2) { /* pairs that cross */
        s[i] = slice((int64_t)i * 10, (int64_t)i * 10 + 15);
        s[i + 1] = slice((int64_t)i * 10 + 10, (int64_t)i * 10 + 20);
    }
    find(s, N(s), NULL, 0);
    cr_assert_eq(windows.n, LF_BATCH_SLICES);
    cr_expect_eq(lf_windows_batch(&windows, 0, &n_slices, &n_flows), LF_BATCH_SLICES / 2);
    cr_expect_eq(n_slices, LF_BATCH_SLICES);
    cr_expect_eq(lf_windows_batch(&windows, LF_BATCH_SLICES - 1, &n_slices, &n_flows),
                 LF_BATCH_SLICES);
    cr_expect_eq(n_slices, 2);
}
