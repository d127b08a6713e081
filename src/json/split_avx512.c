/* The scan with AVX-512 (F, BW): a block is one register, compares give the masks. */
#if defined(__x86_64__)

#include <immintrin.h>

#define LF_KERNEL_TARGET                                                                           \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,pclmul,popcnt")))

#include "json/split_block.h"

LF_KERNEL_TARGET
static inline uint64_t equal(__m512i bytes, char c)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c));
}

LF_KERNEL_TARGET
static inline void block_masks(const uint8_t *p, struct block *b)
{
    /* As in split_avx2.c. */
    const __m512i spaces = _mm512_broadcast_i32x4(
        _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
    __m512i bytes = _mm512_loadu_si512(p);
    __m512i curly = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));

    b->quote = equal(bytes, '"');
    b->backslash = equal(bytes, '\\');
    b->open = equal(curly, '{');
    b->close = equal(curly, '}');
    b->comma = equal(bytes, ',');
    b->separator = b->comma | equal(bytes, ':');
    b->space = _mm512_cmpeq_epi8_mask(bytes, _mm512_shuffle_epi8(spaces, bytes));
}

LF_KERNEL_TARGET
static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)bits), _mm_set1_epi8(-1), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

#include "json/split_kernel.h"

LF_KERNEL_TARGET
enum lf_scan_stop lf_scan_avx512(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

#else

typedef int lf_split_avx512_is_empty;

#endif
