/* A chunk is read behind what was left of the one before; an event that does not fit makes the
 * buffer grow by doubling, so that showing its beginning again costs at most as much as reading it. */
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

void lf_feed_init(struct lf_feed *feed, struct lf_source *source)
{
    memset(feed, 0, sizeof *feed);
    feed->source = source;
    feed->chunk_nbytes = LF_CHUNK_NBYTES;
    feed->plain_fd = lf_source_plain_fd(source);
    lf_splitter_init(&feed->splitter);
}

void lf_feed_fini(struct lf_feed *feed)
{
    lf_bytes_fini(&feed->carry);
}

void lf_feed_seek(struct lf_feed *feed, uint64_t off, bool array_form)
{
    lf_source_seek(feed->source, off);
    feed->pos = off;
    feed->carry.n = 0;
    feed->ended = false;
    lf_splitter_resume(&feed->splitter, off, array_form);
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

enum lanefix_status lf_feed_next(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err)
{
    size_t want = feed->chunk_nbytes;
    size_t consumed = 0;

    *end = feed->finished;
    chunk->n = 0;
    chunk->fault = LANEFIX_OK;
    chunk->batch.n_events = 0;
    if (feed->finished) {
        return LANEFIX_OK;
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
        chunk->fault =
            lf_splitter_feed(&feed->splitter, LF_SPLIT_AUTO, chunk->buf, chunk->n, feed->ended,
                             &chunk->batch, &consumed, &chunk->fault_err);
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
    if (!feed->finished) {
        LF_TRY(lf_bytes_append(&feed->carry, chunk->buf + consumed, chunk->n - consumed, err));
        chunk->n = consumed;
    }
    return LANEFIX_OK;
}
