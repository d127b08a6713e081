/* The pipeline and the parallel loop: order, errors, stopping, at several thread counts. Plain, so
 * that ThreadSanitizer can run it. Ends with "N passed, N failed". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "par/pipeline.h"

static int passed, failed;

static void check(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("failed: %s\n", what);
    }
}

struct item {
    int number;
    long value;
    long spun;
};

struct shared {
    int made, n;
    int fail_in_work, fail_in_end; /* item numbers, -1: none */
    long sum;
    int n_passed, n_out_of_order; /* of pass alone: other steps run meanwhile */
    int last_seen;
    bool in_order;
};

static enum lanefix_status make(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    struct shared *s = shared;
    struct item *item = work;

    (void)err;
    if (s->made == s->n) {
        *stop = true;
        return LANEFIX_OK;
    }
    item->number = s->made++;
    return LANEFIX_OK;
}

static enum lanefix_status compute(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    const struct shared *s = shared;
    struct item *item = work;
    long spin = 0;

    (void)stop;
    for (int i = 0; i < (item->number * 7919) % 2000; i++) {
        spin += i ^ item->number;
    }
    item->spun = spin; /* keeps the loop, whose length differs from item to item */
    item->value = (long)item->number * item->number;
    if (item->number == s->fail_in_work) {
        return lf_fail(err, LANEFIX_ERR_INPUT, (uint64_t)item->number, "item %d", item->number);
    }
    return LANEFIX_OK;
}

static enum lanefix_status end(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    struct shared *s = shared;
    struct item *item = work;

    (void)stop;
    s->in_order = s->in_order && item->number == s->last_seen + 1;
    s->last_seen = item->number;
    s->sum += item->value;
    if (item->number == s->fail_in_end) {
        return lf_fail(err, LANEFIX_ERR_IO, (uint64_t)item->number, "item %d", item->number);
    }
    return LANEFIX_OK;
}

/* Serial steps one behind the other: each sees the items in order, and never two at once. */
static enum lanefix_status pass(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    struct shared *s = shared;
    const struct item *item = work;

    (void)stop;
    (void)err;
    s->n_out_of_order += item->number != s->n_passed++;
    return LANEFIX_OK;
}

static const struct lf_step steps[] = {{make, true}, {compute, false}, {end, true}};
static const struct lf_step more_steps[] = {
    {make, true}, {pass, true}, {compute, false}, {compute, false}, {end, true}};

static enum lanefix_status run(struct shared *s, unsigned threads, unsigned n_items,
                               struct lanefix_error *err)
{
    struct item items[24];
    void *pointers[24];

    for (size_t i = 0; i < 24; i++) {
        pointers[i] = &items[i];
    }
    return n_items == threads ? lf_pipeline_run(steps, 3, pointers, n_items, threads, s, err)
                              : lf_pipeline_run(more_steps, 5, pointers, n_items, threads, s, err);
}

/* One pipeline of each kind; with more items than threads it has more steps. */
static void check_pipeline(unsigned threads, unsigned n_items)
{
    struct lanefix_error err;
    struct shared s = {.n = 3000, .fail_in_work = -1, .fail_in_end = -1, .last_seen = -1,
                       .in_order = true};

    lf_error_init(&err);
    check(run(&s, threads, n_items, &err) == LANEFIX_OK, "a run without faults succeeds");
    check(s.in_order && s.last_seen == 2999 && s.n_out_of_order == 0,
          "serial steps see all items in order");
    check(s.sum == 8995500500L, "no item is lost or done twice");

    s = (struct shared){.n = 3000, .fail_in_work = 2000, .fail_in_end = 1000, .last_seen = -1,
                        .in_order = true};
    check(run(&s, threads, n_items, &err) == LANEFIX_ERR_IO && err.offset == 1000,
          "the fault of the earliest item is returned");
    check(s.in_order && s.last_seen == 1000, "nothing goes on behind a fault");

    s = (struct shared){.n = 0, .fail_in_work = -1, .fail_in_end = -1, .last_seen = -1};
    check(run(&s, threads, n_items, &err) == LANEFIX_OK && s.last_seen == -1, "no items");
}

static enum lanefix_status square(void *shared, unsigned worker, size_t i, struct lanefix_error *err)
{
    (void)worker;
    ((long *)shared)[i] = (long)(i * i);
    return i >= 700 && i % 100 == 0 ? lf_fail(err, LANEFIX_ERR_LIMIT, i, "task %zu", i) : LANEFIX_OK;
}

int main(void)
{
    static const unsigned threads[] = {1, 2, 3, 8, 16};
    static long squares[1000];
    struct lanefix_error err;

    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        for (unsigned more = 0; more <= 8; more += 4) {
            check_pipeline(threads[i], threads[i] + more);
        }

        memset(squares, 0, sizeof squares);
        check(lf_parallel_for(square, squares, 700, threads[i], &err) == LANEFIX_OK &&
                  squares[699] == 699 * 699,
              "the loop does all tasks");
        check(lf_parallel_for(square, squares, 1000, threads[i], &err) == LANEFIX_ERR_LIMIT &&
                  err.offset == 700,
              "the fault of the lowest task is returned");
    }
    check(lf_cpu_count() >= 1, "there is a CPU");
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
