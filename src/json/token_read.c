/* Reading an event through jsmn: the only file that knows it.
 *
 * jsmn is shown the event up to a nested value, reports that there must be more, is moved behind
 * the value and goes on. The tokens of each such piece go to the walk at once and are dropped but
 * for the event's own, so that a piece costs what it holds. Parent links keep jsmn from searching
 * its tokens at every comma.
 *
 * jsmn refuses bad escapes and stops at NUL bytes; Perfetto takes both in strings. Where it does,
 * a copy of the same length with these bytes made harmless is read instead: the offsets are the
 * same, and the values are taken from the text as it is. */
#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/token_walk.h"

struct lf_token_reader {
    jsmntok_t *tokens;
    size_t cap_tokens;
    uint8_t *copy;
    size_t cap_copy;
};

enum lanefix_status lf_token_reader_create(struct lf_token_reader **out, struct lanefix_error *err)
{
    return lf_alloc_zero(out, 1, sizeof **out, err);
}

void lf_token_reader_destroy(struct lf_token_reader *r)
{
    if (r != NULL) {
        free(r->tokens);
        free(r->copy);
        free(r);
    }
}

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* Whether text[0..n), which starts at a backslash, starts with an escape that jsmn takes. */
static bool escape_is_good(const uint8_t *text, size_t n)
{
    if (n < 2 || text[1] == '\0' || strchr("\"/\\bfrntu", text[1]) == NULL) {
        return false;
    }
    if (text[1] != 'u') {
        return true;
    }
    return n >= 6 && is_hex(text[2]) && is_hex(text[3]) && is_hex(text[4]) && is_hex(text[5]);
}

/* Replaces what jsmn refuses in the strings of text[from..to). */
static void clean_strings(uint8_t *text, size_t from, size_t to)
{
    bool in_string = false;

    for (size_t i = from; i < to; i++) {
        if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            continue;
        } else if (text[i] == '\0') {
            text[i] = '_';
        } else if (text[i] == '\\') {
            bool good = escape_is_good(text + i, to - i);
            bool pair = i + 1 < to && (text[i + 1] == '"' || text[i + 1] == '\\');

            if (!good) {
                text[i] = '_';
            } else if (pair) {
                i++;
            }
        }
    }
}

static enum lanefix_status make_clean_copy(struct lf_token_reader *r,
                                           const struct lf_event_text *event,
                                           struct lanefix_error *err)
{
    size_t from = 0;

    LF_TRY(lf_grow(&r->copy, &r->cap_copy, event->n, 1, err));
    memcpy(r->copy, event->text, event->n);
    for (size_t i = 0; i < event->n_nested; i++) {
        clean_strings(r->copy, from, event->nested[i].start - event->base);
        from = event->nested[i].end - event->base;
    }
    clean_strings(r->copy, from, event->n);
    return LANEFIX_OK;
}

/* Perfetto refuses a \u escape of half a surrogate pair. */
static bool find_surrogate(const uint8_t *text, uint32_t from, uint32_t to, uint32_t *off)
{
    for (uint32_t i = from; i + 1 < to; i++) {
        if (text[i] != '\\') {
            continue;
        }
        if (text[i + 1] == 'u' && to - i >= 6 && (text[i + 2] | 0x20) == 'd' &&
            strchr("89abcdefABCDEF", text[i + 3]) != NULL && is_hex(text[i + 3]) &&
            is_hex(text[i + 4]) && is_hex(text[i + 5])) {
            *off = i;
            return true;
        }
        i++;
    }
    return false;
}

static struct lf_value value_of(const jsmntok_t *token)
{
    struct lf_value v = {(uint32_t)token->start, (uint32_t)token->end, LF_VALUE_PRIMITIVE};

    switch (token->type) {
    case JSMN_STRING:
        v.kind = LF_VALUE_STRING;
        break;
    case JSMN_OBJECT:
        v.kind = LF_VALUE_OBJECT;
        break;
    case JSMN_ARRAY:
        v.kind = LF_VALUE_ARRAY;
        break;
    default:
        break;
    }
    return v;
}

