/* Indenting by masks, once for all kernels: a kernel's file defines what split_kernel.h says, then
 * includes this file and calls indent_blocks.
 *
 * It goes from mark to mark: brackets, commas and colons outside strings, without the colons that
 * stand as they will, with one space behind. Between two marks there is at most one scalar (or
 * name, colon, scalar), with white space around; it is copied when the mark behind it is met. Where
 * masks tell of anything else, the kernel leaves it all, from the last mark on, to the byte-wise
 * reader. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json/block_bits.h"
#include "json/indent_internal.h"

struct indent_carries {
    uint64_t escaped;   /* 1: the next byte is escaped */
    uint64_t in_string; /* all ones: inside a string */
    uint64_t before;    /* 1: only white space since a byte that may stand before a scalar */
    uint64_t primitive; /* 1: the last byte is of one */
};

struct indent_marks {
    uint64_t marks;
    uint64_t solid; /* bytes that are no white space between tokens */
    uint64_t bad;   /* a scalar that begins where none may, a backslash outside strings */
};

KERNEL_INLINE struct indent_marks find_marks(const struct block *b, struct indent_carries *c)
{
    uint64_t quote = b->quote;
    uint64_t stray = 0;
    uint64_t in_string, space, structure, primitive, scalar, before, starts, colons;

    if (__builtin_expect((b->backslash | c->escaped) != 0, 0)) {
        quote &= ~escaped_bytes(b->backslash, &c->escaped);
        stray = b->backslash;
    }
    in_string = prefix_xor(quote) ^ c->in_string; /* with the opening quote */
    c->in_string = (uint64_t)((int64_t)in_string >> 63);
    space = b->space & ~in_string;
    structure = (b->before | b->behind) & ~in_string;
    primitive = ~(in_string | quote | space | structure);
    before = pass_space(b->before & ~in_string, space, &c->before);
    starts = (primitive & ~(primitive << 1 | c->primitive)) | (quote & in_string);
    c->primitive = primitive >> 63;
    scalar = primitive | in_string | quote;
    colons = b->colon & structure & scalar << 1 & b->blank >> 1 & scalar >> 2;
    return (struct indent_marks){structure & ~colons, ~space,
                                 (starts & ~before) | (stray & ~in_string)};
}

struct indent_cursor {
    const uint8_t *done;   /* behind the last mark */
    const uint8_t *scalar; /* the first byte behind it that is solid, or the next block's first */
    char *to;
    enum lf_indent_token last;
    uint32_t depth;
    unsigned width;
    size_t n_line; /* length of a line at depth */
};

KERNEL_INLINE size_t line_length(uint32_t depth, unsigned width)
{
    return 1 + (size_t)width * (depth < LF_INDENT_LEVELS_MAX ? depth : LF_INDENT_LEVELS_MAX);
}

KERNEL_INLINE char *put_gap_fast(char *to, enum lf_indent_token last, enum lf_indent_token next,
                                 size_t n_line)
{
    unsigned gap = lf_indent_gaps[last][next];
    size_t n = gap == LF_GAP_LINE ? n_line : gap;

    memcpy(to, lf_indent_line + (gap == LF_GAP_SPACE), LF_INDENT_COPY);
    if (__builtin_expect(n > LF_INDENT_COPY, 0)) {
        memset(to + 1, ' ', n - 1);
    }
    return to + n;
}

/* Copies [from, end) of the text; reads and writes up to a copy's worth behind. */
KERNEL_INLINE char *copy_scalar(char *to, const uint8_t *from, const uint8_t *end)
{
    size_t n = (size_t)(end - from);

    memcpy(to, from, LF_INDENT_COPY);
    for (size_t at = LF_INDENT_COPY; at < n; at += LF_INDENT_COPY) {
        memcpy(to + at, from + at, LF_INDENT_COPY);
    }
    return to + n;
}

/* The scalar before the mark at bit i of the block, then the mark. */
KERNEL_INLINE void take_mark(struct indent_cursor *cur, const uint8_t *block, unsigned i,
                             uint64_t solid)
{
    const uint8_t *mark = block + i;
    enum lf_indent_token token = (enum lf_indent_token)lf_indent_kinds[*mark];
    uint64_t behind = i < 63 ? solid >> (i + 1) << (i + 1) : 0;

    if (cur->scalar < mark) {
        uint64_t head = solid & (((uint64_t)1 << i) - 1);
        const uint8_t *end = mark;

        if (head != 0) {
            end = block + (64 - __builtin_clzll(head));
        } else {
            while (lf_indent_kinds[end[-1]] == LF_INDENT_SPACE) {
                end--;
            }
        }
        cur->to = put_gap_fast(cur->to, cur->last, LF_INDENT_SCALAR, cur->n_line);
        cur->to = copy_scalar(cur->to, cur->scalar, end);
        cur->last = LF_INDENT_SCALAR;
    }
    cur->depth -= token == LF_INDENT_CLOSE && cur->depth > 0;
    cur->to = put_gap_fast(cur->to, cur->last, token, line_length(cur->depth, cur->width));
    *cur->to++ = (char)*mark;
    cur->depth += token == LF_INDENT_OPEN;
    cur->n_line = line_length(cur->depth, cur->width);
    cur->last = token;
    cur->done = mark + 1;
    cur->scalar = block + (behind != 0 ? __builtin_ctzll(behind) : 64);
}

/* Whether all that is seen of the text by the end of the block finds room: every byte of a block
 * may be a mark behind a scalar, with a line before each. */
KERNEL_INLINE bool has_room_for(const struct indent_cursor *cur, const uint8_t *block_end,
                                const char *limit)
{
    size_t n = (size_t)(block_end - cur->done) + 64 * 2 * line_length(cur->depth + 64, cur->width) +
               2 * LF_INDENT_COPY;

    return n <= (size_t)(limit - cur->to);
}

KERNEL_INLINE enum lf_indent_stop indent_blocks(struct lf_indenter *d, const uint8_t **text,
                                                const uint8_t *end, char **to, const char *limit)
{
    enum lf_indent_token last = d->last;
    struct indent_carries carries = {.before = last == LF_INDENT_OPEN || last == LF_INDENT_COMMA ||
                                               last == LF_INDENT_COLON};
    struct indent_cursor cur = {.done = *text,
                                .scalar = *text,
                                .to = *to,
                                .last = last,
                                .depth = d->depth,
                                .width = d->width,
                                .n_line = line_length(d->depth, d->width)};
    enum lf_indent_stop stop = LF_INDENT_END;

    for (const uint8_t *block = *text; end - block >= 64 + LF_INDENT_COPY; block += 64) {
        struct block b;
        struct indent_marks m;

        block_masks(block, &b);
        m = find_marks(&b, &carries);
        if (__builtin_expect(m.bad != 0, 0)) {
            stop = LF_INDENT_ODD;
            break;
        }
        if (__builtin_expect(!has_room_for(&cur, block + 64, limit), 0)) {
            stop = LF_INDENT_ROOM;
            break;
        }
        if (cur.scalar == block) {
            cur.scalar += m.solid != 0 ? __builtin_ctzll(m.solid) : 64;
        }
        for (; m.marks != 0; m.marks &= m.marks - 1) {
            take_mark(&cur, block, (unsigned)__builtin_ctzll(m.marks), m.solid);
        }
    }
    *text = cur.done;
    *to = cur.to;
    d->last = cur.last;
    d->depth = cur.depth;
    return stop;
}
