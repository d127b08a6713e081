/* The indenter: the rules of its layout, and every kernel against the byte-wise reader. */
#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "json/indent_internal.h"

static const enum lf_split_kernel kernels[] = {LF_SPLIT_AVX2, LF_SPLIT_NEON, LF_SPLIT_AUTO};

/* text in pieces of window bytes, from the first byte of a text or (resumed) between two events. */
static void indent(lf_indent_fn *kernel, struct lf_indenter *d, const uint8_t *text, size_t n,
                   size_t window, struct lf_bytes *out)
{
    struct lanefix_error err;

    out->n = 0;
    for (size_t at = 0; at < n; at += window) {
        cr_assert_eq(
            lf_indent_with(kernel, d, text + at, n - at < window ? n - at : window, out, &err),
            LANEFIX_OK);
    }
}

static void begin(struct lf_indenter *d, unsigned width, bool resumed)
{
    if (resumed) {
        lf_indenter_resume(d, width, 2);
    } else {
        lf_indenter_init(d, width);
    }
}

static void assert_same(const struct lf_indenter *a, const struct lf_indenter *b,
                        const struct lf_bytes *x, const struct lf_bytes *y, const uint8_t *text,
                        size_t n)
{
    cr_assert_eq(x->n, y->n, "%zu, %zu bytes of: %.*s", x->n, y->n, (int)n, text);
    cr_assert(x->n == 0 || memcmp(x->data, y->data, x->n) == 0, "%.*s", (int)n, text);
    cr_assert_eq(a->depth, b->depth, "%.*s", (int)n, text);
    cr_assert_eq(a->last, b->last, "%.*s", (int)n, text);
    cr_assert_eq(a->in_string, b->in_string, "%.*s", (int)n, text);
    cr_assert_eq(a->escaped, b->escaped, "%.*s", (int)n, text);
    cr_assert_eq(a->in_primitive, b->in_primitive, "%.*s", (int)n, text);
    cr_assert_eq(a->first, b->first, "%.*s", (int)n, text);
    cr_assert_eq(a->first_depth, b->first_depth, "%.*s", (int)n, text);
}

/* Every kernel, whole and in windows, gives what the byte-wise reader gives. */
static void compare(const uint8_t *text, size_t n, unsigned width, size_t window)
{
    struct lf_bytes expected = {0}, got = {0};

    for (int resumed = 0; resumed < 2; resumed++) {
        struct lf_indenter slow, fast;

        begin(&slow, width, resumed);
        indent(NULL, &slow, text, n, n, &expected);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            lf_indent_fn *kernel = lf_indent_kernel(kernels[k]);

            begin(&fast, width, resumed);
            indent(kernel, &fast, text, n, n, &got);
            assert_same(&slow, &fast, &expected, &got, text, n);
            begin(&fast, width, resumed);
            indent(kernel, &fast, text, n, window, &got);
            assert_same(&slow, &fast, &expected, &got, text, n);
        }
    }
    lf_bytes_fini(&expected);
    lf_bytes_fini(&got);
}

static uint64_t next_random(uint64_t *rng)
{
    *rng = *rng * 6364136223846793005u + 1442695040888963407u;
    return *rng >> 33;
}

/* JSON mostly: what stands between two tokens is a comma, a colon or nothing, now and then what
 * should not. */
static size_t random_text(uint8_t *text, size_t n, unsigned oddness, uint64_t *rng)
{
    static const char *const parts[] = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        ": ",
        ", ",
        "\"a\"",
        "\"x: \"",
        "1.5",
        "-7e3",
        "null",
        "\"\"",
        "\"\\\"",
        "\"{[\"",
        "\"\\\\\"",
        "\t\r ",
        "\n    ",
        "\"a\": 1",
        "\"abc\": \"defghijk\", ",
        "\"a long text of more than thirty-two bytes, then even more than sixty-four of them\"",
        " ",
        "\\",
        "\""};
    size_t n_parts = sizeof parts / sizeof parts[0];
    size_t at = 0;

    for (;;) {
        const char *part = parts[next_random(rng) % n_parts];
        size_t len = strlen(part);

        if (next_random(rng) % 1000 >= oddness && strchr("}]\\\"1-n", part[0]) != NULL &&
            strchr("\\\"", part[len - 1]) == NULL) {
            part = "\"name\": \"value\",\n      ";
            len = strlen(part);
        }
        if (at + len > n) {
            return at;
        }
        memcpy(text + at, part, len);
        at += len;
    }
}

Test(indent, the_layout)
{
    static const char text[] =
        "{\"a\" :\t[ ] ,\"b\":{ },\"s\":\"x:{,}[\\\"\\\\\",\"e\":[{\"n\":1}\n{},,]}";
    static const char expected[] =
        "{\n \"a\": [],\n \"b\": {},\n \"s\": \"x:{,}[\\\"\\\\\",\n \"e\": [\n"
        "  {\n   \"n\": 1\n  }\n  {},,\n ]\n}";
    struct lf_bytes out = {0};
    struct lf_indenter d;

    lf_indenter_init(&d, 1);
    indent(NULL, &d, (const uint8_t *)text, strlen(text), strlen(text), &out);
    cr_assert_eq(out.n, strlen(expected), "%.*s", (int)out.n, out.data);
    cr_assert_arr_eq(out.data, expected, out.n);
    lf_bytes_fini(&out);
}

