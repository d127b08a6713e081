/* The scan, once for all kernels: a kernel's file defines
 *
 *     LF_KERNEL_TARGET                                 the functions' target attribute, or nothing
 *     static void block_masks(const uint8_t *p, struct block *b)     the masks of p[0..64)
 *     static uint64_t prefix_xor(uint64_t bits)        bit i: parity of bits 0 to i
 *
 * then includes this file and calls scan_events. Bit i of every mask is byte i.
 *
 * The in-string mask is the parity of the unescaped quotes so far. What may stand before and behind
 * a string is checked on masks: a bit is set behind each string (and each byte that may stand before
 * one), and adding it to the mask of white space carries it over the white space to the byte that
 * counts, across blocks through the adder's carry. So an unescaped quote inside a string never
 * passes, wherever it is. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json/split_internal.h"

struct carries {
    uint64_t escaped;      /* 1: the next byte is escaped */
    uint64_t in_string;    /* all ones: inside a string */
    uint64_t behind;       /* 1: only white space since the last closing quote */
    uint64_t before;       /* 1: only white space since a byte that may stand before a string */
};

/* Bits of the bytes that a backslash before them escapes. In a run of backslashes every second one
 * escapes, counted from the run's first; adding the first bit of a run to the run clears it, which
 * tells runs that start at an even place from the others. */
LF_KERNEL_TARGET
static inline uint64_t escaped_bytes(uint64_t backslash, uint64_t *carry)
{
    const uint64_t even = 0x5555555555555555u;
    uint64_t starts, even_runs, escapers, escaped;

    backslash &= ~*carry;
    starts = backslash & ~(backslash << 1);
    even_runs = backslash & ~(backslash + (starts & even));
    escapers = (even_runs & even) | (backslash & ~even_runs & ~even);
    escaped = escapers << 1 | *carry;
    *carry = escapers >> 63;
    return escaped;
}

/* The first bytes that are no white space behind the marked ones, marks included; a mark that white
 * space takes to the block's end goes on in the next. */
LF_KERNEL_TARGET
static inline uint64_t skip_space(uint64_t marks, uint64_t space, uint64_t *carry)
{
    unsigned long long sum;
    uint64_t over = *carry;

    over = __builtin_add_overflow(space, (marks << 1 | over) & space, &sum);
    sum = (sum | (marks << 1 | *carry)) & ~space;
    *carry = marks >> 63 | over;
    return sum;
}

/* Brackets outside strings, and whether anything is wrong with the quotes. */
LF_KERNEL_TARGET
static inline uint64_t read_quotes(const struct block *b, struct carries *c, uint64_t *bad)
{
    uint64_t escaped = c->escaped;
    uint64_t quote, in_string, outside, space, behind, before;

    if (__builtin_expect((b->backslash | escaped) != 0, 0)) {
        escaped = escaped_bytes(b->backslash, &c->escaped);
    }
    quote = b->quote & ~escaped;
    in_string = prefix_xor(quote) ^ c->in_string;
    c->in_string = (uint64_t)0 - (in_string >> 63);
    outside = ~in_string;
    space = b->space & outside;
    behind = skip_space(quote & outside, space, &c->behind);
    before = skip_space((b->open | b->separator) & outside, space, &c->before);
    *bad = (behind & ~(b->close | b->separator)) | (quote & in_string & ~before) |
           (b->backslash & outside);
    return (b->open | b->close) & outside;
}

/* Where a scan is. stack: the kinds of the open brackets below a 1, 1 for '{', innermost lowest: 1
 * is between events, 3 is inside an event, more is inside a nested value. */
struct cursor {
    uint64_t stack;
    size_t done;   /* behind the last whole event, or the start of the open one */
    struct lf_split_event *event; /* the next to be found */
    struct lf_span *nested;       /* likewise */
    struct lf_span *first_nested; /* of the batch */
};

enum { STACK_EMPTY = 1, STACK_EVENT = 3 };

