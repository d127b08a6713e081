/* Packed slices in Perfetto's order, whatever order they were added in. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "run/sorted.h"
#include "solve/order.h"

#define N_MAX 100000 /* some chunks */

static struct lf_slice *slices;
#define N_LISTS 3

static struct lf_records lists[N_LISTS];
static struct lanefix_options options;
static struct lf_run run;
static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static void setup(void)
{
    memset(lists, 0, sizeof lists);
    memset(&run, 0, sizeof run);
    run.options = &options;
    state = 7;
    slices = calloc(N_MAX, sizeof *slices);
    cr_assert_not_null(slices);
}

static void teardown(void)
{
    for (size_t i = 0; i < N_LISTS; i++) {
        lf_records_fini(&lists[i]);
    }
    free(slices);
}

TestSuite(sorted, .init = setup, .fini = teardown);

static int compare(const void *x, const void *y)
{
    return lf_order_slice_less(x, y) ? -1 : lf_order_slice_less(y, x);
}

/* Reads all of the first n_lists lists, twice, and holds it against the sorted array. */
static void check(size_t n, size_t n_lists)
{
    const struct lf_records *pointers[N_LISTS] = {&lists[0], &lists[1], &lists[2]};
    struct lf_sorted *sorted;
    struct lanefix_error err;

    for (size_t i = 0; i < n; i++) {
        slices[i].off = (3 * i + 1) & ((UINT64_C(1) << LF_OFF_BITS) - 1);
        cr_assert_eq(lf_records_add_slice(&lists[below((uint32_t)n_lists)], &slices[i], &err),
                     LANEFIX_OK);
    }
    qsort(slices, n, sizeof *slices, compare);
    cr_assert_eq(lf_sorted_create(&sorted, &run, pointers, n_lists, &err), LANEFIX_OK);
    for (int round = 0; round < 2; round++) {
        const struct lf_slice *span;
        size_t at = 0;
        size_t got;

        for (;;) {
            cr_assert_eq(lf_sorted_next(sorted, &span, &got, &err), LANEFIX_OK);
            if (got == 0 || (round == 0 && at > n / 2)) {
                break;
            }
            cr_assert_leq(at + got, n);
            for (size_t i = 0; i < got; i++) {
                cr_assert(memcmp(&span[i], &slices[at + i], sizeof *span) == 0, "slice %zu",
                          at + i);
            }
            at += got;
        }
        cr_expect(round == 0 || at == n, "%zu of %zu", at, n);
        lf_sorted_rewind(sorted);
    }
    lf_sorted_destroy(sorted);
    for (size_t i = 0; i < N_LISTS; i++) {
        lf_records_fini(&lists[i]);
    }
}

static void check_sizes(int64_t (*ts)(size_t i, size_t n))
{
    static const size_t sizes[] = {0, 1, 2, 8191, 8192, 8193, N_MAX, N_MAX};

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (size_t i = 0; i < sizes[k]; i++) {
            slices[i] = (struct lf_slice){.ts = ts(i, sizes[k])};
            slices[i].u.dur = below(50);
        }
        check(sizes[k], 1 + k % N_LISTS);
    }
}

static int64_t in_order(size_t i, size_t n)
{
    (void)n;
    return (int64_t)i / 3;
}

static int64_t nearly_in_order(size_t i, size_t n)
{
    (void)n;
    return (int64_t)i + below(300);
}

static int64_t backwards(size_t i, size_t n)
{
    return (int64_t)(n - i) / 2;
}

static int64_t in_three_sequences(size_t i, size_t n)
{
    return (int64_t)(i % (n / 3 + 1)) * 10 + below(5);
}

static int64_t in_no_order(size_t i, size_t n)
{
    (void)i;
    return (int64_t)below((uint32_t)n + 1) - 1000;
}

static int64_t all_at_once(size_t i, size_t n)
{
    (void)i;
    (void)n;
    return INT64_MAX;
}

static int64_t at_either_end(size_t i, size_t n)
{
    (void)i;
    (void)n;
    return below(2) != 0 ? INT64_MAX - below(3) : INT64_MIN + below(3);
}

Test(sorted, in_order)
{
    check_sizes(in_order);
}

Test(sorted, nearly_in_order)
{
    check_sizes(nearly_in_order);
}

Test(sorted, backwards)
{
    check_sizes(backwards);
}

Test(sorted, in_three_sequences)
{
    check_sizes(in_three_sequences);
}

Test(sorted, in_no_order)
{
    check_sizes(in_no_order);
}

Test(sorted, all_at_once)
{
    check_sizes(all_at_once);
}

Test(sorted, at_either_end)
{
    check_sizes(at_either_end);
}
