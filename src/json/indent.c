/* One token after the other; the room for a piece's worst case is made before, so that the loop
 * writes without asking. Kernels do all but the ends of a text and what is not like JSON. */
#include "json/indent_internal.h"

#include <string.h>

#include "base/cpu.h"
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

const char lf_indent_line[LF_INDENT_COPY + 1] = "\n                               ";

#define BEFORE_VALUE(gap) [LF_INDENT_OPEN] = (gap), [LF_INDENT_SCALAR] = (gap)

const uint8_t lf_indent_gaps[LF_INDENT_SCALAR + 1][LF_INDENT_SCALAR + 1] = {
    [LF_INDENT_OPEN] = {BEFORE_VALUE(LF_GAP_LINE)},
    [LF_INDENT_CLOSE] = {BEFORE_VALUE(LF_GAP_LINE), [LF_INDENT_CLOSE] = LF_GAP_LINE},
    [LF_INDENT_COMMA] = {BEFORE_VALUE(LF_GAP_LINE), [LF_INDENT_CLOSE] = LF_GAP_LINE},
    [LF_INDENT_COLON] = {BEFORE_VALUE(LF_GAP_SPACE), [LF_INDENT_CLOSE] = LF_GAP_SPACE},
    [LF_INDENT_SCALAR] = {BEFORE_VALUE(LF_GAP_LINE), [LF_INDENT_CLOSE] = LF_GAP_LINE}};

/* A line is begun with a copy of fixed length where it is short: there is room behind it. */
static char *put_line(char *to, unsigned width, uint32_t depth)
{
    size_t n = (size_t)width * (depth < LF_INDENT_LEVELS_MAX ? depth : LF_INDENT_LEVELS_MAX);

    memcpy(to, lf_indent_line, LF_INDENT_COPY);
    if (n >= LF_INDENT_COPY) {
        memset(to + 1, ' ', n);
    }
    return to + 1 + n;
}

/* The white space between two tokens; depth: of the second one's line. */
static char *put_gap(char *to, unsigned width, enum lf_indent_token last, enum lf_indent_token next,
                     uint32_t depth)
{
    switch ((enum lf_indent_gap)lf_indent_gaps[last][next]) {
    case LF_GAP_LINE:
        return put_line(to, width, depth);
    case LF_GAP_SPACE:
        *to++ = ' ';
        return to;
    default:
        return to;
    }
}

const uint8_t lf_indent_kinds[256] = {
    ['{'] = LF_INDENT_OPEN,   ['['] = LF_INDENT_OPEN,  ['}'] = LF_INDENT_CLOSE,
    [']'] = LF_INDENT_CLOSE,  [','] = LF_INDENT_COMMA, [':'] = LF_INDENT_COLON,
    ['"'] = LF_INDENT_QUOTE,  [' '] = LF_INDENT_SPACE, ['\t'] = LF_INDENT_SPACE,
    ['\r'] = LF_INDENT_SPACE, ['\n'] = LF_INDENT_SPACE};

/* Takes the first byte of a token, which is of this kind. */
static char *begin_token(struct lf_indenter *d, uint8_t c, unsigned kind, char *to)
{
    enum lf_indent_token token =
        kind == 0 || kind == LF_INDENT_QUOTE ? LF_INDENT_SCALAR : (enum lf_indent_token)kind;

    d->depth -= token == LF_INDENT_CLOSE && d->depth > 0;
    to = put_gap(to, d->width, d->last, token, d->depth);
    if (d->last == LF_INDENT_UNKNOWN) {
        d->first = token;
        d->first_depth = d->depth;
    }
    d->depth += token == LF_INDENT_OPEN;
    d->last = token;
    d->in_string = kind == LF_INDENT_QUOTE;
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
        while (d->in_primitive && text < end && lf_indent_kinds[*text] == 0) {
            *to++ = (char)*text++;
        }
        if (text == end) {
            break;
        }
        kind = lf_indent_kinds[*text];
        if (kind == LF_INDENT_SPACE) {
            d->in_primitive = false;
        } else {
            to = begin_token(d, *text, kind, to);
        }
        text++;
    }
    return to;
}

lf_indent_fn *lf_indent_kernel(enum lf_split_kernel kernel)
{
    struct lf_cpu cpu = lf_cpu_features();

    (void)cpu;
#if defined(__x86_64__)
    if (cpu.avx2 && (kernel == LF_SPLIT_AUTO || kernel == LF_SPLIT_AVX2)) {
        return lf_indent_avx2;
    }
#elif defined(__aarch64__)
    if (cpu.neon && (kernel == LF_SPLIT_AUTO || kernel == LF_SPLIT_NEON)) {
        return lf_indent_neon;
    }
#endif
    (void)kernel;
    return NULL;
}

/* As much of the text as the kernel will do. */
static enum lanefix_status indent_fast(lf_indent_fn *kernel, struct lf_indenter *d,
                                       const uint8_t **text, const uint8_t *end,
                                       struct lf_bytes *out, struct lanefix_error *err)
{
    size_t need = out->n + (size_t)(end - *text) + (size_t)(end - *text) / 2;
    enum lf_indent_stop stop;

    do {
        char *to;

        LF_TRY(lf_grow(&out->data, &out->cap, need, 1, err));
        to = out->data + out->n;
        stop = kernel(d, text, end, &to, out->data + out->cap);
        out->n = (size_t)(to - out->data);
        need = out->cap + 1; /* by half */
    } while (stop == LF_INDENT_ROOM);
    return LANEFIX_OK;
}

static bool between_tokens(const struct lf_indenter *d)
{
    return !d->in_string && !d->in_primitive && d->last != LF_INDENT_NONE &&
           d->last != LF_INDENT_UNKNOWN;
}

enum lanefix_status lf_indent_with(lf_indent_fn *kernel, struct lf_indenter *d, const uint8_t *text,
                                   size_t n, struct lf_bytes *out, struct lanefix_error *err)
{
    enum { PIECE = 1024, FIRST_PIECE = 16, FAST_MIN = 256 };
    const uint8_t *end = text + n;
    size_t piece = FIRST_PIECE; /* most often there is a token in it */

    while (text < end) {
        size_t depth;
        char *to;

        if (kernel != NULL && end - text >= FAST_MIN && between_tokens(d)) {
            LF_TRY(indent_fast(kernel, d, &text, end, out, err));
            piece = PIECE;
        }
        piece = (size_t)(end - text) < piece ? (size_t)(end - text) : piece;
        /* how deep a line can be by the end of the piece */
        depth = d->depth + piece < LF_INDENT_LEVELS_MAX ? d->depth + piece : LF_INDENT_LEVELS_MAX;
        LF_TRY(lf_grow(&out->data, &out->cap,
                       out->n + piece * (2 + depth * d->width) + LF_INDENT_COPY, 1, err));
        to = indent_piece(d, text, text + piece, out->data + out->n);
        out->n = (size_t)(to - out->data);
        text += piece;
        piece = PIECE;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_indent(struct lf_indenter *d, const uint8_t *text, size_t n,
                              struct lf_bytes *out, struct lanefix_error *err)
{
    return lf_indent_with(lf_indent_kernel(LF_SPLIT_AUTO), d, text, n, out, err);
}

enum lanefix_status lf_indent_join(struct lf_indenter *d, const struct lf_indenter *next,
                                   struct lf_bytes *out, struct lanefix_error *err)
{
    size_t room = 1 + LF_INDENT_COPY + (size_t)LF_INDENT_LEVELS_MAX * d->width;

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
