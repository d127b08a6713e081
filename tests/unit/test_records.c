/* Lists of records: what goes in comes out, whatever the number, the kinds and the pieces. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "trace/records.h"

#define N_MAX 40000 /* more than a block of the largest size holds */

static struct lf_slice *slices, *out;
static struct lf_records list;

/* Numbers from all of the range, so that packed ones have any length. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> (*state % 64);
}

static void setup(void)
{
    uint64_t state = 88172645463325252u;
    uint64_t off = 0;

    memset(&list, 0, sizeof list);
    slices = calloc(N_MAX, sizeof *slices);
    out = calloc(N_MAX, sizeof *out);
    cr_assert(slices != NULL && out != NULL);
    for (size_t i = 0; i < N_MAX; i++) {
        off += draw(&state) % 4096 + 1;
        slices[i].off = off & ((UINT64_C(1) << LF_OFF_BITS) - 1);
        slices[i].ts = (int64_t)draw(&state) * (i % 3 == 0 ? -1 : 1);
        slices[i].kind = draw(&state) & 3;
        slices[i].annotation = slices[i].kind == LF_SLICE_COMPLETE && i % 2 == 0;
        if (slices[i].kind != LF_SLICE_INSTANT) {
            slices[i].u.dur = (int64_t)draw(&state) * (i % 5 == 0 ? -1 : 1);
        }
    }
}

static void teardown(void)
{
    lf_records_fini(&list);
    free(slices);
    free(out);
}

TestSuite(records, .init = setup, .fini = teardown);

/* Reads all slices of the list into out. */
static size_t read_all(unsigned member)
{
    struct lf_record_cursor at = lf_records_begin(&list);
    size_t n = lf_records_read_slices(&list, &at, out, N_MAX / 3, member);

    return n + lf_records_read_slices(&list, &at, out + n, N_MAX - n, member);
}

static void add(size_t n)
{
    struct lanefix_error err;

    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(lf_records_add_slice(&list, &slices[i], &err), LANEFIX_OK);
    }
    cr_assert_eq(list.n, n);
}

static void expect(size_t from, size_t n, unsigned member)
{
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(out[i].ts, slices[from + i].ts);
        cr_assert_eq(out[i].u.dur, slices[from + i].u.dur);
        cr_assert_eq(out[i].off, slices[from + i].off);
        cr_assert_eq(out[i].kind, slices[from + i].kind);
        cr_assert_eq(out[i].annotation, slices[from + i].annotation);
        cr_assert_eq(out[i].member, member);
    }
}

Test(records, are_taken_as_they_were_added)
{
    static const size_t counts[] = {0, 1, 2, 3, 7, 50, 1000, N_MAX};

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        add(counts[c]);
        cr_assert_eq(read_all(5), counts[c]);
        expect(0, counts[c], 5);
        cr_assert_eq(list.n, counts[c]);
        cr_assert_eq(lf_records_take_slices(&list, out, N_MAX, 7), counts[c]);
        expect(0, counts[c], 7);
        cr_assert_eq(list.n, 0);
        cr_assert_eq(lf_records_take_slices(&list, out, N_MAX, 7), 0);
    }
}

Test(records, are_taken_in_pieces)
{
    size_t at = 0;

    add(N_MAX);
    for (size_t piece = 1; list.n != 0; piece = piece * 2 + 1) {
        size_t want = piece < N_MAX - at ? piece : N_MAX - at;

        cr_assert_eq(lf_records_take_slices(&list, out, piece, 0), want);
        expect(at, want, 0);
        at += want;
        cr_assert_eq(list.n, N_MAX - at);
        cr_assert_eq(read_all(0), N_MAX - at);
        expect(at, N_MAX - at, 0);
    }
    cr_assert_eq(at, N_MAX);
}

Test(records, that_are_left_are_released)
{
    add(N_MAX);
    lf_records_take_slices(&list, out, N_MAX / 2, 0);
    lf_records_fini(&list);
    cr_assert_eq(list.n, 0);
    add(1);
    lf_records_fini(&list);
    cr_assert_eq(read_all(0), 0);
}

Test(records, of_flow_endpoints)
{
    static const size_t counts[] = {1, 2, 1000};
    struct lanefix_error err;

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct lf_flow flows[1000];
        size_t half = counts[c] / 2;

        for (size_t i = 0; i < counts[c]; i++) {
            struct lf_flow f = {.ts = slices[i].ts, .off = slices[i].off, .kind = i & 1};

            cr_assert_eq(lf_records_add_flow(&list, &f, &err), LANEFIX_OK);
        }
        cr_assert_eq(lf_records_take_flows(&list, flows, half, 3), half);
        cr_assert_eq(lf_records_take_flows(&list, flows + half, 1000, 3), counts[c] - half);
        cr_assert_eq(lf_records_take_flows(&list, flows, 1000, 3), 0);
        for (size_t i = 0; i < counts[c]; i++) {
            cr_assert_eq(flows[i].ts, slices[i].ts);
            cr_assert_eq(flows[i].off, slices[i].off);
            cr_assert_eq(flows[i].kind, i & 1);
            cr_assert_eq(flows[i].member, 3);
        }
    }
}
