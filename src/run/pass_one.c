/* Pass one: read (serial), read ahead (parallel), split (serial) what was not, tokenize and decode that
 * (parallel), keep what came by a pipe, add to the tracks (each serial, in file order). What is kept is
 * written to a file: that comes late, so that a chunk behind one that is being written can be split
 * and decoded meanwhile. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/checksum.h"
#include "par/pipeline.h"
#include "run/ahead.h"
#include "run/feed.h"
#include "trace/event.h"

struct item {
    struct lf_chunk chunk;
    struct lf_event_reader reader;
    struct lf_track_hints hints;
    struct lf_ahead ahead;
    struct lf_event *events; /* of the chunk's batch, but for those ahead */
    size_t cap_events;
    uint32_t crc32; /* of the chunk */
};

struct pass {
    struct lf_run *run;
    struct lf_feed feed;
    struct lf_note_reader notes; /* where the trace is to be undone */
};

static enum lanefix_status read_step(void *shared, void *work, bool *stop,
                                     struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct item *item = work;

    LF_TRY(lf_run_progress(pass->run, 1, pass->feed.pos, err));
    LF_TRY(lf_run_memory(pass->run, LF_CHUNK_NBYTES, err));
    return lf_feed_read(&pass->feed, &item->chunk, stop, err);
}

static enum lanefix_status ahead_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    const struct pass *pass = shared;
    struct item *item = work;

    (void)stop;
    /* A trace to be undone has its notes, whose nested values are wanted, among the events. */
    return pass->run->undo != NULL
               ? LANEFIX_OK
               : lf_ahead_read(&item->ahead, &item->reader, &item->chunk, err);
}

static enum lanefix_status split_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct item *item = work;

    (void)stop;
    return lf_feed_split(&pass->feed, &item->chunk, err);
}

static enum lanefix_status decode_step(void *shared, void *work, bool *stop,
                                       struct lanefix_error *err)
{
    struct item *item = work;
    const struct lf_chunk *chunk = &item->chunk;
    const struct pass *pass = shared;
    size_t n = chunk->batch.n_events - chunk->n_ahead;

    (void)stop;
    if (pass->run->sums) {
        item->crc32 = lf_crc32(0, chunk->buf, chunk->n);
    }
    LF_TRY(lf_grow(&item->events, &item->cap_events, n, sizeof *item->events, err));
    for (size_t k = 0; k < n; k++) {
        const struct lf_split_event *e =
            &chunk->batch.events[k < chunk->first_ahead ? k : k + chunk->n_ahead];

        LF_TRY(lf_event_read(&item->reader, chunk->buf, e, chunk->batch.nested,
                             chunk->off + e->start, &item->events[k], err));
    }
    lf_ahead_learn(&item->ahead, chunk);
    if (chunk->fault != LANEFIX_OK) {
        *err = chunk->fault_err;
    }
    return chunk->fault;
}

static enum lanefix_status keep_step(void *shared, void *work, bool *stop,
                                     struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct item *item = work;

    (void)stop;
    return lf_feed_keep(&pass->feed, &item->chunk, err);
}

/* The batch's i-th event. */
static const struct lf_event *event_at(const struct item *item, size_t i)
{
    size_t first = item->chunk.first_ahead;
    size_t n = item->chunk.n_ahead;

    if (i < first) {
        return &item->events[i];
    }
    return i - first < n ? &item->ahead.events[i - first] : &item->events[i - n];
}

/* Keeps the white space before the last event seen: added events get the same. */
static enum lanefix_status keep_gap(struct pass *pass, const struct lf_chunk *chunk,
                                    struct lanefix_error *err)
{
    struct lf_bytes *gap = &pass->run->gap;
    uint32_t end, start;

