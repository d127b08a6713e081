/* The splitter: each rule with its status and offset; every kernel against the byte-wise reader;
 * windows of any size. In one file, as it is a table of rules. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "json/split.h"
#include "json/split_internal.h"

struct found_event {
    uint64_t start, end;
    size_t n_nested;
};

struct result {
    enum lanefix_status status;
    struct lanefix_error err;
    struct lf_splitter s;
    struct found_event events[4096];
    size_t n_events;
    uint64_t nested_sum; /* of start * 31 + end, as stream offsets */
    uint64_t n_nested;
};

static void keep(struct result *r, const struct lf_split_batch *b, uint64_t off)
{
    for (size_t i = 0; i < b->n_events; i++) {
        const struct lf_split_event *e = &b->events[i];

        if (r->n_events < sizeof r->events / sizeof r->events[0]) {
            r->events[r->n_events] =
                (struct found_event){off + e->start, off + e->end, e->n_nested};
        }
        r->n_events++;
        for (uint32_t k = 0; k < e->n_nested; k++) {
            const struct lf_span *n = &b->nested[e->first_nested + k];

            r->nested_sum = r->nested_sum * 1000003 + (off + n->start) * 31 + off + n->end;
            r->n_nested++;
        }
    }
}

/* Shows window bytes at a time, more where nothing was consumed. */
static void split(struct result *r, enum lf_split_kernel kernel, const uint8_t *data, size_t n,
                  size_t window)
{
    struct lf_split_batch batch = {0};
    size_t pos = 0;
    size_t show = window;

    memset(r, 0, sizeof *r);
    lf_error_init(&r->err);
    lf_splitter_init(&r->s);
    for (;;) {
        size_t len = n - pos < show ? n - pos : show;
        bool last = len == n - pos;
        uint64_t off = r->s.off;
        size_t consumed = 0;

        cr_assert_eq(off, pos);
        r->status =
            lf_splitter_feed(&r->s, kernel, data + pos, len, last, &batch, &consumed, &r->err);
        keep(r, &batch, off);
        if (r->status != LANEFIX_OK || last) {
            break;
        }
        pos += consumed;
        show = consumed == 0 ? show + window : window;
    }
    lf_split_batch_fini(&batch);
}

static void assert_same(const struct result *a, const struct result *b, const char *what)
{
    cr_assert_eq(a->status, b->status, "%s: status %d, %d (%s | %s)", what, a->status, b->status,
                 a->err.message, b->err.message);
    cr_assert_eq(a->err.offset, b->err.offset, "%s: fault at %llu, %llu", what,
                 (unsigned long long)a->err.offset, (unsigned long long)b->err.offset);
    cr_assert_str_eq(a->err.message, b->err.message, "%s", what);
    cr_assert_eq(a->n_events, b->n_events, "%s: %zu, %zu events", what, a->n_events, b->n_events);
    for (size_t i = 0; i < a->n_events && i < 4096; i++) {
        cr_assert_eq(a->events[i].start, b->events[i].start, "%s: event %zu", what, i);
        cr_assert_eq(a->events[i].end, b->events[i].end, "%s: event %zu", what, i);
        cr_assert_eq(a->events[i].n_nested, b->events[i].n_nested, "%s: event %zu", what, i);
    }
    cr_assert_eq(a->nested_sum, b->nested_sum, "%s: nested values differ", what);
    cr_assert_eq(a->s.n_events, b->s.n_events, "%s", what);
    cr_assert_eq(a->s.first_event_off, b->s.first_event_off, "%s", what);
    cr_assert_eq(a->s.last_event_off, b->s.last_event_off, "%s", what);
    cr_assert_eq(a->s.last_event_end, b->s.last_event_end, "%s", what);
    cr_assert_eq(a->s.array_off, b->s.array_off, "%s", what);
    cr_assert_eq(a->s.unclosed, b->s.unclosed, "%s", what);
    cr_assert_eq(a->s.cut_event, b->s.cut_event, "%s", what);
}

static const enum lf_split_kernel kernels[] = {LF_SPLIT_PORTABLE, LF_SPLIT_AVX2, LF_SPLIT_NEON,
                                               LF_SPLIT_AUTO};
