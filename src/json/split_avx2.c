/* The scan with AVX2: masks by compare and movemask, the in-string mask by a carry-less product. */
#if defined(__x86_64__)

#include <immintrin.h>

#define LF_KERNEL_TARGET __attribute__((target("avx2,bmi,bmi2,pclmul,popcnt")))

#include "json/split_block.h"

LF_KERNEL_TARGET
static inline uint64_t join(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

LF_KERNEL_TARGET
static inline uint64_t equal(__m256i low, __m256i high, char c)
{
    __m256i want = _mm256_set1_epi8(c);

    return join(_mm256_cmpeq_epi8(low, want), _mm256_cmpeq_epi8(high, want));
}

LF_KERNEL_TARGET
static inline void block_masks(const uint8_t *p, struct block *b)
{
    /* White space is what equals its own entry, picked by the low four bits; no other byte does:
     * where no white space ends in these bits the entry's own low bits differ. */
    const __m256i spaces = _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0,
                                            ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    const __m256i case_bit = _mm256_set1_epi8(0x20);
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    __m256i low_curly = _mm256_or_si256(low, case_bit);
    __m256i high_curly = _mm256_or_si256(high, case_bit);

    b->quote = equal(low, high, '"');
    b->backslash = equal(low, high, '\\');
    b->open = equal(low_curly, high_curly, '{');
    b->close = equal(low_curly, high_curly, '}');
    b->comma = equal(low, high, ',');
    b->separator = b->comma | equal(low, high, ':');
    b->space = join(_mm256_cmpeq_epi8(low, _mm256_shuffle_epi8(spaces, low)),
                    _mm256_cmpeq_epi8(high, _mm256_shuffle_epi8(spaces, high)));
}

LF_KERNEL_TARGET
static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)bits), _mm_set1_epi8(-1), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

#include "json/split_kernel.h"

LF_KERNEL_TARGET
enum lf_scan_stop lf_scan_avx2(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

#else

typedef int lf_split_avx2_is_empty;

#endif