    if (chunk->batch.n_events == 0) {
        return LANEFIX_OK;
    }
    end = chunk->batch.events[chunk->batch.n_events - 1].start;
    start = end;
    while (start > 0 && strchr(" \t\r\n", chunk->buf[start - 1]) != NULL &&
           chunk->buf[start - 1] != '\0' && end - start < 64) {
        start--;
    }
    /* White space that begins in the chunk before is cut: then the gap kept so far is as good. */
    if (start == 0 && gap->n != 0) {
        return LANEFIX_OK;
    }
    gap->n = 0;
    return lf_bytes_append(gap, chunk->buf + start, end - start, err);
}

/* What the added events of a fixed trace say. */
static enum lanefix_status see_note(struct pass *pass, struct item *item, size_t i,
                                    struct lanefix_error *err)
{
    static const char name[] = "\"lanefix\"";
    const struct lf_split_event *e = &item->chunk.batch.events[i];
    const struct lf_event *event = event_at(item, i);
    const uint8_t *text = item->chunk.buf + e->start;
    uint64_t off = item->chunk.off + e->start;
    uint32_t track;

    if (!event->is_metadata || memmem(text, e->end - e->start, name, sizeof name - 1) == NULL) {
        return LANEFIX_OK;
    }
    LF_TRY(
        lf_event_tokenize(&item->reader, item->chunk.buf, e, item->chunk.batch.nested, off, err));
    track = lf_tracks_find(&pass->run->tracks, &event->pid, &event->tid, text);
    return lf_undo_see(pass->run->undo, &item->reader, &pass->notes, text, e->end - e->start, off,
                       track, err);
}

static enum lanefix_status add_step(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct item *item = work;
    const struct lf_split_batch *batch = &item->chunk.batch;

    (void)stop;
    for (size_t i = 0; i < batch->n_events; i++) {
        LF_TRY(lf_tracks_add(&pass->run->tracks, &item->hints, event_at(item, i),
                             item->chunk.buf + batch->events[i].start,
                             item->chunk.off + batch->events[i].start, err));
        if (pass->run->undo != NULL) {
            LF_TRY(see_note(pass, item, i, err));
        }
    }
    if (pass->run->sums) {
        pass->run->crc32 = lf_crc32_join(pass->run->crc32, item->crc32, item->chunk.n);
    }
    return keep_gap(pass, &item->chunk, err);
}

static const struct lf_step steps[] = {{read_step, true},
                                       {ahead_step, false},
                                       {split_step, true},
                                       {decode_step, false},
                                       {keep_step, true},
                                       {add_step, true}};

enum lanefix_status lf_pass_one(struct lf_run *run, struct lanefix_error *err)
{
    struct pass pass = {.run = run};
    /* one more than threads, so that what waits to be kept keeps none from going on */
    unsigned n_items = run->threads > 1 ? run->threads + 1 : 1;
    struct item *items = NULL;
    void **pointers = NULL;
    enum lanefix_status status;

    lf_feed_init(&pass.feed, run->source);
    lf_source_defer(run->source);
    lf_feed_note(&pass.feed, &run->cuts);
    run->crc32 = 0;
    status = run->undo != NULL ? lf_note_reader_init(&pass.notes, err) : LANEFIX_OK;
    if (status == LANEFIX_OK) {
        status = lf_alloc_zero(&items, n_items, sizeof *items, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_alloc(&pointers, n_items, sizeof *pointers, err);
    }
    for (unsigned i = 0; status == LANEFIX_OK && i < n_items; i++) {
        pointers[i] = &items[i];
        status = lf_event_reader_init(&items[i].reader, run->seed, true, run->exact_times, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(steps, sizeof steps / sizeof steps[0], pointers, n_items,
                                 run->threads, &pass, err);
    }
    run->found = pass.feed.splitter;
    run->trace_bytes = pass.feed.pos;
    for (unsigned i = 0; items != NULL && i < n_items; i++) {
        lf_chunk_fini(&items[i].chunk);
        lf_event_reader_fini(&items[i].reader);
        free(items[i].events);
        lf_ahead_fini(&items[i].ahead);
    }
    free(items);
    free(pointers);
    lf_note_reader_fini(&pass.notes);
    lf_feed_fini(&pass.feed);
    return status;
}