#define N_KERNELS (sizeof kernels / sizeof kernels[0])

/* text[0..n) with every kernel and in windows: one result. */
static void split_all_ways(struct result *r, const char *text, size_t n)
{
    static const size_t windows[] = {1, 2, 3, 7, 63, 64, 65, 200};
    struct result *other = malloc(sizeof *other);
    char what[64];

    split(r, LF_SPLIT_PORTABLE, (const uint8_t *)text, n, n + 1);
    for (size_t k = 0; k < N_KERNELS; k++) {
        if (!lf_split_kernel_available(kernels[k])) {
            continue;
        }
        split(other, kernels[k], (const uint8_t *)text, n, n + 1);
        snprintf(what, sizeof what, "kernel %d", (int)kernels[k]);
        assert_same(r, other, what);
        for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
            split(other, kernels[k], (const uint8_t *)text, n, windows[w]);
            snprintf(what, sizeof what, "kernel %d, window %zu", (int)kernels[k], windows[w]);
            assert_same(r, other, what);
        }
    }
    free(other);
}

static void assert_refused_n(const char *text, size_t n, uint64_t off, const char *message)
{
    struct result *r = malloc(sizeof *r);

    split_all_ways(r, text, n);
    cr_assert_eq(r->status, LANEFIX_ERR_INPUT, "%s: taken", text);
    cr_assert_eq(r->err.offset, off, "%s: %s at %llu", text, r->err.message,
                 (unsigned long long)r->err.offset);
    cr_assert(strstr(r->err.message, message) != NULL, "%s: '%s' is not in '%s'", text, message,
              r->err.message);
    free(r);
}

static void assert_refused(const char *text, uint64_t off, const char *message)
{
    assert_refused_n(text, strlen(text), off, message);
}

static void assert_taken(const char *text, size_t n_events, uint64_t n_nested)
{
    struct result *r = malloc(sizeof *r);

    split_all_ways(r, text, strlen(text));
    cr_assert_eq(r->status, LANEFIX_OK, "%s: %s at %llu", text, r->err.message,
                 (unsigned long long)r->err.offset);
    cr_assert_eq(r->n_events, n_events, "%s: %zu events", text, r->n_events);
    cr_assert_eq(r->n_nested, n_nested, "%s: %llu nested", text, (unsigned long long)r->n_nested);
    cr_assert_eq(r->s.n_events, n_events);
    free(r);
}

Test(split, takes_object_form)
{
    assert_taken("{\"traceEvents\":[]}", 0, 0);
    assert_taken(" \t\r\n{ \"traceEvents\" : [ ] } \n", 0, 0);
    assert_taken("{\"traceEvents\":[{}]}", 1, 0);
    assert_taken("{\"a\":1,\"traceEvents\":[{\"x\":{}},{\"y\":[1]}],\"b\":[{\"c\":null}]}", 2, 2);
    assert_taken("{\"a\":{\"traceEvents\":[{}]},\"traceEvents\":[{}]}", 1, 0);
    assert_taken("{\"a\":[[],{},[{}],[1,2],\"x\"],\"traceEvents\":[],\"a\":1,\"a\":NaN}", 0, 0);
    assert_taken("{\"traceEvents\":[{}],\"traceEvents\":[{},{}]}", 3, 0);
    assert_taken("{\"a\\\"\":\"\\\\\",\"traceEvents\":[{}]}", 1, 0);
    assert_taken("{\"traceEventsX\":{},\"traceEvent\":1,\"\":2,\"traceEvents\":[{}]}", 1, 0);
    assert_taken("{\"a\":-1e999,\"b\":inf,\"traceEvents\":[]}", 0, 0);
    assert_taken("{\"a\":\"caf\xc3\xa9 \xff\",\"traceEvents\":[]}", 0, 0);
}

