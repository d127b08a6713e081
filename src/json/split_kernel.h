/* The scan, once for all kernels: a kernel's file defines
 *
 *     LF_KERNEL_TARGET                                 the functions' target attribute, or nothing
 *     static void block_masks(const uint8_t *p, struct block *b)     the masks of p[0..64)
 *     static uint64_t prefix_xor(uint64_t bits)        bit i: parity of bits 0 to i
 *
 * then includes this file and calls scan_events. Bit i of every mask is byte i.
 *
 * A batch of blocks is read in two steps: the brackets of each block from its masks, which depend on
 * each other only through a few carries, then where the brackets lead, which is all branches. One
 * after the other they keep the CPU busier than side by side, by a tenth with AVX2.
 *
 * The in-string mask is the parity of the unescaped quotes so far. What may stand before and behind
 * a string is checked on masks: a bit is set behind each string (and each byte that may stand
 * before one), and adding it to the mask of white space carries it over the white space to the byte
 * that counts, across blocks through the adder's carry. So an unescaped quote inside a string never
 * passes, wherever it is. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json/block_bits.h"
#include "json/split_internal.h"

struct carries {
    uint64_t escaped;   /* 1: the next byte is escaped */
    uint64_t in_string; /* all ones: inside a string */
    uint64_t behind;    /* 1: only white space since the last closing quote */
    uint64_t before;    /* 1: only white space since a byte that may stand before a string */
};

/* Brackets outside strings, and whether anything is wrong with the quotes. */
KERNEL_INLINE uint64_t read_quotes(const struct block *b, struct carries *c, uint64_t *bad)
{
    uint64_t quote = b->quote;
    uint64_t stray = 0;
    uint64_t in_string, space, behind, before;

    if (__builtin_expect((b->backslash | c->escaped) != 0, 0)) {
        quote &= ~escaped_bytes(b->backslash, &c->escaped);
        stray = b->backslash;
    }
    in_string = prefix_xor(quote) ^ c->in_string;
    c->in_string = (uint64_t)((int64_t)in_string >> 63);
    space = b->space & ~in_string;
    behind = pass_space(quote & ~in_string, space, &c->behind);
    before = pass_space(b->before & ~in_string, space, &c->before);
    *bad = (behind & ~(space | b->behind)) | (quote & in_string & ~before) | (stray & ~in_string);
    return (b->before ^ b->behind) & ~in_string;
}

/* Where a scan is. stack: the kinds of the open brackets below a 1, 1 for '{', innermost lowest: 1
 * is between events, 3 is inside an event, more is inside a nested value. */
struct cursor {
    uint64_t stack;
    size_t done; /* behind the last whole event, or the start of the open one */
    struct lf_split_event *event,
        *last_event;                      /* the next to be found; the last where a block's fit */
    struct lf_span *nested, *last_nested; /* likewise */
    struct lf_span *first_nested;         /* of the batch */
};

/* Whether data[from..to), outside events, is as it must be. */
KERNEL_INLINE bool gap_is_clean(const uint8_t *data, size_t from, size_t to)
{
    while (from < to && lf_is_gap(data[from])) {
        from++;
    }
    return from == to;
}

enum { STACK_EMPTY = 1, STACK_EVENT = 3 };

/* Follows brackets (never 0 on entry) of the block at base. */
KERNEL_INLINE enum lf_scan_stop follow_brackets(struct cursor *cur, uint64_t brackets,
                                                const uint8_t *data, size_t base)
{
    uint64_t stack = cur->stack;

    do {
        uint32_t pos = (uint32_t)base + (uint32_t)__builtin_ctzll(brackets);
        unsigned c = data[pos];
        uint64_t curly = c >> 5 & 1;

        brackets &= brackets - 1;
        if ((c & 2) != 0) { /* '{' 0x7b, '[' 0x5b; '}' 0x7d, ']' 0x5d */
            if (stack <= STACK_EVENT) {
                if (stack == STACK_EVENT) {
                    cur->nested->start = pos;
                } else {
                    if (curly == 0 || !gap_is_clean(data, cur->done, pos)) {
                        return LF_SCAN_ALARM;
                    }
                    cur->event->start = pos;
                    cur->event->first_nested = (uint32_t)(cur->nested - cur->first_nested);
                    cur->done = pos;
                }
            }
            stack = stack << 1 | curly;
            if (stack >> 63 != 0) {
                return LF_SCAN_ALARM;
            }
        } else {
            if (stack == STACK_EMPTY) {
                if (curly != 0 || !gap_is_clean(data, cur->done, pos)) {
                    return LF_SCAN_ALARM;
                }
                cur->done = pos;
                return LF_SCAN_CLOSED;
            }
            if (((stack ^ curly) & 1) != 0) {
                return LF_SCAN_ALARM;
            }
            stack >>= 1;
            if (stack <= STACK_EVENT) {
                if (stack == STACK_EVENT) {
                    cur->nested->end = pos + 1;
                    cur->nested++;
                } else {
                    cur->event->end = pos + 1;
                    cur->event->n_nested =
                        (uint32_t)(cur->nested - cur->first_nested) - cur->event->first_nested;
                    cur->event++;
                    cur->done = pos + 1;
                }
            }
        }
    } while (brackets != 0);
    cur->stack = stack;
    return LF_SCAN_END;
}

