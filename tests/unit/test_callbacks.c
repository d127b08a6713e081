/* Traces that come from and go to the caller's own functions: the same bytes as through files, in
 * pieces of any size, and the caller's errors told. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lanefix.h"

static const char trace[] =
    "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":100},"
    "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":50,\"dur\":100}]";

struct end {
    const char *in;
    size_t n_in, at, piece; /* piece: at most so many bytes are read at once */
    char out[4096];
    size_t n_out;
    int fails;    /* errno of every call */
    int64_t lies; /* added to what a read returns */
};

static int64_t read_some(void *arg, void *buf, size_t n)
{
    struct end *e = arg;

    if (e->fails != 0) {
        return -e->fails;
    }
    n = n < e->piece ? n : e->piece;
    n = n < e->n_in - e->at ? n : e->n_in - e->at;
    memcpy(buf, e->in + e->at, n);
    e->at += n;
    return (int64_t)n + e->lies;
}

static int write_all(void *arg, const void *buf, size_t n)
{
    struct end *e = arg;

    cr_assert_leq(e->n_out + n, sizeof e->out);
    if (e->fails != 0) {
        return e->fails;
    }
    memcpy(e->out + e->n_out, buf, n);
    e->n_out += n;
    return 0;
}

static enum lanefix_status fix(struct end *in, struct end *out, enum lanefix_form form,
                               uint64_t spool, struct lanefix_error *err)
{
    struct lanefix_input input = {.fd = -1, .name = "in", .read = read_some, .read_arg = in};
    struct lanefix_output output = {.fd = -1,
                                    .name = "out",
                                    .form = form,
                                    .level = LANEFIX_LEVEL_DEFAULT,
                                    .write = write_all,
                                    .write_arg = out};
    struct lanefix_options options;

    lanefix_options_init(&options);
    options.spool_memory = spool;
    return lanefix_fix(&input, &output, &options, NULL, err);
}

Test(callbacks, same_whatever_the_pieces)
{
    struct lanefix_error err;
    struct end first = {.n_out = 0};

    for (size_t piece = 1; piece <= sizeof trace; piece += 11) {
        for (uint64_t spool = 0; spool <= 1 << 20; spool += 1 << 20) { /* on disk, and in memory */
            struct end in = {.in = trace, .n_in = sizeof trace - 1, .piece = piece};
            struct end out = {.n_out = 0};

            cr_assert_eq(fix(&in, &out, LANEFIX_FORM_AUTO, spool, &err), LANEFIX_OK, "%s",
                         err.message);
            cr_assert(memmem(out.out, out.n_out, "\"tid\":2001", 10) != NULL);
            if (first.n_out == 0) {
                first = out;
            }
            cr_assert(out.n_out == first.n_out && memcmp(out.out, first.out, out.n_out) == 0);
        }
    }
}

Test(callbacks, compressed_both_ways)
{
    static const enum lanefix_form forms[] = {LANEFIX_FORM_GZIP, LANEFIX_FORM_ZSTD};
    struct lanefix_error err;

    for (size_t i = 0; i < 2; i++) {
        struct end in = {.in = trace, .n_in = sizeof trace - 1, .piece = 64};
        struct end packed = {.n_out = 0};
        struct end again, copied = {.n_out = 0};

        cr_assert_eq(fix(&in, &packed, forms[i], 0, &err), LANEFIX_OK);
        again = (struct end){.in = packed.out, .n_in = packed.n_out, .piece = 3};
        cr_assert_eq(fix(&again, &copied, forms[i], 0, &err), LANEFIX_OK);
        cr_assert(copied.n_out == packed.n_out && memcmp(copied.out, packed.out, packed.n_out) == 0,
                  "what is fixed already is copied as it is");
    }
}

Test(callbacks, errors_are_told)
{
    struct lanefix_error err;
    struct end in = {.in = trace, .n_in = sizeof trace - 1, .piece = 10, .fails = ECONNRESET};
    struct end out = {.n_out = 0};

    cr_assert_eq(fix(&in, &out, LANEFIX_FORM_AUTO, 0, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.sys_errno, ECONNRESET);
    in.fails = 0;
    in.lies = 1 << 20;
    cr_assert_eq(fix(&in, &out, LANEFIX_FORM_AUTO, 0, &err), LANEFIX_ERR_IO,
                 "more than there was room for");
    in.lies = 0;
    in.at = 0;
    out.fails = ENOSPC;
    cr_assert_eq(fix(&in, &out, LANEFIX_FORM_AUTO, 0, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    in.at = in.n_in;
    cr_assert_eq(fix(&in, &out, LANEFIX_FORM_AUTO, 0, &err), LANEFIX_ERR_INPUT, "nothing to read");
}