Test(split, takes_array_form)
{
    struct result *r = malloc(sizeof *r);

    assert_taken("[]", 0, 0);
    assert_taken(" [ ] ", 0, 0);
    assert_taken("[{},{\"a\":[{}]}]", 2, 1);
    assert_taken("[{\"traceEvents\":[{},{}]}]", 1, 1);
    split_all_ways(r, "[{}", 3);
    cr_assert(r->status == LANEFIX_OK && r->s.unclosed && !r->s.cut_event && r->n_events == 1);
    split_all_ways(r, "[{}, ", 5);
    cr_assert(r->status == LANEFIX_OK && r->s.unclosed && !r->s.cut_event && r->n_events == 1);
    split_all_ways(r, "[", 1);
    cr_assert(r->status == LANEFIX_OK && r->s.unclosed && !r->s.cut_event && r->n_events == 0);
    split_all_ways(r, "[{\"a", 4);
    cr_assert(r->status == LANEFIX_OK && r->s.unclosed && r->s.cut_event && r->n_events == 0);
    split_all_ways(r, "[{},{\"a\":{}", 11);
    cr_assert(r->status == LANEFIX_OK && r->s.unclosed && r->s.cut_event && r->n_events == 1);
    cr_assert_eq(r->n_nested, 0);
    cr_assert_eq(r->s.last_event_end, 3);
    split_all_ways(r, "[{}]", 4);
    cr_assert(r->status == LANEFIX_OK && !r->s.unclosed && !r->s.cut_event);
    free(r);
}

Test(split, takes_odd_separators)
{
    assert_taken("[{}{}]", 2, 0);
    assert_taken("[{},,,{} , , {},]", 3, 0);
    assert_taken("[{}\n{}\t\r\n{},\n]", 3, 0);
    assert_taken("{\"traceEvents\":[{}{},,{},]}", 3, 0);
}

Test(split, takes_anything_in_event_strings)
{
    assert_taken("[{\"a\":\"x\ny\x01\"}]", 1, 0);
    assert_taken("[{\"a\":\"[{}]}]\",\"b\":\"\\\"}]\\\\\"}]", 1, 0);
    assert_taken("[{\"a\" : \"b\" , \"c\"\n:\t[ \"d\" , \"e\" ] }]", 1, 1);
    assert_taken("[{\"a\":\"\\\\\\\\\\\"\"}]", 1, 0);
    assert_taken("[{\"a\":\"torch\\cuda\"}]", 1, 0);
}

Test(split, refuses_the_start)
{
    assert_refused("\xef\xbb\xbf[]", 0, "byte-order mark");
    assert_refused("\xef\xbb", 0, "expected '{' or '['");
    assert_refused(" \xef\xbb\xbf[]", 1, "expected '{' or '['");
    assert_refused("", 0, "expected '{' or '['");
    assert_refused("  \n", 3, "expected '{' or '['");
    assert_refused("x", 0, "'x'");
    assert_refused(" \"a\"", 1, "expected '{' or '['");
    assert_refused_n("\0[]", 3, 0, "byte 0x00");
}

Test(split, refuses_a_comma_before_the_first_event)
{
    assert_refused("[,{}]", 1, "',' before the first event");
    assert_refused("[ ,]", 2, "',' before the first event");
    assert_refused("{\"traceEvents\": [\n,{}]}", 18, "',' before the first event");
    assert_refused("{\"traceEvents\":[{}],\"traceEvents\":[,{}]}", 35, "',' before the first");
}

Test(split, refuses_elements_that_are_no_objects)
{
    assert_refused("[1]", 1, "element of traceEvents is no object");
    assert_refused("[{},null]", 4, "element of traceEvents is no object");
    assert_refused("[{},\"x\"]", 4, "element of traceEvents is no object");
    assert_refused("[{} [ ] ]", 4, "element of traceEvents is no object");
    assert_refused("[{}:{}]", 3, "element of traceEvents is no object");
    assert_refused("[{}}]", 3, "element of traceEvents is no object");
    assert_refused("[{}\\]", 3, "element of traceEvents is no object");
    assert_refused_n("[{}\0]", 5, 3, "byte 0x00");
    assert_refused("{\"traceEvents\":[{},2]}", 19, "element of traceEvents is no object");
}

Test(split, refuses_bad_values_of_traceEvents)
{
    assert_refused("{\"traceEvents\":{}}", 15, "must be an array");
    assert_refused("{\"traceEvents\": null}", 16, "must be an array");
    assert_refused("{\"traceEvents\":\"\"}", 15, "must be an array");
    assert_refused("{}", 2, "no traceEvents");
    assert_refused("{\"a\":{\"traceEvents\":[]}} ", 25, "no traceEvents");
    assert_refused("{\"traceevents\":[]}", 18, "no traceEvents");
}

