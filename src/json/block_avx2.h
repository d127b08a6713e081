/* The masks with AVX2, by compare and movemask; the parity by a carry-less product. For a kernel's
 * file. */
#ifndef LF_JSON_BLOCK_AVX2_H
#define LF_JSON_BLOCK_AVX2_H

#include <immintrin.h>

#define LF_KERNEL_TARGET __attribute__((target("avx2,bmi,bmi2,pclmul,popcnt")))

#include "json/block.h"
#include "json/block_bits.h"

LF_KERNEL_TARGET static inline uint64_t join(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

LF_KERNEL_TARGET static inline __m256i equal(__m256i bytes, char c)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

/* The masks of 32 bytes, as bytes of all ones. */
struct half {
    __m256i quote, backslash, before, behind, space, colon, blank;
};

KERNEL_INLINE struct half half_masks(const uint8_t *p)
{
    /* White space is what equals its own entry, picked by the low four bits; no other byte does:
     * where no white space ends in these bits the entry's own low bits differ. */
    const __m256i spaces =
        _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0, ' ', 0, 0, 0, 0,
                         0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i curly = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20)); /* '[' as '{', ']' as '}' */
    __m256i separator;
    struct half h;

    h.colon = equal(bytes, ':');
    h.blank = equal(bytes, ' ');
    separator = _mm256_or_si256(equal(bytes, ','), h.colon);
    h.quote = equal(bytes, '"');
    h.backslash = equal(bytes, '\\');
    h.before = _mm256_or_si256(separator, equal(curly, '{'));
    h.behind = _mm256_or_si256(separator, equal(curly, '}'));
    h.space = _mm256_cmpeq_epi8(bytes, _mm256_shuffle_epi8(spaces, bytes));
    return h;
}

KERNEL_INLINE void block_masks(const uint8_t *p, struct block *b)
{
    struct half low = half_masks(p);
    struct half high = half_masks(p + 32);

    b->quote = join(low.quote, high.quote);
    b->backslash = join(low.backslash, high.backslash);
    b->before = join(low.before, high.before);
    b->behind = join(low.behind, high.behind);
    b->space = join(low.space, high.space);
    b->colon = join(low.colon, high.colon);
    b->blank = join(low.blank, high.blank);
}

LF_KERNEL_TARGET static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)bits), _mm_set1_epi8(-1), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

#endif
