/* The tokenizer on any bytes: events, separated by byte 0x1f, read with and without shapes must say
 * the same. Where an event's brackets match, it is read with its nested values given, too, and
 * ahead. */
#include <stdlib.h>
#include <string.h>

#include "json/token.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input);

static const char *const keys[] = {"name", "ph", "ts", "dur", "tid", "args"};
enum { N_KEYS = sizeof keys / sizeof keys[0], STEADY = 1 << 1 | 1 << 4, MAX_NESTED = 64 };

/* The condition holds, also where NDEBUG is set. */
static void must(int condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

/* Nested direct members; false where brackets do not match or there are too many. */
static int find_nested(const uint8_t *event, size_t n, struct lf_span *spans, size_t *n_spans)
{
    char open[64];
    size_t depth = 0;

    *n_spans = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = event[i];

        if (c == '"') {
            for (i++; i < n && event[i] != '"'; i++) {
                i += event[i] == '\\';
            }
            if (i >= n) {
                return 0;
            }
        } else if (c == '{' || c == '[') {
            if (depth == 1) {
                if (*n_spans == MAX_NESTED) {
                    return 0;
                }
                spans[*n_spans].start = (uint32_t)i;
            }
            if (depth == sizeof open || (depth == 0 && i != 0)) {
                return 0;
            }
            open[depth++] = c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            if (depth == 0 || open[--depth] != (char)c) {
                return 0;
            }
            if (depth == 1) {
                spans[(*n_spans)++].end = (uint32_t)i + 1;
            }
        } else if (c == '\\') {
            return 0;
        }
    }
    return depth == 0;
}

static enum lanefix_status read_event(struct lf_tokenizer *t, const uint8_t *event, size_t n,
                                      const struct lf_span *spans, size_t n_spans,
                                      struct lf_value *values, struct lf_token_fault *fault)
{
    struct lanefix_error err;
    enum lanefix_status status = lf_tokenize(t, event, n, spans, n_spans, 0, values, fault, &err);

    must(status == LANEFIX_OK || (status == LANEFIX_ERR_INPUT && fault->off <= n));
    for (size_t k = 0; status == LANEFIX_OK && k < N_KEYS; k++) {
        must(values[k].start <= values[k].end && values[k].end <= n);
        must(values[k].kind != LF_VALUE_PRIMITIVE || values[k].start < values[k].end);
    }
    return status;
}

/* Where a known layout is read ahead, it is the event, and says the same; bytes behind it and
 * missing ones change nothing. b: what the event says. */
static void compare_ahead(struct lf_tokenizer *shaped, const uint8_t *event, size_t n,
                          enum lanefix_status status, const struct lf_value *b)
{
    struct lf_value a[N_KEYS];
    size_t end = lf_tokenize_ahead(shaped, event, n, a);
    uint8_t *text = malloc(n + 1);

    if (end != 0) {
        lf_tokenize_steady(shaped, a);
    }
    must(end <= n);
    must(end == 0 || end < n || status == LANEFIX_OK);
    must(end == 0 || end == n || status != LANEFIX_OK);
    if (n != 0) {
        memcpy(text, event, n);
    }
    text[n] = ',';
    for (int round = 0; status == LANEFIX_OK && round < 2; round++) {
        for (size_t k = 0; end != 0 && k < N_KEYS; k++) {
            must(a[k].start == b[k].start && a[k].end == b[k].end && a[k].kind == b[k].kind);
        }
        end = lf_tokenize_ahead(shaped, text, n + 1, a);
        if (end != 0) {
            lf_tokenize_steady(shaped, a);
        }
        must(end == 0 || end == n);
    }
    free(text);
    if (n != 0 && status == LANEFIX_OK) {
        text = malloc(n);
        memcpy(text, event, n);
        must(lf_tokenize_ahead(shaped, text, n - 1, a) == 0);
        free(text);
    }
}

static void compare(struct lf_tokenizer *plain, struct lf_tokenizer *shaped, const uint8_t *event,
                    size_t n, const struct lf_span *spans, size_t n_spans, bool nested_are_given)
{
    struct lf_value a[N_KEYS], b[N_KEYS];
    struct lf_token_fault fault_a = {0, ""}, fault_b = {0, ""};

    for (int round = 0; round < 2; round++) {
        enum lanefix_status status = read_event(plain, event, n, spans, n_spans, a, &fault_a);

        must(read_event(shaped, event, n, spans, n_spans, b, &fault_b) == status);
        for (size_t k = 0; status == LANEFIX_OK && k < N_KEYS; k++) {
            must(a[k].start == b[k].start && a[k].end == b[k].end && a[k].kind == b[k].kind);
        }
        must(status == LANEFIX_OK ||
             (fault_a.off == fault_b.off && strcmp(fault_a.expected, fault_b.expected) == 0));
        if (nested_are_given) {
            compare_ahead(shaped, event, n, status, a);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input)
{
    struct lf_tokenizer *plain = NULL, *shaped = NULL;
    struct lanefix_error err;
    size_t from = 0;

    must(lf_tokenizer_create(&plain, keys, N_KEYS, false, 0, &err) == LANEFIX_OK);
    must(lf_tokenizer_create(&shaped, keys, N_KEYS, true, STEADY, &err) == LANEFIX_OK);
    while (from <= n_input) {
        const uint8_t *end = n_input != from ? memchr(input + from, 0x1f, n_input - from) : NULL;
        size_t n = end != NULL ? (size_t)(end - input) - from : n_input - from;
        uint8_t *event = malloc(n != 0 ? n : 1);
        struct lf_span spans[MAX_NESTED];
        size_t n_spans;

        if (n != 0) {
            memcpy(event, input + from, n);
        }
        compare(plain, shaped, event, n, NULL, 0, false);
        if (find_nested(event, n, spans, &n_spans)) {
            compare(plain, shaped, event, n, spans, n_spans, true);
        }
        free(event);
        from += n + 1;
    }
    lf_tokenizer_destroy(plain);
    lf_tokenizer_destroy(shaped);
    return 0;
}