Test(split, refuses_mismatched_brackets_in_events)
{
    assert_refused("[{\"a\":[1}]", 8, "expected ']'");
    assert_refused("[{\"a\":{]}]", 7, "expected '}'");
    assert_refused("[{]", 2, "expected '}'");
    assert_refused("[{\"a\":[[[{}]]}]}]", 13, "expected ']'");
}

Test(split, refuses_quotes_that_are_not_escaped)
{
    assert_refused("[{\"a\":\"a \"b\" c\"}]", 10, "'b' behind a string");
    assert_refused("[{\"a\":\"a \" b\" c\"}]", 11, "'b' behind a string");
    assert_refused("[{\"a\":\"a\" \"b\"}]", 10, "quote in an event");
    assert_refused("[{\"a\":{\"b\":\"\"\"\"}}]", 13, "quote in an event");
    assert_refused("[{\"a\":1\"b\"}]", 7, "quote in an event");
    assert_refused("[{\"a\":{} \"b\":1}]", 9, "quote in an event");
    assert_refused("[{\"a\"{}}]", 5, "'{' behind a string");
    assert_refused("[{\"a\":\\\"b\"}]", 6, "backslash outside a string");
}

Test(split, sees_quotes_across_blocks)
{
    /* The fault of a string followed by white space and a word, at every place of a block. */
    for (size_t pad = 0; pad < 200; pad++) {
        for (size_t space = 0; space < 140; space += 1 + space / 3) {
            char text[512];
            int n =
                snprintf(text, sizeof text, "[{\"a\":%*s\"b\"%*sx}]", (int)pad, "", (int)space, "");
            struct result r;

            split(&r, LF_SPLIT_AUTO, (const uint8_t *)text, (size_t)n, (size_t)n);
            cr_assert_eq(r.status, LANEFIX_ERR_INPUT);
            cr_assert_eq(r.err.offset, 9 + pad + space);
            n = snprintf(text, sizeof text, "[{\"a\":%*s\"b\"%*s}]", (int)pad, "", (int)space, "");
            split(&r, LF_SPLIT_AUTO, (const uint8_t *)text, (size_t)n, (size_t)n);
            cr_assert_eq(r.status, LANEFIX_OK);
        }
    }
}

Test(split, is_strict_outside_events)
{
    assert_refused("{,\"traceEvents\":[]}", 1, "expected a key or '}'");
    assert_refused("{\"a\":1,}", 7, "expected a key");
    assert_refused("{\"a\" 1}", 5, "expected ':'");
    assert_refused("{\"a\":}", 5, "expected a value");
    assert_refused("{\"a\":1 2}", 7, "expected ',' or '}'");
    assert_refused("{\"a\":\"x\"\"y\"}", 8, "expected ',' or '}'");
    assert_refused("{\"a\":[1,]}", 8, "expected a value");
    assert_refused("{\"a\":[1}}", 7, "expected ',' or ']'");
    assert_refused("{\"a\":{\"b\":1]}", 11, "expected ',' or '}'");
    assert_refused("{a:1}", 1, "expected a key or '}'");
    assert_refused("{\"a\":[,1]}", 6, "expected a value");
    assert_refused("{\"a\":\"x\ny\"}", 7, "control character 0x0a");
    assert_refused("{\"a\nb\":1}", 3, "control character 0x0a");
    assert_refused("{\"a\":\"x\\\x01\"}", 8, "control character 0x01");
    assert_refused_n("{\"a\":1\0}", 8, 6, "byte 0x00");
    assert_refused("{\"traceEvents\":[] \"a\":1}", 18, "expected ',' or '}'");
    assert_refused("{\"traceEvents\":[],}", 18, "expected a key");
}

Test(split, refuses_what_follows_the_trace)
{
    assert_refused("[{}] x", 5, "expected the end");
    assert_refused("[{}],", 4, "expected the end");
    assert_refused("{\"traceEvents\":[]}{", 18, "expected the end");
    assert_refused_n("[]\0", 3, 2, "byte 0x00");
}

