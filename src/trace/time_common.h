/* The form that nearly all times have: 1 to 16 digits, a point, three digits. It is read without a
 * loop, and inline: two are read of each event. */
#ifndef LF_TRACE_TIME_COMMON_H
#define LF_TRACE_TIME_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/time_internal.h"

/* Left to themselves compilers call them, which takes 2 % of the instructions of a check. */
#define LF_TIME_INLINE static inline __attribute__((always_inline))

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LF_CAN_READ_EIGHT 1
#else
#define LF_CAN_READ_EIGHT 0
#endif

#define LF_ZERO_DIGITS UINT64_C(0x3030303030303030)

/* The high bits of the bytes of w ^ LF_ZERO_DIGITS that are no digits. */
static inline uint64_t lf_no_digits(uint64_t w)
{
    return (w | (w + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
}

/* The number of eight digits, w ^ LF_ZERO_DIGITS, the first in the lowest byte. One multiplication
 * tree in place of a chain of eight. */
static inline uint64_t lf_join_digits(uint64_t w)
{
    w = w * 10 + (w >> 8);
    return ((w & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (w >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* Eight bytes at s ^ LF_ZERO_DIGITS. */
static inline uint64_t lf_load_digits(const char *s)
{
    uint64_t w;

    memcpy(&w, s, sizeof w);
    return w ^ LF_ZERO_DIGITS;
}

/* The last eight bytes of text[0..n), n >= 5, likewise, with zeros in front where there are fewer.
 */
static inline uint64_t lf_load_last_digits(const char *text, size_t n)
{
    uint32_t first, last;

    if (n >= 8) {
        return lf_load_digits(text + n - 8);
    }
    memcpy(&first, text, sizeof first);
    memcpy(&last, text + n - 4, sizeof last);
    return ((uint64_t)last << 32 | (uint64_t)first << 8 * (8 - n)) ^ LF_ZERO_DIGITS << 8 * (8 - n);
}

/* Whether text[0..n) has the common form; *ns: the nanoseconds that are written, below 10^19. */
LF_TIME_INLINE bool lf_time_common(const char *text, size_t n, uint64_t *ns)
{
    uint64_t last, others;

    if (!LF_CAN_READ_EIGHT || n < 5 || n > 20 || text[n - 4] != '.') {
        return false;
    }
    /* up to four digits, the point, three: without the point seven digits */
    last = lf_load_last_digits(text, n);
    last = last << 32 >> 24 | last >> 40 << 40;
    others = lf_no_digits(last);
    *ns = lf_join_digits(last);
    if (n > 16) {
        uint64_t first = lf_load_digits(text) << 8 * (24 - n);

        others |= lf_no_digits(first);
        *ns += lf_join_digits(first) * UINT64_C(1000000000000000);
    }
    if (n > 8) {
        uint64_t middle =
            n > 16 ? lf_load_digits(text + n - 16) : lf_load_digits(text) << 8 * (16 - n);

        others |= lf_no_digits(middle);
        *ns += lf_join_digits(middle) * UINT64_C(10000000);
    }
    return others == 0;
}

/* What Perfetto makes of a time of the common form. Below 2^42 us it is just what is written:
 * rounding the sum to a double is off by at most 2^-12 us, 0.245 ns; the product is below 2^52 and
 * rounded by at most 1/4; so the nearest whole number is the written one. */
static inline bool lf_time_common_to_ns(uint64_t written, int64_t *ns)
{
    if (written < (UINT64_C(1) << 42) * 1000) {
        *ns = (int64_t)written;
        return true;
    }
    return lf_double_to_ns((double)(written / 1000) + (double)(written % 1000) / 1000.0, ns);
}

#endif
