/* The pipeline: an item waits in its slot for its next step; a thread takes whatever step can be run,
 * of the item it has just worked on if it can, else of the earliest, and begins a new item where no
 * other can go on. So no thread waits while there is work, and whatever is the narrow place gets the
 * cores.
 *
 * Shared state (struct pipeline) is written and read by all threads under its lock. What an item
 * holds is touched by the thread that runs a step of it; taking and leaving a step under the lock
 * orders what the steps do to items and to "shared". */
#include "par/pipeline.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define NOT_FAILED UINT64_MAX

struct slot {
    void *item;
    uint64_t number; /* of the item in the stream */
    size_t step;     /* the next one, or the one that runs */
    enum { SLOT_FREE, SLOT_WAITS, SLOT_RUNS } state;
};

struct pipeline {
    const struct lf_step *steps;
    size_t n_steps;
    void *shared;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot *slots;
    size_t n_slots;
    size_t n_busy;      /* slots that are not free */
    unsigned n_waiting; /* threads */
    uint64_t *turn;     /* of a step: number of the item that may enter next */
    bool beginning;     /* step 0 runs */
    bool ended;         /* it makes no further item */
    uint64_t failed_at; /* the earliest item that failed */
    enum lanefix_status status;
    struct lanefix_error *err;
};

static void release(struct pipeline *p, struct slot *slot)
{
    slot->state = SLOT_FREE;
    p->n_busy--;
}

static bool can_run(const struct pipeline *p, const struct slot *slot)
{
    return slot->state == SLOT_WAITS &&
           (!p->steps[slot->step].serial || p->turn[slot->step] == slot->number);
}

/* Items behind one that failed go no further. */
static void drop_failed(struct pipeline *p)
{
    for (size_t i = 0; p->failed_at != NOT_FAILED && i < p->n_slots; i++) {
        if (p->slots[i].state == SLOT_WAITS && p->slots[i].number > p->failed_at) {
            release(p, &p->slots[i]);
        }
    }
}

/* The slot with a step to be run now, NULL where there is none. own: where the thread was last. */
static struct slot *choose(struct pipeline *p, struct slot *own)
{
    struct slot *earliest = NULL;
    struct slot *unused = NULL;

    drop_failed(p);
    if (own != NULL && can_run(p, own)) {
        return own;
    }
    for (size_t i = 0; i < p->n_slots; i++) {
        struct slot *slot = &p->slots[i];

        if (slot->state == SLOT_FREE) {
            unused = unused == NULL || slot == own ? slot : unused;
        } else if (can_run(p, slot) && (earliest == NULL || slot->number < earliest->number)) {
            earliest = slot;
        }
    }
    if (earliest != NULL || p->beginning || p->ended || p->failed_at != NOT_FAILED ||
        unused == NULL) {
        return earliest;
    }
    unused->number = p->turn[0]++;
    unused->step = 0;
    p->n_busy++;
    p->beginning = true;
    return unused;
}

/* What a step that was run leaves behind. */
static void leave(struct pipeline *p, struct slot *slot, enum lanefix_status status, bool stop,
                  const struct lanefix_error *err)
{
    p->beginning = p->beginning && slot->step != 0;
    if (status != LANEFIX_OK) {
        if (slot->number < p->failed_at) {
            p->failed_at = slot->number;
            p->status = status;
            *p->err = *err;
        }
        release(p, slot);
        return;
    }
    if (slot->step == 0 && stop) {
        p->ended = true;
        release(p, slot);
        return;
    }
    p->turn[slot->step] += slot->step != 0 && p->steps[slot->step].serial;
    slot->state = SLOT_WAITS;
    if (++slot->step == p->n_steps) {
        release(p, slot);
    }
}

static void *carry(void *arg)
{
    struct pipeline *p = arg;
    struct slot *slot = NULL;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        struct lanefix_error err;
        enum lanefix_status status;
        struct slot *next = choose(p, slot);
        bool stop = false;

        if (next == NULL) {
            if (p->n_busy == 0) {
                break; /* ended, or failed */
            }
            p->n_waiting++;
            pthread_cond_wait(&p->changed, &p->lock);
            p->n_waiting--;
            continue;
        }
        slot = next;
        slot->state = SLOT_RUNS;
        pthread_mutex_unlock(&p->lock);

        lf_error_init(&err);
        status = p->steps[slot->step].run(p->shared, slot->item, &stop, &err);

        pthread_mutex_lock(&p->lock);
        leave(p, slot, status, stop, &err);
        if (p->n_waiting != 0) {
            pthread_cond_broadcast(&p->changed);
        }
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
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
    struct pipeline p = {.steps = steps, .n_steps = n_steps, .shared = shared, .n_slots = n_items,
                         .failed_at = NOT_FAILED, .status = LANEFIX_OK, .err = err};
    size_t n = n_threads < n_items ? n_threads : n_items;
    pthread_t *threads = NULL;
    enum lanefix_status status;
    size_t started = 1;

    if (n <= 1) {
        return run_alone(steps, n_steps, items[0], shared, err);
    }
    LF_TRY(lf_alloc_zero(&p.turn, n_steps, sizeof *p.turn, err));
    status = lf_alloc_zero(&p.slots, n_items, sizeof *p.slots, err);
    if (status == LANEFIX_OK) {
        status = lf_alloc_zero(&threads, n, sizeof *threads, err);
    }
    if (status != LANEFIX_OK) {
        goto out;
    }
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    for (size_t i = 0; i < n_items; i++) {
        p.slots[i].item = items[i];
    }
    /* Fewer threads than wished are no failure: those that run do all the work. */
    while (started < n && pthread_create(&threads[started], NULL, carry, &p) == 0) {
        started++;
    }
    carry(&p);
    for (size_t i = 1; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.lock);
    status = p.status;
out:
    free(threads);
    free(p.slots);
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
