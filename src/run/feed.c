/* A chunk is read behind what was left of the one before; an event that does not fit makes the
 * buffer grow by doubling, so that showing its beginning again costs at most as much as reading it.
 */
#include "run/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Offsets within a chunk are uint32, jsmn's are int. */
#define CHUNK_MAX (((size_t)1 << 31) - 1)

void lf_chunk_fini(struct lf_chunk *chunk)
{
    free(chunk->buf);
    lf_split_batch_fini(&chunk->batch);
    memset(chunk, 0, sizeof *chunk);
}

void lf_cuts_fini(struct lf_cuts *cuts)
{
    free(cuts->list);
    memset(cuts, 0, sizeof *cuts);
}

void lf_feed_init(struct lf_feed *feed, struct lf_source *source)
{
    memset(feed, 0, sizeof *feed);
    feed->source = source;
    feed->chunk_nbytes = LF_CHUNK_NBYTES;
    lf_splitter_init(&feed->splitter);
}

void lf_feed_fini(struct lf_feed *feed)
{
    lf_bytes_fini(&feed->carry);
}

void lf_feed_note(struct lf_feed *feed, struct lf_cuts *cuts)
{
    cuts->n = 0;
    feed->noted = cuts;
}

void lf_feed_cut(struct lf_feed *feed, const struct lf_cuts *cuts)
{
    feed->cuts = cuts;
}

/* Grows chunk to hold n bytes more than it has, and reads them. */
static enum lanefix_status read_more(struct lf_feed *feed, struct lf_chunk *chunk, size_t n,
                                     struct lanefix_error *err)
{
    size_t got = 0;

    if (chunk->n + n > CHUNK_MAX) {
        n = CHUNK_MAX - chunk->n;
        if (n == 0) {
            return lf_fail(err, LANEFIX_ERR_LIMIT, chunk->off,
                           "an event of 2 GiB or more: expected its end");
        }
    }
    LF_TRY(lf_grow(&chunk->buf, &chunk->cap, chunk->n + n, 1, err));
    LF_TRY(lf_source_read(feed->source, chunk->buf + chunk->n, n, &got, err));
    feed->ended = got < n;
    feed->pos += got;
    chunk->n += got;
    return LANEFIX_OK;
}

enum lanefix_status lf_fail_changed(uint64_t off, struct lanefix_error *err)
{
    return lf_fail(err, LANEFIX_ERR_IO, off, "the input was changed while it was read");
}

/* The next chunk by the cuts. */
static enum lanefix_status read_cut(struct lf_feed *feed, struct lf_chunk *chunk,
                                    struct lanefix_error *err)
{
    const struct lf_cuts *cuts = feed->cuts;
    const struct lf_splitter *s = &cuts->list[feed->next_cut++];
    uint64_t end = feed->next_cut < cuts->n ? s[1].off : cuts->end;
    size_t got = 0;

    chunk->off = s->off;
    chunk->in_events = s->place == LF_SPLIT_EVENTS;
    chunk->splitter = s;
    chunk->last = feed->next_cut == cuts->n;
    chunk->n = (size_t)(end - s->off);
    feed->finished = chunk->last;
    if (lf_source_plain_fd(feed->source) >= 0) {
        chunk->unread = feed->source;
        feed->pos = end;
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&chunk->buf, &chunk->cap, chunk->n, 1, err));
    LF_TRY(lf_source_read(feed->source, chunk->buf, chunk->n, &got, err));
    feed->pos += got;
    return got == chunk->n ? LANEFIX_OK : lf_fail_changed(s->off + got, err);
}

/* Reads [from, to) of an unread chunk. */
static enum lanefix_status load(struct lf_chunk *chunk, size_t from, size_t to,
                                struct lanefix_error *err)
{
    size_t got = 0;

    LF_TRY(lf_grow(&chunk->buf, &chunk->cap, chunk->n, 1, err));
    LF_TRY(lf_source_read_at(chunk->unread, chunk->buf + from, to - from, chunk->off + from, &got,
                             err));
    return got == to - from ? LANEFIX_OK : lf_fail_changed(chunk->off + from + got, err);
}