/* Each piece of text at each place of a block: between events as they are, so that a kernel has
 * enough to go on. */
Test(indent, whatever_stands_wherever)
{
    static const char *const odd[] = {"1 2",
                                      "\"a\" \"b\"",
                                      "\"a\"\"b\"",
                                      "\"a\"b",
                                      "b\"a\"",
                                      "} {",
                                      "}{",
                                      ",,",
                                      ", ,",
                                      "{,",
                                      "[ ,",
                                      ": :",
                                      ": ,",
                                      ": }",
                                      "{ : 1",
                                      "\"a\" : 1",
                                      "\"a\":  1",
                                      "\"a\":\n1",
                                      "\"a\":1",
                                      "\"a\": [",
                                      "[ ]",
                                      "[\n]",
                                      "{}",
                                      "[]]]]]",
                                      "\\",
                                      "\\\"",
                                      "\"\\\\\"",
                                      "\"\\\\\\\"\"",
                                      "\"a\": ",
                                      "\"a\":",
                                      "\"",
                                      "\"a\": \\",
                                      "\"a\": \"b\":",
                                      "\"a\": ,",
                                      "\"a\": :",
                                      "1: 2",
                                      "a: b",
                                      "\"a\": \"b\": \"c\"",
                                      ""};
    static const char event[] =
        "{\"ph\": \"X\", \"ts\":1.5,\n\"args\": {\"a b\": [1, \"\\\"\"]}}, ";
    uint8_t text[1600];

    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        for (size_t pad = 0; pad < 66; pad++) {
            size_t n = 0;
            size_t len = strlen(odd[k]);

            for (int i = 0; i < 16; i++) {
                if (i == 4) {
                    memset(text + n, pad % 2 != 0 ? ' ' : ',', pad);
                    n += pad;
                    memcpy(text + n, odd[k], len);
                    n += len;
                }
                memcpy(text + n, event, sizeof event - 1);
                n += sizeof event - 1;
            }
            compare(text, n, 2, 300 + pad);
        }
    }
}

Test(indent, random_text_with_every_kernel)
{
    uint8_t *text = malloc(4096);
    uint64_t rng = 11;

    for (int round = 0; round < 2500; round++) {
        size_t n = random_text(text, 300 + next_random(&rng) % 3700,
                               round % 3 == 0 ? 1000u : (unsigned)(next_random(&rng) % 50), &rng);

        compare(text, n, (unsigned)(next_random(&rng) % 17), 1 + (size_t)(next_random(&rng) % 900));
    }
    free(text);
}

/* Deeper than lines grow, than the kernels' copies reach, than a block has brackets. */
Test(indent, depth)
{
    enum { LEVELS = 400 };
    uint8_t text[2 * LEVELS + 600];

    for (unsigned width = 0; width <= 16; width += 4) {
        memset(text, '[', LEVELS);
        memset(text + LEVELS, ' ', 300);
        text[LEVELS + 150] = '7';
        memset(text + LEVELS + 300, ']', LEVELS + 300);
        compare(text, sizeof text, width, 333);
    }
}

/* Long strings and long white space, which cross many blocks. */
Test(indent, long_tokens)
{
    uint8_t *text = malloc(9000);

    for (size_t len = 0; len < 700; len += 13) {
        size_t n = 0;

        for (int i = 0; i < 6; i++) {
            memcpy(text + n, "{\"k\": \"", 7);
            n += 7;
            memset(text + n, i % 2 != 0 ? ',' : 'x', len);
            n += len;
            memcpy(text + n, "\"", 1);
            n += 1;
            memset(text + n, ' ', len);
            n += len;
            memcpy(text + n, "}, ", 3);
            n += 3;
        }
        compare(text, n, 3, 777);
    }
    free(text);
}

/* No byte before the text and none behind it is read. */
Test(indent, stays_within_the_text)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct lf_bytes out = {0};
    uint64_t rng = 5;

    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(mprotect(pages, page, PROT_NONE), 0);
    cr_assert_eq(mprotect(pages + 3 * page, page, PROT_NONE), 0);
    for (size_t n = 1; n < 2 * page - 100; n += 7) {
        uint8_t *text = n % 2 != 0 ? pages + page : pages + 3 * page - n;
        size_t used = random_text(text, n, 0, &rng);

        memset(text + used, 'x', n - used);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            struct lf_indenter d;

            lf_indenter_init(&d, 2);
            indent(lf_indent_kernel(kernels[k]), &d, text, n, n, &out);
        }
    }
    lf_bytes_fini(&out);
    munmap(pages, 4 * page);
}