Test(split, refuses_an_object_form_cut_short)
{
    assert_refused("{", 1, "cut short");
    assert_refused("{\"a", 3, "cut short");
    assert_refused("{\"traceEvents\":[", 16, "cut short");
    assert_refused("{\"traceEvents\":[{},  ", 21, "cut short");
    assert_refused("{\"traceEvents\":[{}, {\"a\":1", 20, "inside the event that starts here");
    assert_refused("{\"traceEvents\":[{}]", 19, "cut short");
    assert_refused("{\"traceEvents\":[{}],\"x\":{", 25, "cut short");
}

Test(split, keeps_offsets_of_events)
{
    struct result *r = malloc(sizeof *r);
    const char *text = "{\"traceEvents\":[ {\"a\":1}, {\"b\":{}} ] }";

    split_all_ways(r, text, strlen(text));
    cr_assert_eq(r->s.array_off, 15);
    cr_assert_eq(r->s.first_event_off, 17);
    cr_assert_eq(r->s.last_event_off, 26);
    cr_assert_eq(r->s.last_event_end, 34);
    cr_assert_eq(r->s.off, strlen(text));
    cr_assert_eq(r->s.place, LF_SPLIT_DONE);
    split_all_ways(r, "[]", 2);
    cr_assert_eq(r->s.first_event_off, LANEFIX_NO_OFFSET);
    cr_assert_eq(r->s.last_event_off, LANEFIX_NO_OFFSET);
    cr_assert_eq(r->s.last_event_end, LANEFIX_NO_OFFSET);
    cr_assert_eq(r->s.array_off, 0);
    free(r);
}

Test(split, takes_any_depth)
{
    static const size_t depths[] = {1, 61, 62, 63, 64, 65, 600, 1023, 1024, 5000};
    struct result *r = malloc(sizeof *r);

    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        size_t d = depths[i];
        char *text = malloc(2 * d + 16);
        size_t n = (size_t)sprintf(text, "[{\"a\":");

        memset(text + n, '[', d);
        memset(text + n + d, ']', d);
        n += 2 * d;
        n += (size_t)sprintf(text + n, "},{}]");
        for (size_t k = 0; k < N_KERNELS; k++) {
            if (lf_split_kernel_available(kernels[k])) {
                split(r, kernels[k], (const uint8_t *)text, n, n);
                cr_assert_eq(r->status, LANEFIX_OK, "depth %zu: %s", d, r->err.message);
                cr_assert_eq(r->n_events, 2);
                cr_assert_eq(r->n_nested, 1);
            }
        }
        free(text);
    }
    free(r);
}

Test(split, bounds_depth_outside_events)
{
    struct result *r = malloc(sizeof *r);
    char *text = malloc(4096);
    size_t n = (size_t)sprintf(text, "{\"a\":");

    memset(text + n, '[', 2000);
    split(r, LF_SPLIT_AUTO, (const uint8_t *)text, n + 2000, 5000);
    cr_assert_eq(r->status, LANEFIX_ERR_LIMIT);
    cr_assert_eq(r->err.offset, n + LF_SPLIT_HEAD_LEVELS - 2);
    n += 1000;
    memset(text + n, ']', 1000);
    n += 1000;
    n += (size_t)sprintf(text + n, ",\"traceEvents\":[]}");
    split(r, LF_SPLIT_AUTO, (const uint8_t *)text, n, 5000);
    cr_assert_eq(r->status, LANEFIX_OK);
    free(text);
    free(r);
}

Test(split, goes_on_where_it_is_told)
{
    const char *text = "{},{\"a\":{}}]}";
    struct lf_split_batch b = {0};
    struct lanefix_error err;
    struct lf_splitter s;
    size_t consumed;

    lf_splitter_resume(&s, 1000, false);
    cr_assert_eq(lf_splitter_feed(&s, LF_SPLIT_AUTO, (const uint8_t *)text, strlen(text), true, &b,
                                  &consumed, &err),
                 LANEFIX_OK);
    cr_assert_eq(b.n_events, 2);
    cr_assert_eq(s.last_event_off, 1003);
    cr_assert_eq(s.place, LF_SPLIT_DONE);
    lf_splitter_resume(&s, 1000, true);
    cr_assert_eq(lf_splitter_feed(&s, LF_SPLIT_AUTO, (const uint8_t *)text, strlen(text) - 1, true,
                                  &b, &consumed, &err),
                 LANEFIX_OK);
    cr_assert_eq(s.place, LF_SPLIT_DONE);
    lf_split_batch_fini(&b);
}