enum lanefix_status lf_chunk_load(struct lf_chunk *chunk, struct lanefix_error *err)
{
    if (chunk->unread != NULL) {
        LF_TRY(load(chunk, 0, chunk->n, err));
        chunk->unread = NULL;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_chunk_split(struct lf_chunk *chunk, struct lanefix_error *err)
{
    struct lf_splitter s;
    size_t consumed = 0;
    enum lanefix_status status;

    if (chunk->splitter == NULL) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_chunk_load(chunk, err));
    s = *chunk->splitter;
    chunk->splitter = NULL;
    status = lf_splitter_feed(&s, LF_SPLIT_AUTO, chunk->buf, chunk->n, chunk->last, &chunk->batch,
                              &consumed, err);
    if (status == LANEFIX_ERR_MEMORY) {
        return status;
    }
    return status == LANEFIX_OK && (chunk->last || consumed == chunk->n)
               ? LANEFIX_OK
               : lf_fail_changed(chunk->off, err);
}

enum lanefix_status lf_chunk_split_event(struct lf_chunk *chunk, uint32_t start,
                                         struct lanefix_error *err)
{
    enum { WINDOW = 2048 }; /* most events are shorter */
    struct lf_split_batch *b = &chunk->batch;
    size_t n = 0;

    for (size_t window = WINDOW;; window *= 4) {
        struct lf_splitter s;
        size_t consumed;

        size_t before = n;

        if (n == chunk->n - start) {
            return lf_fail_changed(chunk->off + start, err);
        }
        n = chunk->n - start < window ? chunk->n - start : window;
        if (chunk->unread != NULL) {
            LF_TRY(load(chunk, start + before, start + n, err));
        }
        lf_splitter_resume(&s, chunk->off + start, false);
        if (lf_splitter_feed(&s, LF_SPLIT_AUTO, chunk->buf + start, n, false, b, &consumed, err) ==
            LANEFIX_ERR_MEMORY) {
            return LANEFIX_ERR_MEMORY;
        }
        if (b->n_events != 0) {
            break; /* what is wrong behind it was seen by pass one */
        }
    }
    if (b->events[0].start != 0) {
        return lf_fail_changed(chunk->off + start, err);
    }
    b->n_events = 1;
    b->events[0].start = start;
    b->events[0].end += start;
    for (uint32_t i = 0; i < b->events[0].n_nested; i++) {
        b->nested[i].start += start;
        b->nested[i].end += start;
    }
    return LANEFIX_OK;
}

static enum lanefix_status note_cut(struct lf_feed *feed, struct lanefix_error *err)
{
    struct lf_cuts *cuts = feed->noted;

    LF_TRY(lf_grow(&cuts->list, &cuts->cap, cuts->n + 1, sizeof *cuts->list, err));
    cuts->list[cuts->n++] = feed->splitter;
    return LANEFIX_OK;
}

enum lanefix_status lf_feed_next(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err)
{
    size_t want = feed->chunk_nbytes;
    size_t consumed = 0;

    *end = feed->finished;
    chunk->n = 0;
    chunk->fault = LANEFIX_OK;
    chunk->batch.n_events = 0;
    chunk->splitter = NULL;
    chunk->unread = NULL;
    if (feed->finished) {
        return LANEFIX_OK;
    }
    if (feed->cuts != NULL) {
        return read_cut(feed, chunk, err);
    }
    if (feed->noted != NULL) {
        LF_TRY(note_cut(feed, err));
    }
    chunk->off = feed->splitter.off;
    chunk->in_events = feed->splitter.place == LF_SPLIT_EVENTS;
    LF_TRY(lf_grow(&chunk->buf, &chunk->cap, feed->carry.n + want, 1, err));
    if (feed->carry.n != 0) {
        memcpy(chunk->buf, feed->carry.data, feed->carry.n);
    }
    chunk->n = feed->carry.n;
    feed->carry.n = 0;
    for (;;) {
        LF_TRY(read_more(feed, chunk, want, err));
        chunk->fault = lf_splitter_feed(&feed->splitter, LF_SPLIT_AUTO, chunk->buf, chunk->n,
                                        feed->ended, &chunk->batch, &consumed, &chunk->fault_err);
        if (chunk->fault == LANEFIX_ERR_MEMORY) {
            *err = chunk->fault_err;
            return chunk->fault;
        }
        if (chunk->fault != LANEFIX_OK || feed->ended || consumed != 0) {
            break;
        }
        want = chunk->n; /* one event, and it goes on */
    }
    feed->finished = feed->ended || chunk->fault != LANEFIX_OK;
    if (feed->noted != NULL) {
        feed->noted->end = chunk->off + chunk->n;
    }
    if (!feed->finished) {
        LF_TRY(lf_bytes_append(&feed->carry, chunk->buf + consumed, chunk->n - consumed, err));
        chunk->n = consumed;
    }
    return LANEFIX_OK;
}
