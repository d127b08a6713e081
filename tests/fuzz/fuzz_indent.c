/* The indenter on any bytes: every kernel, whole or in windows, gives what the byte-wise reader
 * gives for the whole. The first two bytes of the input are the window's size and the width. */
#include <stdlib.h>
#include <string.h>

#include "json/indent_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input);

/* The condition holds, also where NDEBUG is set. */
static void must(int condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

/* Each piece is a copy of its own, so that a sanitizer sees what is read outside. */
static void run(lf_indent_fn *kernel, struct lf_indenter *d, const uint8_t *text, size_t n,
                size_t window, struct lf_bytes *out)
{
    for (size_t at = 0; at < n; at += window) {
        size_t len = n - at < window ? n - at : window;
        uint8_t *copy = malloc(len);
        struct lanefix_error err;

        memcpy(copy, text + at, len);
        must(lf_indent_with(kernel, d, copy, len, out, &err) == LANEFIX_OK);
        free(copy);
    }
}

static void must_agree(const struct lf_indenter *a, const struct lf_indenter *b,
                       const struct lf_bytes *x, const struct lf_bytes *y)
{
    must(x->n == y->n && (x->n == 0 || memcmp(x->data, y->data, x->n) == 0));
    must(a->depth == b->depth && a->last == b->last);
    must(a->in_string == b->in_string && a->escaped == b->escaped);
    must(a->in_primitive == b->in_primitive);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input)
{
    static const enum lf_split_kernel kernels[] = {LF_SPLIT_AVX2, LF_SPLIT_NEON};
    struct lf_bytes expected = {0};
    struct lf_indenter slow;
    unsigned width;
    size_t window;

    if (n_input < 3) {
        return 0;
    }
    window = 4 * (size_t)input[0] + 1;
    width = input[1] % 17;
    input += 2;
    n_input -= 2;
    lf_indenter_init(&slow, width);
    run(NULL, &slow, input, n_input, n_input, &expected);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        lf_indent_fn *kernel = lf_indent_kernel(kernels[k]);

        for (int whole = 0; kernel != NULL && whole < 2; whole++) {
            struct lf_bytes got = {0};
            struct lf_indenter fast;

            lf_indenter_init(&fast, width);
            run(kernel, &fast, input, n_input, whole ? n_input : window, &got);
            must_agree(&slow, &fast, &expected, &got);
            lf_bytes_fini(&got);
        }
    }
    lf_bytes_fini(&expected);
    return 0;
}
