/* The pipeline: every thread takes an item of its own through all the steps; at a serial step it
 * waits for its turn. So a thread is never tied to a step, and whatever is the narrow place gets
 * the cores.
 *
 * Shared state (struct pipeline) is written and read by all threads under its lock. What an item
 * holds is touched by the thread that carries it; passing a turn under the lock orders what serial
 * steps do to "shared". */
#include "par/pipeline.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define NOT_FAILED UINT64_MAX

struct pipeline {
    const struct lf_step *steps;
    size_t n_steps;
    void *shared;
    pthread_mutex_t lock;
    pthread_cond_t turned;
    uint64_t *turn;     /* of a step: number of the item that may enter next */
    bool ended;         /* step 0 makes no further item */
    uint64_t failed_at; /* the earliest item that failed */
    enum lanefix_status status;
    struct lanefix_error *err;
};

struct carrier {
    struct pipeline *pipeline;
    void *item;
    pthread_t thread;
};

static void note_failure(struct pipeline *p, uint64_t number, enum lanefix_status status,
                         const struct lanefix_error *err)
{
    pthread_mutex_lock(&p->lock);
    if (number < p->failed_at) {
        p->failed_at = number;
        p->status = status;
        *p->err = *err;
    }
    pthread_cond_broadcast(&p->turned);
    pthread_mutex_unlock(&p->lock);
}

/* Waits until item number may enter step; false where an earlier item failed. */
static bool enter(struct pipeline *p, size_t step, uint64_t number)
{
    bool go;

    pthread_mutex_lock(&p->lock);
    while (p->turn[step] != number && p->failed_at >= number) {
        pthread_cond_wait(&p->turned, &p->lock);
    }
    go = p->failed_at >= number;
    pthread_mutex_unlock(&p->lock);
    return go;
}

static void leave(struct pipeline *p, size_t step)
{
    pthread_mutex_lock(&p->lock);
    p->turn[step]++;
    pthread_cond_broadcast(&p->turned);
    pthread_mutex_unlock(&p->lock);
}

/* Takes the next item number through step 0; false where the stream has ended. */
static bool begin_item(struct pipeline *p, void *item, uint64_t *number, bool *go)
{
    struct lanefix_error err;
    enum lanefix_status status;
    bool stop = false;

    /* Step 0 is serial by definition and runs under a turn of its own: the turn is taken by
     * counting it up, so that the number is the place in the order. */
    pthread_mutex_lock(&p->lock);
    while (p->turn[0] == UINT64_MAX && !p->ended && p->failed_at == NOT_FAILED) {
        pthread_cond_wait(&p->turned, &p->lock);
    }
    if (p->ended || p->failed_at != NOT_FAILED) {
        pthread_mutex_unlock(&p->lock);
        return false;
    }
    *number = p->turn[0];
    p->turn[0] = UINT64_MAX; /* taken */
    pthread_mutex_unlock(&p->lock);

    lf_error_init(&err);
    status = p->steps[0].run(p->shared, item, &stop, &err);
    if (status != LANEFIX_OK) {
        note_failure(p, *number, status, &err);
    }
    pthread_mutex_lock(&p->lock);
    p->turn[0] = *number + 1;
    p->ended = p->ended || stop;
    pthread_cond_broadcast(&p->turned);
    pthread_mutex_unlock(&p->lock);
    *go = status == LANEFIX_OK && !stop;
    return *go || status != LANEFIX_OK;
}

static void *carry(void *arg)
{
    struct carrier *c = arg;
    struct pipeline *p = c->pipeline;
    uint64_t number = 0;
    bool go = false;

    while (begin_item(p, c->item, &number, &go)) {
        for (size_t step = 1; go && step < p->n_steps; step++) {
            struct lanefix_error err;
            enum lanefix_status status;
            bool stop = false;

            if (p->steps[step].serial && !enter(p, step, number)) {
                break;
            }
            lf_error_init(&err);
            status = p->steps[step].run(p->shared, c->item, &stop, &err);
            if (status != LANEFIX_OK) {
                note_failure(p, number, status, &err);
                break;
            }
            if (p->steps[step].serial) {
                leave(p, step);
            }
        }
    }
    return NULL;
}