KERNEL_INLINE bool has_room(const struct cursor *cur)
{
    return cur->event <= cur->last_event && cur->nested <= cur->last_nested;
}

/* The brackets of the n blocks from p on. Not 0: something is wrong with their quotes. A function of
 * its own, and the carries one by one, so that compilers keep them in registers. */
LF_KERNEL_TARGET static __attribute__((noinline)) uint64_t
read_batch(struct carries *carries, const uint8_t *p, size_t n, uint64_t *brackets)
{
    uint64_t escaped = carries->escaped;
    uint64_t in_string = carries->in_string;
    uint64_t behind = carries->behind;
    uint64_t before = carries->before;
    uint64_t any_bad = 0;

    for (size_t i = 0; i < n; i++, p += 64) {
        struct carries c = {escaped, in_string, behind, before};
        struct block b;
        uint64_t bad;

        block_masks(p, &b);
        brackets[i] = read_quotes(&b, &c, &bad);
        any_bad |= bad;
        escaped = c.escaped;
        in_string = c.in_string;
        behind = c.behind;
        before = c.before;
    }
    *carries = (struct carries){escaped, in_string, behind, before};
    return any_bad;
}

/* As scan_blocks, block by block: those before one with a fault count. Ends in an alarm or at end.
 */
LF_KERNEL_TARGET static __attribute__((noinline)) enum lf_scan_stop
scan_to_fault(struct cursor *cur, struct carries *carries, const uint8_t *data, const uint8_t *p,
              size_t *base, size_t end)
{
    enum lf_scan_stop stop = LF_SCAN_END;

    for (; *base < end && stop == LF_SCAN_END && has_room(cur); *base += 64, p += 64) {
        uint64_t brackets;

        if (read_batch(carries, p, 1, &brackets) != 0) {
            return LF_SCAN_ALARM;
        }
        if (brackets != 0) {
            stop = follow_brackets(cur, brackets, data, *base);
        }
    }
    return stop;
}

/* Reads the blocks p[0..64), p[64..128), ... for data[*base..end) while the cursor has room. */
KERNEL_INLINE enum lf_scan_stop scan_blocks(struct cursor *cursor, struct carries *carries,
                                            const uint8_t *data, const uint8_t *p, size_t *base,
                                            size_t end)
{
    struct cursor cur = *cursor;
    enum lf_scan_stop stop = LF_SCAN_END;
    size_t at = *base;
    uint64_t brackets[LF_SCAN_BATCH];

    while (at < end && stop == LF_SCAN_END) {
        struct carries before = *carries;
        size_t n = (end - at + 63) / 64;

        n = n < LF_SCAN_BATCH ? n : LF_SCAN_BATCH;
        if (__builtin_expect(read_batch(carries, p, n, brackets) != 0, 0)) {
            *cursor = cur;
            *carries = before;
            *base = at;
            return scan_to_fault(cursor, carries, data, p, base, end);
        }
        for (size_t i = 0; i < n; i++) {
            if (brackets[i] != 0) {
                stop = follow_brackets(&cur, brackets[i], data, at);
                if (stop != LF_SCAN_END) {
                    break;
                }
            }
            at += 64;
        }
        p += 64 * n;
        if (__builtin_expect(!has_room(&cur), 0)) {
            break;
        }
    }
    *cursor = cur;
    *base = at;
    return stop;
}