/* Follows brackets (never 0 on entry) of the block p at base. */
LF_KERNEL_TARGET
static inline enum lf_scan_stop follow_brackets(struct cursor *cur, uint64_t brackets,
                                                const uint8_t *p, size_t base, uint64_t junk,
                                                uint64_t *gap)
{
    uint64_t stack = cur->stack;

    do {
        unsigned i = (unsigned)__builtin_ctzll(brackets);
        uint32_t pos = (uint32_t)(base + i);
        unsigned c = p[i];
        uint64_t curly = c >> 5 & 1;

        brackets &= brackets - 1;
        if ((c & 2) != 0) { /* '{' 0x7b, '[' 0x5b; '}' 0x7d, ']' 0x5d */
            if (stack <= STACK_EVENT) {
                if (stack == STACK_EVENT) {
                    cur->nested->start = pos;
                } else {
                    if (curly == 0 || (junk & *gap & (((uint64_t)1 << i) - 1)) != 0) {
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
                if (curly != 0 || (junk & *gap & (((uint64_t)1 << i) - 1)) != 0) {
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
                    cur->event->n_nested = (uint32_t)(cur->nested - cur->first_nested) -
                                           cur->event->first_nested;
                    cur->event++;
                    cur->done = pos + 1;
                    *gap = ~(uint64_t)1 << i;
                }
            }
        }
    } while (brackets != 0);
    cur->stack = stack;
    return LF_SCAN_END;
}

LF_KERNEL_TARGET
static inline void point_cursor(struct cursor *cur, const struct lf_split_batch *b)
{
    cur->event = b->events + b->n_events;
    cur->nested = b->nested + b->n_nested;
    cur->first_nested = b->nested;
}

LF_KERNEL_TARGET
static inline void store_counts(const struct cursor *cur, struct lf_split_batch *b)
{
    b->n_events = (size_t)(cur->event - b->events);
    b->n_nested = (size_t)(cur->nested - b->nested);
}

LF_KERNEL_TARGET
static inline enum lf_scan_stop scan_events(struct lf_scan *scan, struct lanefix_error *err)
{
    struct lf_split_batch *batch = scan->batch;
    struct carries carries = {0, 0, 0, 0};
    struct cursor cur = {STACK_EMPTY, scan->pos, NULL, NULL, NULL};
    enum lf_scan_stop stop = LF_SCAN_END;
    size_t n = scan->n;
    uint8_t tail[64];

    if (!lf_scan_has_room(batch) && lf_scan_reserve(batch, err) != LANEFIX_OK) {
        return LF_SCAN_MEMORY;
    }
    point_cursor(&cur, batch);
    for (size_t base = scan->pos; base < n; base += 64) {
        const uint8_t *p = scan->data + base;
        struct block b;
        uint64_t brackets, bad, junk;
        uint64_t gap = cur.stack == STACK_EMPTY ? ~(uint64_t)0 : 0;

        if (n - base < 64) {
            memset(tail, ' ', sizeof tail);
            memcpy(tail, p, n - base);
            p = tail;
        }
        block_masks(p, &b);
        brackets = read_quotes(&b, &carries, &bad);
        if (__builtin_expect(bad != 0, 0)) {
            stop = LF_SCAN_ALARM;
            break;
        }
        junk = ~(b.space | b.comma);
        if (brackets != 0) {
            stop = follow_brackets(&cur, brackets, p, base, junk, &gap);
            if (stop != LF_SCAN_END) {
                break;
            }
            store_counts(&cur, batch);
            if (__builtin_expect(!lf_scan_has_room(batch), 0)) {
                if (lf_scan_reserve(batch, err) != LANEFIX_OK) {
                    return LF_SCAN_MEMORY;
                }
                point_cursor(&cur, batch);
            }
        }
        if (cur.stack == STACK_EMPTY && (junk & gap) != 0) {
            stop = LF_SCAN_ALARM;
            break;
        }
    }
    store_counts(&cur, batch);
    scan->in_event = stop == LF_SCAN_END && cur.stack != STACK_EMPTY;
    scan->pos = stop == LF_SCAN_END && !scan->in_event ? n : cur.done;
    return stop;
}
