/* The splitter on any bytes: every kernel, whole or in windows, must give what the portable one
 * gives for the whole; what it takes must be what the byte-wise reader takes, and what skips a
 * nested value must find the same end. The first byte of the input is the window's size. */
#include <stdlib.h>
#include <string.h>

#include "json/split.h"
#include "json/split_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input);

/* The condition holds, also where NDEBUG is set. */
static void must(int condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

struct outcome {
    enum lanefix_status status;
    struct lanefix_error err;
    struct lf_splitter s;
    uint64_t sum; /* of all events and nested values */
};

static void add_batch(struct outcome *o, const struct lf_split_batch *b, uint64_t off)
{
    for (size_t i = 0; i < b->n_events; i++) {
        const struct lf_split_event *e = &b->events[i];

        must(e->start < e->end && e->first_nested + e->n_nested <= b->n_nested);
        o->sum = o->sum * 1000003 + off + e->start;
        o->sum = o->sum * 1000003 + off + e->end;
        for (uint32_t k = e->first_nested; k < e->first_nested + e->n_nested; k++) {
            must(b->nested[k].start > e->start && b->nested[k].end < e->end);
            o->sum = o->sum * 1000003 + off + b->nested[k].start;
            o->sum = o->sum * 1000003 + off + b->nested[k].end;
        }
    }
}

/* Each feed gets a copy of its own, so that a sanitizer sees what is read outside. */
static void run(struct outcome *o, enum lf_split_kernel kernel, const uint8_t *data, size_t n,
                size_t window)
{
    struct lf_split_batch batch = {0};
    size_t show = window;
    size_t pos = 0;
    int last;

    memset(o, 0, sizeof *o);
    lf_splitter_init(&o->s);
    do {
        size_t len = n - pos < show ? n - pos : show;
        uint8_t *copy = malloc(len != 0 ? len : 1);
        uint64_t off = o->s.off;
        size_t consumed = 0;

        last = len == n - pos;
        memcpy(copy, data + pos, len);
        o->status = lf_splitter_feed(&o->s, kernel, copy, len, last, &batch, &consumed, &o->err);
        free(copy);
        add_batch(o, &batch, off);
        pos += consumed;
        show = consumed == 0 ? show + window : window;
    } while (o->status == LANEFIX_OK && !last);
    lf_split_batch_fini(&batch);
}

static void must_agree(const struct outcome *a, const struct outcome *b)
{
    must(a->status == b->status);
    must(a->sum == b->sum);
    must(a->s.n_events == b->s.n_events);
    must(a->s.first_event_off == b->s.first_event_off);
    must(a->s.last_event_off == b->s.last_event_off);
    must(a->s.last_event_end == b->s.last_event_end);
    must(a->s.array_off == b->s.array_off);
    must(a->s.unclosed == b->s.unclosed && a->s.cut_event == b->s.cut_event);
    if (a->status != LANEFIX_OK) {
        must(a->err.offset == b->err.offset);
        must(strcmp(a->err.message, b->err.message) == 0);
    }
}

/* A kernel that raised no alarm has found just what the byte-wise reader finds. */
static void check_scan(enum lf_split_kernel kernel, const uint8_t *data, size_t n)
{
    struct lf_split_batch fast_batch = {0}, slow_batch = {0};
    struct lf_scan fast = {data, n, 0, false, &fast_batch};
    struct lf_scan slow = {data, n, 0, false, &slow_batch};
    enum lf_scan_stop fast_stop, slow_stop = LF_SCAN_ALARM;
    enum lanefix_status status = LANEFIX_OK;
    struct lanefix_error err;

    fast_stop = lf_scan_kernel(kernel)(&fast, &err);
    while (slow_stop == LF_SCAN_ALARM && status == LANEFIX_OK) {
        status = lf_split_step(&slow, 0, &slow_stop, &err);
    }
    if (fast_stop != LF_SCAN_ALARM) {
        must(status == LANEFIX_OK && slow_stop == fast_stop);
        must(fast.in_event == slow.in_event && fast.pos == slow.pos);
        must(fast_batch.n_events == slow_batch.n_events);
    }
    must(fast_batch.n_events <= slow_batch.n_events);
    if (fast_batch.n_events != 0) {
        must(memcmp(fast_batch.events, slow_batch.events,
                    fast_batch.n_events * sizeof *fast_batch.events) == 0);
    }
    lf_split_batch_fini(&fast_batch);
    lf_split_batch_fini(&slow_batch);
}

/* All skip kernels find the same end of what begins at data[pos], and read nothing behind n. */
static size_t skip(const uint8_t *data, size_t pos, size_t n)
{
    size_t end = lf_skip_kernel(LF_SPLIT_PORTABLE)(data, pos, n);

    must(lf_skip_kernel(LF_SPLIT_AUTO)(data, pos, n) == end);
    must(end == 0 || (end > pos && end <= n));
    return end;
}

/* The end of each nested value that the splitter finds is found by skipping it, where a scan takes
 * the event. */
static void check_skip(const uint8_t *input, size_t n)
{
    enum { MAX_STARTS = 64 };
    struct lf_split_batch batch = {0};
    uint8_t *data = malloc(n != 0 ? n : 1);
    struct lf_scan scan = {data, n, 0, false, &batch};
    struct lanefix_error err;
    size_t n_starts = 0;

    memcpy(data, input, n);
    (void)lf_scan_portable(&scan, &err);
    for (size_t i = 0; i < batch.n_nested && i < MAX_STARTS; i++) {
        size_t end = batch.nested[i].end;

        must(skip(data, batch.nested[i].start, n) == end);
        must(skip(data, batch.nested[i].start, end - 1) == 0);
    }
    for (size_t i = 0; i < n && n_starts < MAX_STARTS; i++) {
        if (data[i] == '{' || data[i] == '[') {
            (void)skip(data, i, n);
            n_starts++;
        }
    }
    lf_split_batch_fini(&batch);
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input)
{
    static const enum lf_split_kernel kernels[] = {LF_SPLIT_PORTABLE, LF_SPLIT_AVX2, LF_SPLIT_NEON};
    struct outcome whole, other;
    size_t window;

    if (n_input == 0) {
        return 0;
    }
    window = input[0] % 200 + (size_t)1;
    input++;
    n_input--;
    run(&whole, LF_SPLIT_PORTABLE, input, n_input, n_input + 1);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        if (lf_split_kernel_available(kernels[k])) {
            run(&other, kernels[k], input, n_input, n_input + 1);
            must_agree(&whole, &other);
            run(&other, kernels[k], input, n_input, window);
            must_agree(&whole, &other);
            check_scan(kernels[k], input, n_input);
        }
    }
    check_skip(input, n_input);
    return 0;
}