/* Walks the tokens behind the event's own; those inside a value are passed over. escapes: there
 * are backslashes among them. An open value (jsmn failed in it) ends the walk. */
static enum lanefix_status walk_tokens(const jsmntok_t *tokens, size_t n_tokens, bool escapes,
                                       struct lf_walk *w, struct lanefix_error *err)
{
    int inside = 0;

    for (size_t i = 1; i < n_tokens; i++) {
        struct lf_value v;

        if (tokens[i].start < inside) {
            continue;
        }
        if (tokens[i].end < 0) {
            return LANEFIX_OK;
        }
        inside = tokens[i].end;
        v = value_of(&tokens[i]);
        LF_TRY(lf_walk_token(w, v, err));
        if (escapes && v.kind == LF_VALUE_STRING &&
            find_surrogate(w->text, v.start, v.end, &w->fault->off)) {
            w->fault->expected = "no escaped surrogate";
            return LANEFIX_ERR_INPUT;
        }
    }
    return LANEFIX_OK;
}

/* Parses on up to len, with as many tokens as it takes. */
static enum lanefix_status parse_piece(struct lf_token_reader *r, jsmn_parser *parser,
                                       const uint8_t *text, size_t len, int *result,
                                       struct lanefix_error *err)
{
    for (;;) {
        if (parser->toknext == r->cap_tokens) {
            LF_TRY(lf_grow(&r->tokens, &r->cap_tokens, r->cap_tokens + 64, sizeof *r->tokens, err));
        }
        *result = jsmn_parse(parser, (const char *)text, len, r->tokens, (unsigned)r->cap_tokens);
        if (*result != JSMN_ERROR_NOMEM) {
            return LANEFIX_OK;
        }
    }
}

/* Reads text, which is event->text or its clean copy. *refused: jsmn did not read it to its end. */
static enum lanefix_status read_text(struct lf_token_reader *r, const uint8_t *text,
                                     const struct lf_event_text *event, struct lf_walk *w,
                                     bool *refused, struct lanefix_error *err)
{
    jsmn_parser parser;

    jsmn_init(&parser);
    for (size_t i = 0;; i++) {
        bool more = i < event->n_nested;
        size_t from = parser.pos;
        size_t len = more ? event->nested[i].start - event->base : event->n;
        bool escapes;
        int result;

        assert(from <= len && len <= event->n);
        LF_TRY(parse_piece(r, &parser, text, len, &result, err));
        *refused = parser.pos < len || result == JSMN_ERROR_INVAL;
        if (*refused && text == event->text) {
            return LANEFIX_OK;
        }
        escapes = memchr(event->text + from, '\\', len - from) != NULL;
        LF_TRY(walk_tokens(r->tokens, parser.toknext, escapes, w, err));
        if (*refused || !more) {
            w->fault->off = parser.pos;
            return LANEFIX_OK;
        }
        LF_TRY(lf_walk_token(
            w,
            (struct lf_value){(uint32_t)len, event->nested[i].end - event->base,
                              event->text[len] == '{' ? LF_VALUE_OBJECT : LF_VALUE_ARRAY},
            err));
        parser.pos = event->nested[i].end - event->base;
        parser.toknext = 1;
        parser.toksuper = 0;
    }
}

enum lanefix_status lf_token_read(struct lf_token_reader *r, const struct lf_event_text *event,
                                  const struct lf_key_table *table, struct lf_member_list *list,
                                  struct lf_token_fault *fault, struct lanefix_error *err)
{
    struct lf_walk w;
    bool refused;

    LF_TRY(lf_walk_begin(&w, event, table, list, fault));
    LF_TRY(read_text(r, event->text, event, &w, &refused, err));
    if (refused) {
        LF_TRY(make_clean_copy(r, event, err));
        LF_TRY(lf_walk_begin(&w, event, table, list, fault));
        LF_TRY(read_text(r, r->copy, event, &w, &refused, err));
    }
    if (refused) {
        fault->expected =
            event->text[fault->off] == '"' ? "a string that ends" : "a value or a closing brace";
        return LANEFIX_ERR_INPUT;
    }
    return lf_walk_end(&w);
}
