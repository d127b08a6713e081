/* The splitter: goes back and forth between the events, which a kernel scans, and the rest.
 *
 * Perfetto's rules that are decided here: a comma before the first event is refused; an object form
 * must be closed and have a traceEvents; an array form may end anywhere. The other rules stand in
 * split_step.c (the events) and split_head.c (the rest). */
#include "json/split.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "json/split_internal.h"

void lf_split_batch_fini(struct lf_split_batch *batch)
{
    free(batch->events);
    free(batch->nested);
    memset(batch, 0, sizeof *batch);
}

void lf_splitter_init(struct lf_splitter *s)
{
    memset(s, 0, sizeof *s);
    s->place = LF_SPLIT_START;
    s->first_event_off = LANEFIX_NO_OFFSET;
    s->last_event_off = LANEFIX_NO_OFFSET;
    s->last_event_end = LANEFIX_NO_OFFSET;
    s->array_off = LANEFIX_NO_OFFSET;
    s->object_off = LANEFIX_NO_OFFSET;
    s->base_time_off = LANEFIX_NO_OFFSET;
}

void lf_splitter_resume(struct lf_splitter *s, uint64_t off, bool array_form)
{
    lf_splitter_init(s);
    s->place = LF_SPLIT_EVENTS;
    s->off = off;
    s->array_form = array_form;
    s->seen_events = true;
}

void lf_splitter_take(struct lf_splitter *s, size_t n, struct lf_span last)
{
    assert(s->place == LF_SPLIT_EVENTS && n != 0);
    if (s->first_event_off == LANEFIX_NO_OFFSET) {
        s->first_event_off = s->off;
    }
    s->events_fresh = false;
    s->last_event_off = s->off + last.start;
    s->last_event_end = s->off + last.end;
    s->n_events += n;
    s->off += last.end;
}

/* The bytes before the first event of an array. */
static enum lanefix_status skip_to_first(struct lf_splitter *s, const uint8_t *data, size_t n,
                                         size_t *pos, struct lanefix_error *err)
{
    while (*pos < n && lf_is_space(data[*pos])) {
        ++*pos;
    }
    if (*pos < n) {
        s->events_fresh = false;
        if (data[*pos] == ',') {
            return lf_fail(err, LANEFIX_ERR_INPUT, s->off + *pos,
                           "',' before the first event: expected '{' or ']'");
        }
    }
    return LANEFIX_OK;
}

/* Events from scan->pos on, until the array is closed or the bytes end. */
static enum lanefix_status scan_array(struct lf_splitter *s, lf_scan_fn *kernel,
                                      struct lf_scan *scan, struct lanefix_error *err)
{
    struct lf_split_batch *b = scan->batch;
    enum lf_scan_stop stop;

    scan->in_event = false;
    if (s->events_fresh) {
        LF_TRY(skip_to_first(s, scan->data, scan->n, &scan->pos, err));
    }
    do {
        stop = kernel(scan, err);
        b->n_nested = 0;
        if (b->n_events != 0) {
            const struct lf_split_event *e = &b->events[b->n_events - 1];

            b->n_nested = e->first_nested + e->n_nested;
        }
        if (stop == LF_SCAN_MEMORY) {
            return LANEFIX_ERR_MEMORY;
        }
        if (stop == LF_SCAN_ALARM) {
            LF_TRY(lf_split_step(scan, s->off, &stop, err));
        }
    } while (stop == LF_SCAN_ALARM);
    if (stop == LF_SCAN_CLOSED) {
        scan->pos++;
        lf_split_head_resume(s);
    }
    return LANEFIX_OK;
}

static void count_events(struct lf_splitter *s, const struct lf_split_batch *b)
{
    const struct lf_split_event *e;

    if (b->n_events == 0) {
        return;
    }
    if (s->first_event_off == LANEFIX_NO_OFFSET) {
        s->first_event_off = s->off + b->events[0].start;
    }
    e = &b->events[b->n_events - 1];
    s->last_event_off = s->off + e->start;
    s->last_event_end = s->off + e->end;
    s->n_events += b->n_events;
}

/* No byte follows the n at s->off. */
static enum lanefix_status end_input(struct lf_splitter *s, const struct lf_scan *scan,
                                     struct lanefix_error *err)
{
    uint64_t end = s->off + scan->n;

    switch (s->place) {
    case LF_SPLIT_START:
        return lf_fail(err, LANEFIX_ERR_INPUT, end, "no trace in it: expected '{' or '['");
    case LF_SPLIT_HEAD:
        return lf_fail(err, LANEFIX_ERR_INPUT, end,
                       "object form cut short: the input ends, expected '}'");
    case LF_SPLIT_EVENTS:
        if (s->array_form) {
            s->unclosed = true;
            s->cut_event = scan->in_event;
            return LANEFIX_OK;
        }
        if (scan->in_event) {
            return lf_fail(err, LANEFIX_ERR_INPUT, s->off + scan->pos,
                           "object form cut short: the input ends inside the event that starts "
                           "here, expected its '}'");
        }
        return lf_fail(err, LANEFIX_ERR_INPUT, end,
                       "object form cut short: the input ends, expected ']' and '}'");
    case LF_SPLIT_DONE:
        break;
    }
    if (!s->seen_events) {
        return lf_fail(err, LANEFIX_ERR_INPUT, end,
                       "no traceEvents array: the object ends, expected a key \"traceEvents\"");
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_splitter_feed(struct lf_splitter *s, enum lf_split_kernel kernel,
                                     const uint8_t *data, size_t n, bool last,
                                     struct lf_split_batch *batch, size_t *consumed,
                                     struct lanefix_error *err)
{
    lf_scan_fn *scan_fn = lf_scan_kernel(kernel);
    struct lf_scan scan = {data, n, 0, false, batch};
    enum lanefix_status status = LANEFIX_OK;

    assert(scan_fn != NULL && n < (size_t)1 << 31);
    batch->n_events = 0;
    batch->n_nested = 0;
    *consumed = 0;
    while (status == LANEFIX_OK && scan.pos < n) {
        size_t before = scan.pos;

        if (s->place == LF_SPLIT_EVENTS) {
            status = scan_array(s, scan_fn, &scan, err);
        } else {
            status = lf_split_head(s, data, n, &scan.pos, s->off, last, err);
        }
        if (scan.in_event || scan.pos == before) {
            break;
        }
    }
    count_events(s, batch);
    if (status == LANEFIX_OK && last) {
        status = end_input(s, &scan, err);
    }
    LF_TRY(status);
    *consumed = scan.pos;
    s->off += scan.pos;
    return LANEFIX_OK;
}

enum lanefix_status lf_split_one(const uint8_t *data, size_t n, struct lf_split_batch *batch,
                                 struct lanefix_error *err)
{
    struct lf_splitter s;
    size_t consumed;

    lf_splitter_resume(&s, 0, false);
    return lf_splitter_feed(&s, LF_SPLIT_AUTO, data, n, false, batch, &consumed, err);
}
