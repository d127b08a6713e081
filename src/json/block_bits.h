/* What kernels make of masks. LF_KERNEL_TARGET: the functions' target attribute, or nothing. */
#ifndef LF_JSON_BLOCK_BITS_H
#define LF_JSON_BLOCK_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel's state stays in registers only where all is one function. */
#define KERNEL_INLINE LF_KERNEL_TARGET static inline __attribute__((always_inline))

/* Bits of the bytes that a backslash before them escapes. In a run of backslashes every second one
 * escapes, counted from the run's first; adding the first bit of a run to the run clears it, which
 * tells runs that start at an even place from the others. */
KERNEL_INLINE uint64_t escaped_bytes(uint64_t backslash, uint64_t *carry)
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

/* Marks moved behind the bytes they stand at, and over the white space there; bits of white space
 * may be set besides. carry: a mark that goes on in the next block. */
KERNEL_INLINE uint64_t pass_space(uint64_t marks, uint64_t space, uint64_t *carry)
{
    uint64_t next = (marks << 1) + *carry;
    unsigned long long sum;
    bool over = __builtin_add_overflow(space, next & space, &sum);

    *carry = (marks >> 63) + over;
    return sum | next;
}

#endif
