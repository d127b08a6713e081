/* One token after the other; the room for a piece's worst case is made before, so that the loop
 * writes without asking. */
#include "json/indent.h"

#include <string.h>

#include "base/mem.h"

void lf_indenter_init(struct lf_indenter *d, unsigned width)
{
    memset(d, 0, sizeof *d);
    d->width = width;
}

void lf_indenter_resume(struct lf_indenter *d, unsigned width, uint32_t depth)
{
    lf_indenter_init(d, width);
    d->depth = depth;
    d->last = LF_INDENT_UNKNOWN;
}

/* A line is begun with a copy of fixed length where it is short: there is room behind it. */
enum { SHORT_LINE = 32 };

static char *put_line(char *to, unsigned width, uint32_t depth)
{
    static const char line[SHORT_LINE + 1] = "\n                               ";
    size_t n = (size_t)width * (depth < LF_INDENT_LEVELS_MAX ? depth : LF_INDENT_LEVELS_MAX);

    memcpy(to, line, SHORT_LINE);
    if (n >= SHORT_LINE) {
        memset(to + 1, ' ', n);
    }
    return to + 1 + n;
}

/* The white space between two tokens; depth: of the second one's line. */
static char *put_gap(char *to, unsigned width, enum lf_indent_token last, enum lf_indent_token next,
                     uint32_t depth)
{
    if (last == LF_INDENT_NONE || last == LF_INDENT_UNKNOWN || next == LF_INDENT_COMMA ||
        next == LF_INDENT_COLON) {
        return to;
    }
    if (last == LF_INDENT_COLON) {
        *to++ = ' ';
        return to;
    }
    return next == LF_INDENT_CLOSE && last == LF_INDENT_OPEN ? to : put_line(to, width, depth);
}

/* What a byte is where a token may begin. 0: the byte of a primitive. */
enum { QUOTE = 16, SPACE };

static const uint8_t kinds[256] = {
    ['{'] = LF_INDENT_OPEN,  ['['] = LF_INDENT_OPEN,  ['}'] = LF_INDENT_CLOSE,
    [']'] = LF_INDENT_CLOSE, [','] = LF_INDENT_COMMA, [':'] = LF_INDENT_COLON,
    ['"'] = QUOTE,           [' '] = SPACE,           ['\t'] = SPACE,
    ['\r'] = SPACE,          ['\n'] = SPACE};

/* Takes the first byte of a token, which is of this kind. */
static char *begin_token(struct lf_indenter *d, uint8_t c, unsigned kind, char *to)
{
    enum lf_indent_token token =
        kind == 0 || kind == QUOTE ? LF_INDENT_SCALAR : (enum lf_indent_token)kind;

    d->depth -= token == LF_INDENT_CLOSE && d->depth > 0;
    to = put_gap(to, d->width, d->last, token, d->depth);
    if (d->last == LF_INDENT_UNKNOWN) {
        d->first = token;
        d->first_depth = d->depth;
    }
    d->depth += token == LF_INDENT_OPEN;
    d->last = token;
    d->in_string = kind == QUOTE;
    d->in_primitive = kind == 0;
    *to++ = (char)c;
    return to;
}

/* Copies what is left of a string. */
static const uint8_t *copy_string(struct lf_indenter *d, const uint8_t *text, const uint8_t *end,
                                  char **to)
{
    char *at = *to;

    while (d->in_string && text < end) {
        uint8_t c = *text++;

        *at++ = (char)c;
        if (d->escaped) {
            d->escaped = false;
        } else if (c == '\\') {
            d->escaped = true;
        } else if (c == '"') {
            d->in_string = false;
        }
    }
    *to = at;
    return text;
}

/* [text, end), short enough for the room at to. */
static char *indent_piece(struct lf_indenter *d, const uint8_t *text, const uint8_t *end, char *to)
{
    while (text < end) {
        unsigned kind;

        if (d->in_string) {
            text = copy_string(d, text, end, &to);
            continue;
        }
        while (d->in_primitive && text < end && kinds[*text] == 0) {
            *to++ = (char)*text++;
        }
        if (text == end) {
            break;
        }
        kind = kinds[*text];
        if (kind == SPACE) {
            d->in_primitive = false;
        } else {
            to = begin_token(d, *text, kind, to);
        }
        text++;
    }
    return to;
}

enum lanefix_status lf_indent(struct lf_indenter *d, const uint8_t *text, size_t n,
                              struct lf_bytes *out, struct lanefix_error *err)
{
    enum { PIECE = 1024 };
    const uint8_t *end = text + n;

    while (text < end) {
        size_t piece = (size_t)(end - text) < PIECE ? (size_t)(end - text) : PIECE;
        /* how deep a line can be by the end of the piece */
        size_t depth =
            d->depth + piece < LF_INDENT_LEVELS_MAX ? d->depth + piece : LF_INDENT_LEVELS_MAX;
        char *to;

        LF_TRY(lf_grow(&out->data, &out->cap, out->n + piece * (2 + depth * d->width) + SHORT_LINE,
                       1, err));
        to = indent_piece(d, text, text + piece, out->data + out->n);
        out->n = (size_t)(to - out->data);
        text += piece;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_indent_join(struct lf_indenter *d, const struct lf_indenter *next,
                                   struct lf_bytes *out, struct lanefix_error *err)
{
    size_t room = 1 + SHORT_LINE + (size_t)LF_INDENT_LEVELS_MAX * d->width;

    if (next->first == LF_INDENT_NONE) {
        return LANEFIX_OK; /* white space only */
    }
    LF_TRY(lf_grow(&out->data, &out->cap, out->n + room, 1, err));
    out->n =
        (size_t)(put_gap(out->data + out->n, d->width, d->last, next->first, next->first_depth) -
                 out->data);
    *d = *next;
    return LANEFIX_OK;
}
