/* What stands outside the events, byte by byte and resumable at any byte: the top-level value, the
 * members beside traceEvents, what follows. JSON to the letter in its structure, strings without
 * control characters; what is no structure and no string is taken as it is (NaN, 1e999).
 *
 * Nothing is kept but the kinds of the open brackets, so values there may be of any size. */
#include "json/split_internal.h"

#include <string.h>

enum state {
    AT_VALUE,       /* a value must follow */
    AT_FIRST_VALUE, /* or ']' */
    AT_KEY,         /* a key must follow */
    AT_FIRST_KEY,   /* or '}' */
    AT_COLON,
    AT_NEXT, /* ',' or the closing bracket */
    IN_KEY,
    IN_STRING,
    IN_PRIMITIVE
};

static const char events_key[] = "traceEvents";
#define EVENTS_KEY_LEN (sizeof events_key - 1)

static const char base_time_key[] = "baseTimeNanoseconds";
#define BASE_TIME_KEY_LEN (sizeof base_time_key - 1)

static const uint8_t byte_order_mark[3] = {0xef, 0xbb, 0xbf};

static enum lanefix_status refuse(uint8_t c, uint64_t off, const char *expected,
                                  struct lanefix_error *err)
{
    return lf_fail(err, LANEFIX_ERR_INPUT, off, "%s: expected %s", lf_split_show(c).text, expected);
}

static bool innermost_is_object(const struct lf_splitter *s)
{
    uint32_t level = s->head_depth - 1;

    return (s->head_kinds[level / 64] >> level % 64 & 1) != 0;
}

static enum lanefix_status open_bracket(struct lf_splitter *s, uint8_t c, uint64_t off,
                                        struct lanefix_error *err)
{
    uint64_t bit = (uint64_t)1 << s->head_depth % 64;
    uint64_t *word = &s->head_kinds[s->head_depth / 64];

    if (s->head_depth == LF_SPLIT_HEAD_LEVELS - 1) {
        return lf_fail(err, LANEFIX_ERR_LIMIT, off,
                       "brackets outside traceEvents nested %u deep: expected fewer",
                       LF_SPLIT_HEAD_LEVELS);
    }
    *word = c == '{' ? *word | bit : *word & ~bit;
    s->head_depth++;
    s->head_state = c == '{' ? AT_FIRST_KEY : AT_FIRST_VALUE;
    return LANEFIX_OK;
}

static void close_bracket(struct lf_splitter *s)
{
    s->head_depth--;
    s->head_state = AT_NEXT;
    if (s->head_depth == 0) {
        s->place = LF_SPLIT_DONE;
    }
}

static enum lanefix_status begin_value(struct lf_splitter *s, uint8_t c, uint64_t off,
                                       struct lanefix_error *err)
{
    if (s->head_depth == 1 && s->head_key_pos == EVENTS_KEY_LEN) {
        if (c != '[') {
            return refuse(c, off, "'[': the value of \"traceEvents\" must be an array", err);
        }
        s->place = LF_SPLIT_EVENTS;
        s->seen_events = true;
        s->events_fresh = true;
        s->array_off = off;
        return LANEFIX_OK;
    }
    if (c == '{' || c == '[') {
        return open_bracket(s, c, off, err);
    }
    if (c == '"') {
        s->head_state = IN_STRING;
        return LANEFIX_OK;
    }
    if (c == ']' && s->head_state == AT_FIRST_VALUE) {
        close_bracket(s);
        return LANEFIX_OK;
    }
    if (c < 0x20 || c == ',' || c == ':' || c == '}' || c == ']' || c == '\\') {
        return refuse(c, off, "a value", err);
    }
    s->head_state = IN_PRIMITIVE;
    s->in_base_time = s->head_depth == 1 && s->head_base_pos == BASE_TIME_KEY_LEN;
    if (s->in_base_time) {
        s->base_time_off = off;
        s->base_time_end = off + 1;
        memset(s->base_time, 0, sizeof s->base_time);
        s->base_time[0] = (char)c;
    }
    return LANEFIX_OK;
}

static enum lanefix_status next_or_close(struct lf_splitter *s, uint8_t c, uint64_t off,
                                         struct lanefix_error *err)
{
    bool object = innermost_is_object(s);

    if (c == ',') {
        s->head_state = object ? AT_KEY : AT_VALUE;
        return LANEFIX_OK;
    }
    if (c == (object ? '}' : ']')) {
        close_bracket(s);
        return LANEFIX_OK;
    }
    return refuse(c, off, object ? "',' or '}'" : "',' or ']'", err);
}

/* c is not white space, and outside strings and primitives. */
static enum lanefix_status read_structure(struct lf_splitter *s, uint8_t c, uint64_t off,
                                          struct lanefix_error *err)
{
    switch ((enum state)s->head_state) {
    case AT_VALUE:
    case AT_FIRST_VALUE:
        return begin_value(s, c, off, err);
    case AT_KEY:
    case AT_FIRST_KEY:
        if (c == '"') {
            s->head_state = IN_KEY;
            s->head_key_pos = 0;
            s->head_base_pos = 0;
            return LANEFIX_OK;
        }
        if (c == '}' && s->head_state == AT_FIRST_KEY) {
            close_bracket(s);
            return LANEFIX_OK;
        }
        return refuse(c, off, s->head_state == AT_KEY ? "a key" : "a key or '}'", err);
    case AT_COLON:
        if (c != ':') {
            return refuse(c, off, "':'", err);
        }
        s->head_state = AT_VALUE;
        return LANEFIX_OK;
    default:
        return next_or_close(s, c, off, err);
    }
}