static enum lanefix_status run_alone(const struct lf_step *steps, size_t n_steps, void *item,
                                     void *shared, struct lanefix_error *err)
{
    for (;;) {
        bool stop = false;

        for (size_t step = 0; step < n_steps; step++) {
            LF_TRY(steps[step].run(shared, item, &stop, err));
            if (stop) {
                return LANEFIX_OK;
            }
        }
    }
}

enum lanefix_status lf_pipeline_run(const struct lf_step *steps, size_t n_steps, void *const *items,
                                    size_t n_items, unsigned n_threads, void *shared,
                                    struct lanefix_error *err)
{
    struct pipeline p = {.steps = steps, .n_steps = n_steps, .shared = shared,
                         .failed_at = NOT_FAILED, .status = LANEFIX_OK, .err = err};
    size_t n = n_threads < n_items ? n_threads : n_items;
    struct carrier *carriers = NULL;
    enum lanefix_status status;
    size_t started = 1;

    if (n <= 1) {
        return run_alone(steps, n_steps, items[0], shared, err);
    }
    LF_TRY(lf_alloc_zero(&p.turn, n_steps, sizeof *p.turn, err));
    status = lf_alloc_zero(&carriers, n, sizeof *carriers, err);
    if (status != LANEFIX_OK) {
        goto out;
    }
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.turned, NULL);
    for (size_t i = 0; i < n; i++) {
        carriers[i].pipeline = &p;
        carriers[i].item = items[i];
    }
    /* Fewer threads than wished are no failure: those that run do all the work. */
    while (started < n &&
           pthread_create(&carriers[started].thread, NULL, carry, &carriers[started]) == 0) {
        started++;
    }
    carry(&carriers[0]);
    for (size_t i = 1; i < started; i++) {
        pthread_join(carriers[i].thread, NULL);
    }
    pthread_cond_destroy(&p.turned);
    pthread_mutex_destroy(&p.lock);
    status = p.status;
out:
    free(carriers);
    free(p.turn);
    return status;
}

struct parallel {
    enum lanefix_status (*task)(void *shared, unsigned worker, size_t i,
                                struct lanefix_error *err);
    void *shared;
    size_t n;
    pthread_mutex_t lock;
    size_t next; /* under lock, like all that follows */
    size_t failed_at;
    enum lanefix_status status;
    struct lanefix_error *err;
};

struct worker {
    struct parallel *parallel;
    unsigned number;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct parallel *p = w->parallel;

    for (;;) {
        struct lanefix_error err;
        enum lanefix_status status;
        size_t i;

        pthread_mutex_lock(&p->lock);
        i = p->next < p->n && p->status == LANEFIX_OK ? p->next++ : p->n;
        pthread_mutex_unlock(&p->lock);
        if (i == p->n) {
            return NULL;
        }
        lf_error_init(&err);
        status = p->task(p->shared, w->number, i, &err);
        if (status != LANEFIX_OK) {
            pthread_mutex_lock(&p->lock);
            if (p->status == LANEFIX_OK || i < p->failed_at) {
                p->failed_at = i;
                p->status = status;
                *p->err = err;
            }
            pthread_mutex_unlock(&p->lock);
        }
    }
}

enum lanefix_status lf_parallel_for(enum lanefix_status (*task)(void *shared, unsigned worker,
                                                                size_t i,
                                                                struct lanefix_error *err),
                                    void *shared, size_t n, unsigned n_threads,
                                    struct lanefix_error *err)
{
    struct parallel p = {.task = task, .shared = shared, .n = n, .status = LANEFIX_OK, .err = err};
    struct worker *workers;
    unsigned started = 1;

    if (n_threads <= 1 || n <= 1) {
        for (size_t i = 0; i < n; i++) {
            LF_TRY(task(shared, 0, i, err));
        }
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc_zero(&workers, n_threads, sizeof *workers, err));
    pthread_mutex_init(&p.lock, NULL);
    for (unsigned i = 0; i < n_threads; i++) {
        workers[i].parallel = &p;
        workers[i].number = i;
    }
    while (started < n_threads && started < n &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0) {
        started++;
    }
    work(&workers[0]);
    for (unsigned i = 1; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    pthread_mutex_destroy(&p.lock);
    free(workers);
    return p.status;
}

unsigned lf_cpu_count(void)
{
    cpu_set_t set;
    int n = 0;

    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        n = CPU_COUNT(&set);
    }
    return n > 0 ? (unsigned)n : 1;
}