Test(split, consumes_up_to_an_event_that_is_not_complete)
{
    const char *text = "[{},  {\"a\":1";
    struct lf_split_batch b = {0};
    struct lanefix_error err;
    struct lf_splitter s;
    size_t consumed;

    lf_splitter_init(&s);
    cr_assert_eq(lf_splitter_feed(&s, LF_SPLIT_AUTO, (const uint8_t *)text, strlen(text), false, &b,
                                  &consumed, &err),
                 LANEFIX_OK);
    cr_assert_eq(consumed, 6);
    cr_assert_eq(s.off, 6);
    cr_assert_eq(b.n_events, 1);
    cr_assert_eq(lf_splitter_feed(&s, LF_SPLIT_AUTO, (const uint8_t *)text + 6, 6, false, &b,
                                  &consumed, &err),
                 LANEFIX_OK);
    cr_assert_eq(consumed, 0);
    cr_assert_eq(b.n_events, 0);
    lf_split_batch_fini(&b);
}

/* Pages with no access before and behind: data flush with either end. */
struct guarded {
    uint8_t *map;
    size_t page, n_pages;
};

static void guard(struct guarded *g, size_t n)
{
    g->page = (size_t)sysconf(_SC_PAGESIZE);
    g->n_pages = (n + g->page - 1) / g->page + 2;
    g->map = mmap(NULL, g->n_pages * g->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    cr_assert(g->map != MAP_FAILED);
    mprotect(g->map, g->page, PROT_NONE);
    mprotect(g->map + (g->n_pages - 1) * g->page, g->page, PROT_NONE);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Events that are mostly well-formed, then some bytes are changed. */
static size_t random_events(uint8_t *out, size_t n, uint64_t *rng)
{
    static const char *const parts[] = {
        "{\"a\":1}",
        "{\"name\":\"x\\\\\\\"y\",\"args\":{\"k\":[[1],[2,{}]]}}",
        ",",
        "\n  ",
        "{\"s\":\"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\"}",
        "{}",
        "{\"a\":\"{[}]\"}",
        "{\"l\":[\"\",\"\" , \"b\"],\"m\":{\"n\":{}}}",
        "{\"w\"  :                                                                    \"v\"    }",
    };
    static const uint8_t marks[] = "\"\"\\\\{}[],: \nax";
    size_t w = 0;

    out[w++] = '[';
    while (w < n) {
        const char *part = parts[next_random(rng) % (sizeof parts / sizeof parts[0])];

        for (; *part != '\0' && w < n; part++) {
            out[w++] = (uint8_t)*part;
        }
    }
    if (next_random(rng) % 2 == 0) {
        for (uint64_t k = next_random(rng) % 3; k > 0; k--) {
            out[next_random(rng) % n] = marks[next_random(rng) % (sizeof marks - 1)];
        }
    }
    return n;
}

/* What the byte-wise reader makes of it: no kernel. */
static enum lf_scan_stop scan_by_steps(struct lf_scan *scan, struct lanefix_error *err,
                                       enum lanefix_status *status)
{
    enum lf_scan_stop stop = LF_SCAN_ALARM;

    *status = LANEFIX_OK;
    while (stop == LF_SCAN_ALARM && *status == LANEFIX_OK) {
        *status = lf_split_step(scan, 0, &stop, err);
    }
    return stop;
}

static void compare_scans(const uint8_t *data, size_t n)
{
    struct lf_split_batch slow_batch = {0};
    struct lf_scan slow = {data, n, 1, false, &slow_batch};
    struct lanefix_error err;
    enum lanefix_status status;
    enum lf_scan_stop slow_stop = scan_by_steps(&slow, &err, &status);

    for (size_t k = 0; k < N_KERNELS; k++) {
        struct lf_split_batch batch = {0};
        struct lf_scan scan = {data, n, 1, false, &batch};
        lf_scan_fn *kernel = lf_scan_kernel(kernels[k]);
        enum lf_scan_stop stop;

        if (kernel == NULL) {
            continue;
        }
        stop = kernel(&scan, &err);
        if (status != LANEFIX_OK) {
            cr_assert_eq(stop, LF_SCAN_ALARM, "kernel %d saw no fault", (int)kernels[k]);
        } else if (stop != LF_SCAN_ALARM) { /* an alarm for nothing is allowed at a closed end */
            cr_assert_eq(stop, slow_stop);
            cr_assert_eq(scan.in_event, slow.in_event);
            cr_assert_eq(scan.pos, slow.pos);
            cr_assert_eq(batch.n_events, slow_batch.n_events);
        }
        cr_assert_leq(batch.n_events, slow_batch.n_events);
        for (size_t i = 0; i < batch.n_events; i++) {
            cr_assert_eq(memcmp(&batch.events[i], &slow_batch.events[i], sizeof batch.events[i]),
                         0);
        }
        lf_split_batch_fini(&batch);
    }
    lf_split_batch_fini(&slow_batch);
}

Test(split, kernels_agree_on_random_bytes_between_guard_pages)
{
    enum { MAX = 700 };
    struct guarded g;
    uint64_t rng = 1;

    guard(&g, MAX);
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + next_random(&rng) % MAX;
        uint8_t *end = g.map + (g.n_pages - 1) * g.page;
        uint8_t *data = round % 2 == 0 ? end - n : g.map + g.page;

        random_events(data, n, &rng);
        compare_scans(data, n);
    }
    munmap(g.map, g.n_pages * g.page);
}

Test(split, kernels_agree_on_marks_only)
{
    static const uint8_t marks[] = "\"\\{}[],: a";
    struct guarded g;
    uint64_t rng = 2;

    guard(&g, 300);
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + next_random(&rng) % 300;
        uint8_t *data = g.map + (g.n_pages - 1) * g.page - n;
        size_t kinds = 2 + next_random(&rng) % (sizeof marks - 2);

        for (size_t i = 0; i < n; i++) {
            data[i] = marks[next_random(&rng) % kinds];
        }
        data[0] = '[';
        compare_scans(data, n);
    }
    munmap(g.map, g.n_pages * g.page);
}

