/* Skipping nested values: each kernel must find the end that the splitter finds, wherever the value
 * stands in a block, and reads nothing behind the bytes given. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/skip.h"

static const enum lf_split_kernel kernels[] = {LF_SPLIT_PORTABLE, LF_SPLIT_AVX2, LF_SPLIT_NEON,
                                               LF_SPLIT_AUTO};
#define N_KERNELS (sizeof kernels / sizeof kernels[0])

/* What all kernels say of the value at text[pos]; the text is a copy of its exact size, so that a
 * sanitizer sees what is read behind it. */
static size_t skip(const char *text, size_t pos, size_t n)
{
    uint8_t *copy = malloc(n);
    size_t first = 0;

    memcpy(copy, text, n);
    for (size_t k = 0; k < N_KERNELS; k++) {
        lf_skip_fn *kernel = lf_skip_kernel(kernels[k]);

        cr_assert_eq(kernel != NULL, lf_split_kernel_available(kernels[k]));
        if (kernel != NULL) {
            size_t end = kernel(copy, pos, n);

            first = k == 0 ? end : first;
            cr_assert_eq(end, first, "%.*s: kernel %d: %zu, %zu", (int)n, text, (int)kernels[k],
                         end, first);
        }
    }
    free(copy);
    return first;
}

/* At every place of a block, with bytes behind it and without. */
static void assert_end(const char *value, size_t want)
{
    static const char *const tails[] = {"", "}", ",\"a\":1}", "]]]]", "\"", "\\\"{[", "x"};
    char text[1024];

    for (size_t pad = 0; pad < 70; pad++) {
        for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
            int n = snprintf(text, sizeof text, "%*s%s%s", (int)pad, "", value, tails[i]);
            size_t end = skip(text, pad, (size_t)n);

            cr_assert_eq(end, want == 0 ? 0 : pad + want, "%s behind %zu, before %s: %zu", value,
                         pad, tails[i], end);
        }
    }
}

Test(skip, finds_the_end)
{
    assert_end("{}", 2);
    assert_end("[]", 2);
    assert_end("[{},[[]],{\"a\":{}}]", 18);
    assert_end("{\"a\": 1, \"b\": \"]}\", \"c\" : [null]}", 33);
    assert_end("[\"\\\"]\"]", 7);
    assert_end("[\"\\\\\"]", 6);
    assert_end("[\"\\\\\\\\\\\\\\\"]\"]", 13);
    assert_end(
        "{\"long\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}",
        81);
    assert_end("[                                                                      1]", 73);
}

Test(skip, refuses_what_the_scan_does_not_take)
{
    assert_end("[}", 0);
    assert_end("{\"a\":[1}]}", 0);
    assert_end("{\"a\" \"b\"}", 0);
    assert_end("[\"a\"b]", 0);
    assert_end("[1\"b\"]", 0);
    assert_end("[\\n]", 0);
    assert_end("[\"a\"{}]", 0);
}

Test(skip, refuses_what_has_no_end)
{
    const char *value = "{\"a\":[\"b\",{\"c\":\"d]}\\\"\"}]}";
    size_t n = strlen(value);

    for (size_t cut = 1; cut < n; cut++) {
        cr_assert_eq(skip(value, 0, cut), 0, "%.*s", (int)cut, value);
    }
    cr_assert_eq(skip(value, 0, n), n);
}

Test(skip, follows_some_sixty_levels)
{
    char text[400];

    for (size_t depth = 1; depth < 100; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        if (depth <= 60) {
            cr_assert_eq(skip(text, 0, 2 * depth), 2 * depth);
        } else if (depth > 63) {
            cr_assert_eq(skip(text, 0, 2 * depth), 0);
        }
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The nested value as the splitter finds it: of an event whose only member it is. 0 where there is
 * none. */
static size_t split_value(const char *value, size_t n)
{
    static const char head[] = "[{\"k\":";
    char text[600];
    struct lf_splitter s;
    struct lf_split_batch batch = {0};
    struct lanefix_error err;
    size_t n_head = sizeof head - 1;
    size_t consumed;
    size_t end = 0;

    memcpy(text, head, n_head);
    memcpy(text + n_head, value, n);
    text[n_head + n] = '}';
    lf_splitter_init(&s);
    if (lf_splitter_feed(&s, LF_SPLIT_PORTABLE, (const uint8_t *)text, n_head + n + 1, false,
                         &batch, &consumed, &err) == LANEFIX_OK &&
        batch.n_events == 1 && batch.n_nested == 1) {
        end = batch.nested[0].end - n_head;
    }
    lf_split_batch_fini(&batch);
    return end;
}

Test(skip, finds_what_the_splitter_finds)
{
    static const char bytes[] = "{}[]{}[]\"\"\"\\,: a\n1";
    uint64_t rng = 11;
    size_t n_found = 0;

    for (int round = 0; round < 300000; round++) {
        char value[300];
        size_t n = 2 + next_random(&rng) % (round % 3 == 0 ? 200 : 12);
        size_t end;

        for (size_t i = 0; i < n; i++) {
            value[i] = bytes[next_random(&rng) % (sizeof bytes - 1)];
        }
        value[0] = "{["[next_random(&rng) % 2];
        end = skip(value, 0, n);
        if (end != 0) {
            cr_assert_eq(split_value(value, end), end, "%.*s: %zu", (int)n, value, end);
            n_found++;
        } else {
            for (end = 2; end <= n; end++) {
                cr_assert_neq(split_value(value, end), end, "%.*s: not found", (int)end, value);
            }
        }
    }
    cr_assert_gt(n_found, 10000, "%zu", n_found);
}
