/* A short pipeline over some items: serial steps see the items in order, one at a time; parallel
 * ones see several at once. Any thread runs any step. The only user of threads.
 *
 * Order is guaranteed: a serial step takes item i + 1 only after it has left item i. Memory is
 * bounded by the number of items. With one thread no thread is created, and one item used. */
#ifndef LF_PAR_PIPELINE_H
#define LF_PAR_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct lf_step {
    /* Works on item; *stop, only looked at for step 0, ends the stream: this item is dropped and no
     * further one is made. */
    enum lanefix_status (*run)(void *shared, void *item, bool *stop, struct lanefix_error *err);
    bool serial;
};

/* Runs items[0..n_items) through steps[0..n_steps) on n_threads threads until step 0 stops. Items
 * beyond one a thread keep threads busy while others wait for their turn at a serial step. Of
 * several failures the one of the earliest item is returned, so the error is the same at any thread
 * count. shared is handed to every step; what parallel steps write there is theirs to protect. */
enum lanefix_status lf_pipeline_run(const struct lf_step *steps, size_t n_steps, void *const *items,
                                    size_t n_items, unsigned n_threads, void *shared,
                                    struct lanefix_error *err) LF_MUST_USE;

/* Runs task(shared, worker, i) for every i in [0, n) on n_threads threads, in any order; worker is
 * in [0, n_threads). The failure of the lowest i is returned. */
enum lanefix_status lf_parallel_for(enum lanefix_status (*task)(void *shared, unsigned worker,
                                                                size_t i, struct lanefix_error *err),
                                    void *shared, size_t n, unsigned n_threads,
                                    struct lanefix_error *err) LF_MUST_USE;

/* CPUs this process may run on, at least 1. */
unsigned lf_cpu_count(void);

#endif
