#include "run/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void lf_ahead_fini(struct lf_ahead *ahead)
{
    free(ahead->events);
    lf_split_batch_fini(&ahead->one);
    memset(ahead, 0, sizeof *ahead);
}

/* Splits the event at text alone: ahead->one, empty where it does not end soon or nothing that is
 * well-formed is there. */
static enum lanefix_status split_one(struct lf_ahead *ahead, const uint8_t *text, size_t n,
                                     struct lanefix_error *err)
{
    enum { FIRST_WINDOW = 1 << 10, LAST_WINDOW = 1 << 16 };
    struct lf_split_batch *b = &ahead->one;

    for (size_t window = FIRST_WINDOW; window <= LAST_WINDOW; window *= 4) {
        enum lanefix_status status = lf_split_one(text, n < window ? n : window, b, err);

        if (status == LANEFIX_ERR_MEMORY) {
            return status;
        }
        if (b->n_events != 0 || status != LANEFIX_OK || n <= window) {
            break;
        }
    }
    return LANEFIX_OK;
}

/* An event of unknown layout at text: *end as lf_event_read_ahead sets it. Its layout is learned. */
static enum lanefix_status read_unknown(struct lf_ahead *ahead, struct lf_event_reader *reader,
                                        const uint8_t *text, size_t n, struct lf_event *out,
                                        size_t *end, struct lanefix_error *err)
{
    const struct lf_split_batch *b = &ahead->one;
    enum lanefix_status status;

    *end = 0;
    LF_TRY(split_one(ahead, text, n, err));
    if (b->n_events == 0) {
        return LANEFIX_OK;
    }
    status = lf_event_read(reader, text, &b->events[0], b->nested, 0, out, err);
    if (status == LANEFIX_OK) {
        *end = b->events[0].end;
    }
    return status == LANEFIX_ERR_INPUT ? LANEFIX_OK : status;
}

/* Where the first event that can be read begins; n where none is found soon. */
static enum lanefix_status find_first(struct lf_ahead *ahead, struct lf_event_reader *reader,
                                      const uint8_t *text, size_t n, size_t *pos,
                                      struct lanefix_error *err)
{
    enum { MAX_TRIES = 64, MAX_DISTANCE = 1 << 16 };
    size_t reach = n < MAX_DISTANCE ? n : MAX_DISTANCE;
    const uint8_t *at = text;

    for (int i = 0; i < MAX_TRIES; i++, at++) {
        size_t end;

        at = memmem(at, reach - (size_t)(at - text), ahead->head, LF_AHEAD_HEAD);
        if (at == NULL) {
            break;
        }
        *pos = (size_t)(at - text);
        LF_TRY(lf_event_read_ahead(reader, at, n - *pos, &ahead->events[0], &end, err));
        if (end != 0) {
            return LANEFIX_OK;
        }
    }
    *pos = n;
    return LANEFIX_OK;
}

/* What stands between two events: bytes & mask, in the order of memory. */
struct gap {
    uint64_t bytes, mask;
    size_t n; /* at most 8 */
};

/* The first byte at or behind pos, n where there is none, that is not allowed between two events.
 * Most gaps are like the one before, which *gap is. */
static size_t pass_gap(struct gap *gap, const uint8_t *text, size_t pos, size_t n)
{
    uint64_t bytes = 0;
    size_t end = pos;

    if (n - pos > sizeof bytes) {
        memcpy(&bytes, text + pos, sizeof bytes);
        if (((bytes ^ gap->bytes) & gap->mask) == 0 && text[pos + gap->n] == '{') {
            return pos + gap->n;
        }
    }
    while (end < n && lf_is_gap(text[end])) {
        end++;
    }
    if (end - pos <= sizeof bytes && n - pos > sizeof bytes) {
        gap->bytes = bytes;
        gap->n = end - pos;
        gap->mask = 0;
        memset(&gap->mask, 0xff, gap->n);
    }
    return end;
}

static inline enum lanefix_status make_room(struct lf_ahead *ahead, struct lf_span_list *list,
                                            struct lanefix_error *err)
{
    if (list->n < ahead->cap_events && list->n < list->cap) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&ahead->events, &ahead->cap_events, list->n + 1, sizeof *ahead->events, err));
    return lf_grow(&list->spans, &list->cap, list->n + 1, sizeof *list->spans, err);
}

enum lanefix_status lf_ahead_read(struct lf_ahead *ahead, struct lf_event_reader *reader,
                                  struct lf_chunk *chunk, struct lanefix_error *err)
{
    /* An event of unknown layout costs what some ten of known layouts save. Of very small events the
     * rest is split as ever: there is room for all of a chunk's once only. */
    enum { FREE_UNKNOWN = 64, KNOWN_EACH = 8, MAX_EVENTS = 1 << 14 };
    struct lf_span_list *list = &chunk->ahead;
    const uint8_t *text = chunk->read;
    size_t n = chunk->n_read;
    struct gap gap = {0, 0, 0};
    size_t n_unknown = 0;
    size_t pos, end;

    if (!ahead->has_head) {
        return LANEFIX_OK;
    }
    if (ahead->rest != 0) {
        ahead->rest--;
        return LANEFIX_OK;
    }
    LF_TRY(make_room(ahead, list, err));
    LF_TRY(find_first(ahead, reader, text, n, &pos, err));
    while (pos < n && text[pos] == '{' && list->n < MAX_EVENTS &&
           n_unknown <= FREE_UNKNOWN + list->n / KNOWN_EACH) {
        struct lf_event *out;

        LF_TRY(make_room(ahead, list, err));
        out = &ahead->events[list->n];
        LF_TRY(lf_event_read_ahead(reader, text + pos, n - pos, out, &end, err));
        if (end == 0) {
            n_unknown++;
            LF_TRY(read_unknown(ahead, reader, text + pos, n - pos, out, &end, err));
        }
        if (end == 0) {
            break;
        }
        list->spans[list->n++] = (struct lf_span){(uint32_t)pos, (uint32_t)(pos + end)};
        pos = pass_gap(&gap, text, pos + end, n);
    }
    return LANEFIX_OK;
}

void lf_ahead_learn(struct lf_ahead *ahead, const struct lf_chunk *chunk)
{
    enum { REST = 16 };
    const struct lf_split_batch *b = &chunk->batch;

    if (chunk->ahead.n != 0 && chunk->n_ahead == 0) {
        ahead->rest = REST;
    }
    if (b->n_events != 0) {
        const struct lf_split_event *e = &b->events[b->n_events - 1];

        ahead->has_head = e->end - e->start >= LF_AHEAD_HEAD;
        memcpy(ahead->head, chunk->buf + e->start, ahead->has_head ? LF_AHEAD_HEAD : 0);
    }
}
