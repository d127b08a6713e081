/* A chunk is read into the middle of its space, so that what is left of the one before can be put
 * in front. An event that does not fit is collected, and shown to the splitter each time that there
 * is twice as much of it: that costs at most as much as reading it. */
#include "run/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Offsets within a chunk are uint32, jsmn's are int. */
#define CHUNK_MAX    (((size_t)1 << 31) - 1)
#define FRONT_NBYTES ((size_t)64 << 10) /* for what is left of the chunk before; most is less */

void lf_chunk_fini(struct lf_chunk *chunk)
{
    free(chunk->space);
    lf_split_batch_fini(&chunk->batch);
    lf_split_batch_fini(&chunk->rest);
    free(chunk->ahead.spans);
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

/* Room for n bytes, at least front bytes behind the space's begin; what was there is gone. Aligned, as
 * the kernel copies into that in 0.9 of the time. */
static enum lanefix_status make_space(struct lf_chunk *chunk, size_t front, size_t n,
                                      struct lanefix_error *err)
{
    enum { ALIGNMENT = 64 };

    LF_TRY(lf_grow(&chunk->space, &chunk->cap, front + n + ALIGNMENT, 1, err));
    chunk->buf = chunk->space + front;
    chunk->buf += (ALIGNMENT - (uintptr_t)chunk->buf % ALIGNMENT) % ALIGNMENT;
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
    if (lf_source_plain_fd(feed->source) >= 0) {
        chunk->unread = feed->source;
        feed->pos = end;
        return LANEFIX_OK;
    }
    LF_TRY(make_space(chunk, 0, chunk->n, err));
    LF_TRY(lf_source_read(feed->source, chunk->buf, chunk->n, &got, err));
    feed->pos += got;
    return got == chunk->n ? LANEFIX_OK : lf_fail_changed(s->off + got, err);
}

/* Reads [from, to) of an unread chunk. */
static enum lanefix_status load(struct lf_chunk *chunk, size_t from, size_t to,
                                struct lanefix_error *err)
{
    size_t got = 0;

    LF_TRY(make_space(chunk, 0, chunk->n, err));
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
        size_t before = n;

        if (n == chunk->n - start) {
            return lf_fail_changed(chunk->off + start, err);
        }
        n = chunk->n - start < window ? chunk->n - start : window;
        if (chunk->unread != NULL) {
            LF_TRY(load(chunk, start + before, start + n, err));
        }
        if (lf_split_one(chunk->buf + start, n, b, err) == LANEFIX_ERR_MEMORY) {
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

enum lanefix_status lf_feed_read(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err)
{
    chunk->n = 0;
    chunk->n_read = 0;
    chunk->fault = LANEFIX_OK;
    chunk->batch.n_events = 0;
    chunk->ahead.n = 0;
    chunk->first_ahead = 0;
    chunk->n_ahead = 0;
    chunk->splitter = NULL;
    chunk->unread = NULL;
    if (feed->cuts != NULL) {
        *end = feed->next_cut == feed->cuts->n;
        return *end ? LANEFIX_OK : read_cut(feed, chunk, err);
    }
    *end = feed->ended;
    if (feed->ended) {
        return LANEFIX_OK;
    }
    LF_TRY(make_space(chunk, FRONT_NBYTES, feed->chunk_nbytes, err));
    LF_TRY(lf_source_read(feed->source, chunk->buf, feed->chunk_nbytes, &chunk->n_read, err));
    chunk->read = chunk->buf;
    chunk->read_off = feed->pos;
    feed->ended = chunk->n_read < feed->chunk_nbytes;
    chunk->read_last = feed->ended;
    feed->pos += chunk->n_read;
    return LANEFIX_OK;
}

enum lanefix_status lf_feed_keep(struct lf_feed *feed, const struct lf_chunk *chunk,
                                 struct lanefix_error *err)
{
    return lf_source_keep(feed->source, chunk->read_off, chunk->read, chunk->n_read, err);
}

/* Puts what is left of the chunk before in front of what was read; *wait: it is not enough yet to
 * be looked at. */
static enum lanefix_status join_carry(struct lf_feed *feed, struct lf_chunk *chunk, bool *wait,
                                      struct lanefix_error *err)
{
    struct lf_bytes *carry = &feed->carry;
    size_t n_carry = carry->n;

    *wait = false;
    if (n_carry <= FRONT_NBYTES && feed->carry_wanted == 0) {
        chunk->buf -= n_carry;
        chunk->n = n_carry + chunk->n_read;
        if (n_carry != 0) {
            memcpy(chunk->buf, carry->data, n_carry);
        }
        carry->n = 0;
        return LANEFIX_OK;
    }
    if (n_carry + chunk->n_read > CHUNK_MAX) {
        return lf_fail(err, LANEFIX_ERR_LIMIT, feed->splitter.off,
                       "an event of 2 GiB or more: expected its end");
    }
    LF_TRY(lf_bytes_append(carry, chunk->buf, chunk->n_read, err));
    *wait = carry->n < feed->carry_wanted && !chunk->read_last;
    if (!*wait) {
        struct lf_bytes space = {(char *)chunk->space, 0, chunk->cap};

        chunk->space = chunk->buf = (uint8_t *)carry->data;
        chunk->cap = carry->cap;
        chunk->n = carry->n;
        chunk->read = chunk->buf + chunk->n - chunk->n_read;
        *carry = space;
    }
    return LANEFIX_OK;
}

/* Splits up to where what is ahead begins. *fits: the splitter stands between two events there; else
 * it stands where it stood. */
static enum lanefix_status split_to_ahead(struct lf_feed *feed, struct lf_chunk *chunk, size_t at,
                                          bool *fits, struct lanefix_error *err)
{
    struct lf_splitter s = feed->splitter;
    size_t consumed = 0;
    enum lanefix_status status = lf_splitter_feed(&s, LF_SPLIT_AUTO, chunk->buf, at, false,
                                                  &chunk->batch, &consumed, err);

    *fits = status == LANEFIX_OK && consumed == at && s.place == LF_SPLIT_EVENTS;
    if (*fits) {
        feed->splitter = s;
    }
    return status == LANEFIX_ERR_MEMORY ? status : LANEFIX_OK;
}

/* Adds to the batch what is ahead, which begins at buf[at]. */
static enum lanefix_status add_ahead(struct lf_chunk *chunk, size_t at, struct lanefix_error *err)
{
    struct lf_split_batch *b = &chunk->batch;
    const struct lf_span_list *ahead = &chunk->ahead;
    uint32_t shift = (uint32_t)at - ahead->spans[0].start;

    LF_TRY(lf_grow(&b->events, &b->cap_events, b->n_events + ahead->n, sizeof *b->events, err));
    chunk->first_ahead = b->n_events;
    chunk->n_ahead = ahead->n;
    for (size_t i = 0; i < ahead->n; i++) {
        const struct lf_span *span = &ahead->spans[i];

        b->events[b->n_events++] = (struct lf_split_event){
            span->start + shift, span->end + shift, (uint32_t)b->n_nested, 0};
    }
    return LANEFIX_OK;
}

/* Adds rest's events, which were found in buf + at. */
static enum lanefix_status add_rest(struct lf_split_batch *b, const struct lf_split_batch *rest,
                                    uint32_t at, struct lanefix_error *err)
{
    LF_TRY(lf_grow(&b->events, &b->cap_events, b->n_events + rest->n_events, sizeof *b->events,
                   err));
    LF_TRY(lf_grow(&b->nested, &b->cap_nested, b->n_nested + rest->n_nested, sizeof *b->nested,
                   err));
    for (size_t i = 0; i < rest->n_events; i++) {
        const struct lf_split_event *e = &rest->events[i];

        b->events[b->n_events++] =
            (struct lf_split_event){e->start + at, e->end + at,
                                    e->first_nested + (uint32_t)b->n_nested, e->n_nested};
    }
    for (size_t i = 0; i < rest->n_nested; i++) {
        const struct lf_span *span = &rest->nested[i];

        b->nested[b->n_nested + i] = (struct lf_span){span->start + at, span->end + at};
    }
    b->n_nested += rest->n_nested;
    return LANEFIX_OK;
}

/* Splits buf[from..n) into batch; a fault of the text is the chunk's. */
static enum lanefix_status split_from(struct lf_feed *feed, struct lf_chunk *chunk, size_t from,
                                      struct lf_split_batch *batch, size_t *consumed,
                                      struct lanefix_error *err)
{
    chunk->fault =
        lf_splitter_feed(&feed->splitter, LF_SPLIT_AUTO, chunk->buf + from, chunk->n - from,
                         chunk->read_last, batch, consumed, &chunk->fault_err);
    *consumed += from;
    if (chunk->fault == LANEFIX_ERR_MEMORY) {
        *err = chunk->fault_err;
        return chunk->fault;
    }
    return LANEFIX_OK;
}

/* Makes the batch of buf[0..n). */
static enum lanefix_status make_batch(struct lf_feed *feed, struct lf_chunk *chunk,
                                      size_t *consumed, struct lanefix_error *err)
{
    const struct lf_span_list *ahead = &chunk->ahead;
    bool fits = false;
    size_t at = 0;
    struct lf_span last;

    if (ahead->n != 0) {
        at = (size_t)(chunk->read - chunk->buf) + ahead->spans[0].start;
        LF_TRY(split_to_ahead(feed, chunk, at, &fits, err));
    }
    if (!fits) {
        return split_from(feed, chunk, 0, &chunk->batch, consumed, err);
    }
    LF_TRY(add_ahead(chunk, at, err));
    last = ahead->spans[ahead->n - 1];
    last.start -= ahead->spans[0].start;
    last.end -= ahead->spans[0].start;
    lf_splitter_take(&feed->splitter, ahead->n, last);
    at += last.end;
    LF_TRY(split_from(feed, chunk, at, &chunk->rest, consumed, err));
    return add_rest(&chunk->batch, &chunk->rest, (uint32_t)at, err);
}

static enum lanefix_status note_cut(struct lf_feed *feed, const struct lf_splitter *begin,
                                    const struct lf_chunk *chunk, struct lanefix_error *err)
{
    struct lf_cuts *cuts = feed->noted;

    if (cuts == NULL || chunk->n == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&cuts->list, &cuts->cap, cuts->n + 1, sizeof *cuts->list, err));
    cuts->list[cuts->n++] = *begin;
    cuts->end = chunk->off + chunk->n;
    return LANEFIX_OK;
}

enum lanefix_status lf_feed_split(struct lf_feed *feed, struct lf_chunk *chunk,
                                  struct lanefix_error *err)
{
    struct lf_splitter begin;
    size_t consumed = 0;
    bool wait;

    if (feed->failed) {
        return LANEFIX_OK;
    }
    begin = feed->splitter;
    chunk->off = begin.off;
    chunk->in_events = begin.place == LF_SPLIT_EVENTS;
    LF_TRY(join_carry(feed, chunk, &wait, err));
    if (wait) {
        return LANEFIX_OK;
    }
    LF_TRY(make_batch(feed, chunk, &consumed, err));
    feed->failed = chunk->fault != LANEFIX_OK;
    if (!feed->failed && !chunk->read_last) {
        LF_TRY(lf_bytes_append(&feed->carry, chunk->buf + consumed, chunk->n - consumed, err));
        /* one event, and it goes on */
        feed->carry_wanted = consumed == 0 ? 2 * chunk->n : 0;
        chunk->n = consumed;
    }
    return note_cut(feed, &begin, chunk, err);
}

enum lanefix_status lf_feed_next(struct lf_feed *feed, struct lf_chunk *chunk, bool *end,
                                 struct lanefix_error *err)
{
    do {
        LF_TRY(lf_feed_read(feed, chunk, end, err));
        if (*end) {
            return LANEFIX_OK;
        }
        LF_TRY(lf_feed_split(feed, chunk, err));
    } while (chunk->n == 0 && chunk->fault == LANEFIX_OK && !chunk->read_last);
    *end = chunk->n == 0 && chunk->fault == LANEFIX_OK;
    return LANEFIX_OK;
}