/* Counts the bytes of a key that match; past the end: no match. */
static uint8_t match_byte(const char *key, size_t len, uint8_t pos, uint8_t c)
{
    return pos < len && c == (uint8_t)key[pos] ? (uint8_t)(pos + 1) : (uint8_t)(len + 1);
}

/* Reads on in a string from data[i]; returns where it stopped: behind the closing quote or at n. */
static enum lanefix_status read_string(struct lf_splitter *s, const uint8_t *data, size_t n,
                                       size_t *i, uint64_t off, struct lanefix_error *err)
{
    bool key = s->head_state == IN_KEY;

    while (*i < n) {
        uint8_t c = data[*i];

        if (c < 0x20) {
            return lf_fail(err, LANEFIX_ERR_INPUT, off + *i,
                           "control character 0x%02x in a string outside traceEvents: expected an "
                           "escape",
                           c);
        }
        ++*i;
        if (s->head_escape) {
            s->head_escape = false;
        } else if (c == '\\') {
            s->head_escape = true;
        } else if (c == '"') {
            s->head_state = key ? AT_COLON : AT_NEXT;
            return LANEFIX_OK;
        }
        if (key) {
            s->head_key_pos = match_byte(events_key, EVENTS_KEY_LEN, s->head_key_pos, c);
            s->head_base_pos = match_byte(base_time_key, BASE_TIME_KEY_LEN, s->head_base_pos, c);
        }
    }
    return LANEFIX_OK;
}

static bool ends_primitive(uint8_t c)
{
    return c == ',' || c == ':' || c == '"' || c == '{' || c == '}' || c == '[' || c == ']';
}

static enum lanefix_status read_primitive(struct lf_splitter *s, const uint8_t *data, size_t n,
                                          size_t *i, uint64_t off, struct lanefix_error *err)
{
    for (; *i < n; ++*i) {
        uint8_t c = data[*i];

        if (lf_is_space(c) || ends_primitive(c)) {
            s->head_state = AT_NEXT;
            return LANEFIX_OK;
        }
        if (c < 0x20) {
            return refuse(c, off + *i, "',' or a closing bracket", err);
        }
        if (s->in_base_time) {
            size_t len = (size_t)(s->base_time_end - s->base_time_off);

            s->base_time[len < sizeof s->base_time - 1 ? len : sizeof s->base_time - 2] = (char)c;
            s->base_time_end++;
        }
    }
    return LANEFIX_OK;
}

/* The first byte of the top-level value; *more: what there is does not yet tell. */
static enum lanefix_status read_start(struct lf_splitter *s, const uint8_t *data, size_t n,
                                      uint64_t off, bool last, bool *more,
                                      struct lanefix_error *err)
{
    *more = false;
    if (off == 0 && data[0] == byte_order_mark[0]) {
        size_t len = n < sizeof byte_order_mark ? n : sizeof byte_order_mark;

        if (memcmp(data, byte_order_mark, len) == 0) {
            if (len == sizeof byte_order_mark) {
                return lf_fail(err, LANEFIX_ERR_INPUT, 0,
                               "UTF-8 byte-order mark, which Perfetto does not take: expected '{' "
                               "or '['");
            }
            *more = !last;
            if (*more) {
                return LANEFIX_OK;
            }
        }
    }
    if (data[0] == '{') {
        s->place = LF_SPLIT_HEAD;
        s->object_off = off;
        return open_bracket(s, '{', off, err);
    }
    if (data[0] == '[') {
        s->place = LF_SPLIT_EVENTS;
        s->array_form = true;
        s->seen_events = true;
        s->events_fresh = true;
        s->array_off = off;
        return LANEFIX_OK;
    }
    return refuse(data[0], off, "'{' or '[' at the start of a trace", err);
}

void lf_split_head_resume(struct lf_splitter *s)
{
    s->place = s->array_form ? LF_SPLIT_DONE : LF_SPLIT_HEAD;
    s->head_state = AT_NEXT;
    s->head_depth = 1; /* of the top-level object, also where the scan was resumed in the array */
    s->head_kinds[0] |= 1;
}

enum lanefix_status lf_split_head(struct lf_splitter *s, const uint8_t *data, size_t n, size_t *pos,
                                  uint64_t off, bool last, struct lanefix_error *err)
{
    size_t i = *pos;
    bool more = false;

    while (i < n && s->place != LF_SPLIT_EVENTS && !more) {
        if (s->place == LF_SPLIT_HEAD && s->head_state >= IN_KEY) {
            LF_TRY(s->head_state == IN_PRIMITIVE ? read_primitive(s, data, n, &i, off, err)
                                                 : read_string(s, data, n, &i, off, err));
        } else if (lf_is_space(data[i])) {
            i++;
        } else if (s->place == LF_SPLIT_START) {
            LF_TRY(read_start(s, data + i, n - i, off + i, last, &more, err));
            i += !more;
        } else if (s->place == LF_SPLIT_DONE) {
            return refuse(data[i], off + i, "the end: the trace was closed before", err);
        } else {
            LF_TRY(read_structure(s, data[i], off + i, err));
            i++;
        }
    }
    *pos = i;
    return LANEFIX_OK;
}
