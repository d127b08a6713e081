/* Scans of a shape's literals and values. None reads outside text[0..n). */
#ifndef LF_JSON_SHAPE_SCAN_H
#define LF_JSON_SHAPE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool lf_is_number_byte(uint8_t c)
{
    return (uint8_t)(c - '-') <= '9' - '-' || c == '+' || (c | 0x20) == 'e';
}

#if defined(__SSE2__)
static inline unsigned lf_string_ends_16(const uint8_t *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i nul = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());

    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), nul));
}

static inline unsigned lf_number_ends_16(const uint8_t *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i from_minus = _mm_sub_epi8(bytes, _mm_set1_epi8('-'));
    __m128i run = _mm_cmpeq_epi8(_mm_min_epu8(from_minus, _mm_set1_epi8('9' - '-')), from_minus);
    __m128i plus = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+'));
    __m128i e = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('e'));

    return 0xffffu ^ (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(run, plus), e));
}
#endif

/* The first quote, backslash or NUL at or behind pos, n where there is none. */
static inline size_t lf_scan_string(const uint8_t *text, size_t pos, size_t n)
{
#if defined(__SSE2__)
    for (; n - pos >= 16; pos += 16) {
        unsigned ends = lf_string_ends_16(text + pos);

        if (ends != 0) {
            return pos + (unsigned)__builtin_ctz(ends);
        }
    }
#endif
    while (pos < n && text[pos] != '"' && text[pos] != '\\' && text[pos] != '\0') {
        pos++;
    }
    return pos;
}

/* The first byte at or behind pos that no number has, n where there is none. */
static inline size_t lf_scan_number(const uint8_t *text, size_t pos, size_t n)
{
#if defined(__SSE2__)
    for (; n - pos >= 16; pos += 16) {
        unsigned ends = lf_number_ends_16(text + pos);

        if (ends != 0) {
            return pos + (unsigned)__builtin_ctz(ends);
        }
    }
#endif
    while (pos < n && lf_is_number_byte(text[pos])) {
        pos++;
    }
    return pos;
}

static inline uint64_t lf_load_8(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint32_t lf_load_4(const uint8_t *p)
{
    uint32_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* Whether text[pos..) begins with literal[0..len). Words, the last one reaching back over bytes
 * already compared: literals are short and a call costs more. */
static inline bool lf_same_literal(const uint8_t *text, size_t pos, size_t n,
                                   const uint8_t *literal, size_t len)
{
    const uint8_t *p = text + pos;
    uint64_t differ = 0;

    if (len > n - pos) {
        return false;
    }
    if (len >= 8) {
        for (size_t i = 0; i + 8 < len; i += 8) {
            differ |= lf_load_8(p + i) ^ lf_load_8(literal + i);
        }
        differ |= lf_load_8(p + len - 8) ^ lf_load_8(literal + len - 8);
    } else if (len >= 4) {
        differ = (lf_load_4(p) ^ lf_load_4(literal)) |
                 (lf_load_4(p + len - 4) ^ lf_load_4(literal + len - 4));
    } else {
        for (size_t i = 0; i < len; i++) {
            differ |= (uint64_t)(p[i] ^ literal[i]);
        }
    }
    return differ == 0;
}

#endif
