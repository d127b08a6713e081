/* The events area byte by byte: the definition of what is taken between and inside events, and the
 * words for what is not. Runs where a kernel raised an alarm.
 *
 * Between events: white space, any number of commas. An event is an object whose brackets match in
 * kind (as far as LEVELS of them are open; deeper ones only in number) and whose strings stand
 * where JSON has strings. Nothing else is looked at. */
#include "json/split_internal.h"

#include <stdio.h>

#include "base/mem.h"

enum { LEVELS = 1024 };

/* What the last byte outside strings that was no white space allows. */
enum before {
    BEFORE_STRING, /* { [ , : */
    BEHIND_STRING, /* a closing quote */
    BEFORE_NOTHING /* any other: no string may follow, a bracket or a separator may */
};

struct event_reader {
    uint64_t kinds[LEVELS / 64]; /* bit per open bracket: 1 for '{' */
    uint32_t depth;
    enum before before;
};

struct lf_shown_byte lf_split_show(uint8_t c)
{
    struct lf_shown_byte shown;

    if (c > ' ' && c < 0x7f) {
        snprintf(shown.text, sizeof shown.text, "'%c'", c);
    } else {
        snprintf(shown.text, sizeof shown.text, "byte 0x%02x", c);
    }
    return shown;
}

enum lanefix_status lf_scan_reserve(struct lf_split_batch *b, struct lanefix_error *err)
{
    LF_TRY(lf_grow(&b->events, &b->cap_events, b->n_events + LF_SCAN_BATCH_EVENTS,
                   sizeof *b->events, err));
    return lf_grow(&b->nested, &b->cap_nested, b->n_nested + LF_SCAN_BATCH_EVENTS,
                   sizeof *b->nested, err);
}

static void set_kind(struct event_reader *r, bool curly)
{
    if (r->depth < LEVELS) {
        uint64_t bit = (uint64_t)1 << r->depth % 64;
        uint64_t *word = &r->kinds[r->depth / 64];

        *word = curly ? *word | bit : *word & ~bit;
    }
    r->depth++;
}

/* Closes the innermost bracket; false where it is of the other kind. */
static bool drop_kind(struct event_reader *r, bool curly)
{
    r->depth--;
    return r->depth >= LEVELS || (r->kinds[r->depth / 64] >> r->depth % 64 & 1) == curly;
}

/* *i is at a quote; moves it to the closing quote, or to n where there is none. */
static void skip_string(const uint8_t *data, size_t n, size_t *i)
{
    for (++*i; *i < n && data[*i] != '"'; ++*i) {
        if (data[*i] == '\\') {
            ++*i;
        }
    }
}

/* One byte outside strings that is no white space and no quote. */
static enum lanefix_status read_byte(struct event_reader *r, uint8_t c, uint64_t off,
                                     struct lanefix_error *err)
{
    bool curly = c == '{' || c == '}';

    if (r->before == BEHIND_STRING && c != ',' && c != ':' && c != '}' && c != ']') {
        return lf_fail(err, LANEFIX_ERR_INPUT, off,
                       "%s behind a string in an event: expected ',', ':', '}' or ']' (a quote "
                       "inside a string must be escaped)",
                       lf_split_show(c).text);
    }
    switch (c) {
    case '{':
    case '[':
        set_kind(r, curly);
        r->before = BEFORE_STRING;
        break;
    case '}':
    case ']':
        if (!drop_kind(r, curly)) {
            return lf_fail(err, LANEFIX_ERR_INPUT, off, "%s in an event: expected '%c'",
                           lf_split_show(c).text, curly ? ']' : '}');
        }
        r->before = BEFORE_NOTHING;
        break;
    case ',':
    case ':':
        r->before = BEFORE_STRING;
        break;
    case '\\':
        return lf_fail(err, LANEFIX_ERR_INPUT, off,
                       "backslash outside a string in an event: expected a value");
    default:
        r->before = BEFORE_NOTHING;
        break;
    }
    return LANEFIX_OK;
}

/* Reads the event that starts at scan->pos, and adds it. *whole: it was complete. */
static enum lanefix_status read_event(struct lf_scan *scan, uint64_t off, bool *whole,
                                      struct lanefix_error *err)
{
    struct lf_split_batch *b = scan->batch;
    struct event_reader r = {.depth = 0, .before = BEFORE_STRING};
    struct lf_split_event event = {(uint32_t)scan->pos, 0, (uint32_t)b->n_nested, 0};

    *whole = false;
    for (size_t i = scan->pos; i < scan->n; i++) {
        uint8_t c = scan->data[i];
        uint32_t depth = r.depth;

        if (lf_is_space(c)) {
            continue;
        }
        if (c == '"') {
            if (r.before != BEFORE_STRING) {
                return lf_fail(err, LANEFIX_ERR_INPUT, off + i,
                               "quote in an event where no string can begin: expected ',', ':', "
                               "'}' or ']' (a quote inside a string must be escaped)");
            }
            skip_string(scan->data, scan->n, &i);
            r.before = BEHIND_STRING;
            continue;
        }
        LF_TRY(read_byte(&r, c, off + i, err));
        if (depth == 1 && r.depth == 2) {
            LF_TRY(lf_scan_reserve(b, err));
            b->nested[b->n_nested].start = (uint32_t)i;
        } else if (depth == 2 && r.depth == 1) {
            b->nested[b->n_nested++].end = (uint32_t)i + 1;
        } else if (r.depth == 0) {
            LF_TRY(lf_scan_reserve(b, err));
            event.end = (uint32_t)i + 1;
            event.n_nested = (uint32_t)b->n_nested - event.first_nested;
            b->events[b->n_events++] = event;
            scan->pos = i + 1;
            *whole = true;
            return LANEFIX_OK;
        }
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_split_step(struct lf_scan *scan, uint64_t off, enum lf_scan_stop *stop,
                                  struct lanefix_error *err)
{
    uint8_t c;

    scan->in_event = false;
    while (scan->pos < scan->n && lf_is_gap(scan->data[scan->pos])) {
        scan->pos++;
    }
    if (scan->pos == scan->n) {
        *stop = LF_SCAN_END;
        return LANEFIX_OK;
    }
    c = scan->data[scan->pos];
    if (c == '{') {
        bool whole;

        LF_TRY(read_event(scan, off, &whole, err));
        scan->in_event = !whole;
        *stop = whole ? LF_SCAN_ALARM : LF_SCAN_END;
        return LANEFIX_OK;
    }
    if (c == ']') {
        *stop = LF_SCAN_CLOSED;
        return LANEFIX_OK;
    }
    return lf_fail(err, LANEFIX_ERR_INPUT, off + scan->pos,
                   "%s: element of traceEvents is no object: expected '{', ',' or ']'",
                   lf_split_show(c).text);
}