Test(split, has_room_for_the_smallest_values)
{
    uint8_t text[700];

    for (size_t pad = 0; pad < 64; pad++) {
        for (size_t pairs = 20; pairs < 300; pairs += 7) {
            size_t n = (size_t)sprintf((char *)text, "[%*s{", (int)pad, "");

            for (size_t i = 0; i < pairs; i++) {
                memcpy(text + n + 2 * i, "[]", 2);
            }
            n += 2 * pairs;
            text[n++] = '}';
            compare_scans(text, n);
            for (size_t i = pad + 1; i < n; i++) {
                text[i] = i % 2 == (pad + 1) % 2 ? '{' : '}';
            }
            compare_scans(text, n - n % 2);
        }
    }
}

Test(split, kernels_agree_on_runs_of_backslashes)
{
    uint8_t text[400];

    for (size_t before = 0; before < 130; before++) {
        for (size_t run = 0; run < 132; run++) {
            size_t n = 0;

            n += (size_t)sprintf((char *)text, "[{\"");
            memset(text + n, 'x', before);
            n += before;
            memset(text + n, '\\', run);
            n += run;
            n += (size_t)sprintf((char *)text + n, "\":{}}, {}]");
            compare_scans(text, n);
        }
    }
}

Test(split, windows_of_any_size_give_the_same_events)
{
    struct result *whole = malloc(sizeof *whole);
    struct result *parts = malloc(sizeof *parts);
    uint8_t *data = malloc(3000);
    uint64_t rng = 3;
    char what[64];

    for (int round = 0; round < 30; round++) {
        size_t n = random_events(data, 1000 + next_random(&rng) % 2000, &rng);

        split(whole, LF_SPLIT_PORTABLE, data, n, n + 1);
        for (size_t window = 1; window <= 200; window++) {
            snprintf(what, sizeof what, "round %d, window %zu", round, window);
            split(parts, LF_SPLIT_AUTO, data, n, window);
            assert_same(whole, parts, what);
        }
    }
    free(data);
    free(parts);
    free(whole);
}