KERNEL_INLINE enum lanefix_status take_room(struct cursor *cur, struct lf_split_batch *b,
                                            struct lanefix_error *err)
{
    LF_TRY(lf_scan_reserve(b, err));
    cur->event = b->events + b->n_events;
    cur->last_event = b->events + b->cap_events - LF_SCAN_BATCH_EVENTS;
    cur->first_nested = b->nested;
    cur->nested = b->nested + b->n_nested;
    cur->last_nested = b->nested + b->cap_nested - LF_SCAN_BATCH_EVENTS;
    return LANEFIX_OK;
}

KERNEL_INLINE enum lf_scan_stop scan_events(struct lf_scan *scan, struct lanefix_error *err)
{
    struct lf_split_batch *batch = scan->batch;
    struct carries carries = {0, 0, 0, 0};
    struct cursor cur = {.stack = STACK_EMPTY, .done = scan->pos};
    enum lf_scan_stop stop = LF_SCAN_END;
    size_t n = scan->n;
    size_t whole = n - (n - scan->pos) % 64;
    size_t base = scan->pos;
    uint8_t tail[64];

    memset(tail, ' ', sizeof tail);
    memcpy(tail, scan->data + whole, n - whole);
    while (stop == LF_SCAN_END && base < n) {
        const uint8_t *p = base < whole ? scan->data + base : tail;

        if (take_room(&cur, batch, err) != LANEFIX_OK) {
            return LF_SCAN_MEMORY;
        }
        stop = scan_blocks(&cur, &carries, scan->data, p, &base, base < whole ? whole : n);
        batch->n_events = (size_t)(cur.event - batch->events);
        batch->n_nested = (size_t)(cur.nested - batch->nested);
    }
    if (stop == LF_SCAN_END && cur.stack == STACK_EMPTY && !gap_is_clean(scan->data, cur.done, n)) {
        stop = LF_SCAN_ALARM;
    }
    scan->in_event = stop == LF_SCAN_END && cur.stack != STACK_EMPTY;
    scan->pos = stop == LF_SCAN_END && !scan->in_event ? n : cur.done;
    return stop;
}

/* Where the skipping of a nested value is. stack: as a cursor's, without the event. */
struct skip {
    struct carries carries;
    uint64_t stack;
};

enum { SKIP_GO_ON = 0, SKIP_FAULT = 65 };

/* Follows the value through p[0..64): SKIP_GO_ON, SKIP_FAULT, or how many of these bytes it has. */
KERNEL_INLINE unsigned skip_block(struct skip *skip, const uint8_t *p)
{
    struct block b;
    uint64_t bad, brackets;

    block_masks(p, &b);
    for (brackets = read_quotes(&b, &skip->carries, &bad); brackets != 0; brackets &= brackets - 1) {
        unsigned at = (unsigned)__builtin_ctzll(brackets);
        unsigned c = p[at];
        uint64_t curly = c >> 5 & 1;

        if ((c & 2) != 0) {
            skip->stack = skip->stack << 1 | curly;
            if (skip->stack >> 63 != 0) {
                return SKIP_FAULT;
            }
            continue;
        }
        if (((skip->stack ^ curly) & 1) != 0) {
            return SKIP_FAULT;
        }
        skip->stack >>= 1;
        if (skip->stack == STACK_EMPTY) {
            return (bad & (((uint64_t)2 << at) - 1)) != 0 ? SKIP_FAULT : at + 1;
        }
    }
    return bad != 0 ? SKIP_FAULT : SKIP_GO_ON;
}

/* As lf_skip_fn has it. */
KERNEL_INLINE size_t skip_nested(const uint8_t *data, size_t pos, size_t n)
{
    struct skip skip = {{0, 0, 0, 0}, STACK_EMPTY};
    unsigned found = SKIP_GO_ON;
    uint8_t tail[64];

    for (; n - pos >= 64; pos += 64) {
        found = skip_block(&skip, data + pos);
        if (found != SKIP_GO_ON) {
            return found != SKIP_FAULT ? pos + found : 0;
        }
    }
    memset(tail, ' ', sizeof tail);
    memcpy(tail, data + pos, n - pos);
    found = skip_block(&skip, tail);
    return found != SKIP_GO_ON && found != SKIP_FAULT ? pos + found : 0;
}
