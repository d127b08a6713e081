/* Matching with AVX2: 32 bytes at once where there are so many, else as elsewhere. */
#if defined(__x86_64__)

#include "json/block_avx2.h"
#include "json/shape_scan.h"

KERNEL_INLINE __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

KERNEL_INLINE size_t scan_string(const uint8_t *text, size_t pos, size_t n)
{
    for (; n - pos >= 32; pos += 32) {
        __m256i bytes = load(text + pos);
        unsigned ends = (unsigned)_mm256_movemask_epi8(_mm256_or_si256(
            _mm256_or_si256(equal(bytes, '"'), equal(bytes, '\\')), equal(bytes, '\0')));

        if (ends != 0) {
            return pos + (unsigned)__builtin_ctz(ends);
        }
    }
    return lf_scan_string(text, pos, n);
}

KERNEL_INLINE size_t scan_number(const uint8_t *text, size_t pos, size_t n)
{
    for (; n - pos >= 32; pos += 32) {
        __m256i bytes = load(text + pos);
        __m256i from_minus = _mm256_sub_epi8(bytes, _mm256_set1_epi8('-'));
        __m256i run =
            _mm256_cmpeq_epi8(_mm256_min_epu8(from_minus, _mm256_set1_epi8('9' - '-')), from_minus);
        __m256i e = equal(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'e');
        unsigned ends = ~(unsigned)_mm256_movemask_epi8(
            _mm256_or_si256(_mm256_or_si256(run, e), equal(bytes, '+')));

        if (ends != 0) {
            return pos + (unsigned)__builtin_ctz(ends);
        }
    }
    return lf_scan_number(text, pos, n);
}

/* Reads up to LF_SHAPE_PADDING bytes behind the literal. */
KERNEL_INLINE bool same_literal(const uint8_t *text, size_t pos, size_t n, const uint8_t *literal,
                                size_t len)
{
    if (n - pos < len + 32) {
        return lf_same_literal(text, pos, n, literal, len);
    }
    for (text += pos;; text += 32, literal += 32, len -= 32) {
        unsigned same =
            (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(text), load(literal)));

        if (len <= 32) {
            return _bzhi_u32(~same, (unsigned)len) == 0;
        }
        if (~same != 0) {
            return false;
        }
    }
}

#include "json/shape_kernel.h"

LF_KERNEL_TARGET
size_t lf_match_ahead_avx2(const struct lf_shape *shape, const uint8_t *text, size_t n,
                           lf_skip_fn *skip, struct lf_value *values, uint32_t *literal_at)
{
    return match_ahead(shape, text, n, skip, values, literal_at);
}

#else

typedef int lf_shape_avx2_is_empty;

#endif
