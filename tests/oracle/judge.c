/* See judge.h. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 512
#define NO_DUR    (-1)

/* A slice on the stack. */
struct open_slice {
    int64_t ts, dur; /* NO_DUR: a B that is open */
    struct oracle_event *event;
};

struct stack {
    struct open_slice *slices;
    size_t n;
};

static int64_t ordering_key(const struct oracle_event *e)
{
    switch (e->kind) {
    case ORACLE_E:
        return INT64_MIN;
    case ORACLE_X:
        return INT64_MAX - (e->dur > 0 ? e->dur : 0);
    default:
        return INT64_MAX;
    }
}

static int compare(const void *pa, const void *pb)
{
    const struct oracle_event *a = pa;
    const struct oracle_event *b = pb;

    if (a->ts != b->ts) {
        return a->ts < b->ts ? -1 : 1;
    }
    if (ordering_key(a) != ordering_key(b)) {
        return ordering_key(a) < ordering_key(b) ? -1 : 1;
    }
    return a->off < b->off ? -1 : a->off > b->off;
}

void oracle_sort(struct oracle_event *events, size_t n)
{
    qsort(events, n, sizeof *events, compare);
}

/* Pops what ended before ts; false where the new slice would partly overlap an open one. */
static bool make_room(struct stack *stack, int64_t ts, int64_t dur)
{
    bool pending = false;

    for (size_t k = stack->n; k-- > 0;) {
        const struct open_slice *s = &stack->slices[k];
        int64_t end = s->ts + s->dur;

        if (s->dur == NO_DUR) {
            pending = true;
            continue;
        }
        if (pending) {
            if (ts <= end) {
                continue;
            }
            stack->n = k;
            pending = false;
            continue;
        }
        if (end < ts || (end == ts && !(s->dur == 0 && dur == 0))) {
            stack->n--;
            continue;
        }
        if (dur != NO_DUR && ts < end && ts + dur > end) {
            return false;
        }
    }
    return true;
}

static bool keeps_ended(const struct stack *stack, int64_t ts)
{
    for (size_t k = 0; k < stack->n; k++) {
        if (stack->slices[k].dur != NO_DUR && stack->slices[k].ts + stack->slices[k].dur <= ts) {
            return true;
        }
    }
    return false;
}

static void push(struct stack *stack, struct oracle_event *e, int64_t dur)
{
    stack->slices[stack->n++] = (struct open_slice){e->ts, dur, e};
}

static void end_pair(struct stack *stack, const struct oracle_event *e)
{
    for (size_t k = stack->n; k-- > 0;) {
        struct open_slice *s = &stack->slices[k];

        if (s->dur == NO_DUR &&
            (e->name == 0 || s->event->name == 0 || e->name == s->event->name)) {
            s->dur = e->ts - s->ts;
            s->event->closed = true;
            s->event->dur = s->dur;
            if (k == stack->n - 1) {
                stack->n--;
            }
            break;
        }
    }
}

static void bind_next(struct oracle_event *events, size_t i)
{
    for (size_t k = i; k-- > 0;) {
        if (events[k].kind == ORACLE_NEXT && events[k].binds == ORACLE_NOTHING) {
            events[k].binds = events[i].off;
        }
    }
}

static void judge_one(struct stack *stack, struct oracle_event *events, size_t i)
{
    struct oracle_event *e = &events[i];

    switch (e->kind) {
    case ORACLE_X:
        e->crossing = e->dur >= 0 && !make_room(stack, e->ts, e->dur);
        e->refused = e->dur < 0 || e->crossing || stack->n >= MAX_DEPTH;
        e->truncated = e->dur > 0 && keeps_ended(stack, e->ts);
        if (!e->refused) {
            push(stack, e, e->dur);
            bind_next(events, i);
        }
        break;
    case ORACLE_B:
        (void)make_room(stack, e->ts, NO_DUR);
        push(stack, e, NO_DUR);
        bind_next(events, i);
        break;
    case ORACLE_E:
        (void)make_room(stack, e->ts, NO_DUR);
        end_pair(stack, e);
        break;
    case ORACLE_INSTANT:
        if (make_room(stack, e->ts, 0) && stack->n < MAX_DEPTH) {
            push(stack, e, 0);
            bind_next(events, i);
        }
        break;
    case ORACLE_HERE:
        e->binds = stack->n > 0 ? stack->slices[stack->n - 1].event->off : ORACLE_NOTHING;
        break;
    case ORACLE_NEXT:
        e->binds = ORACLE_NOTHING;
        break;
    }
}

static void run(struct oracle_event *events, size_t n, bool only_pairs)
{
    struct stack stack = {malloc((n + 1) * sizeof *stack.slices), 0};

    if (stack.slices == NULL) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        if (!only_pairs || events[i].kind == ORACLE_B || events[i].kind == ORACLE_E) {
            judge_one(&stack, events, i);
        }
    }
    free(stack.slices);
}

void oracle_judge(struct oracle_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        events[i].closed = false;
    }
    run(events, n, false);
}

void oracle_pairs(struct oracle_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        events[i].closed = false;
    }
    run(events, n, true);
    for (size_t i = 0; i < n; i++) {
        events[i].hard = events[i].closed;
    }
}
