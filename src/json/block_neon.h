/* The masks with NEON, which has no movemask: each byte of a compare keeps the one bit that stands
 * for its place, and three rounds of pairwise addition gather them. For a kernel's file. */
#ifndef LF_JSON_BLOCK_NEON_H
#define LF_JSON_BLOCK_NEON_H

#include <arm_neon.h>

#define LF_KERNEL_TARGET

#include "json/block.h"

struct bytes {
    uint8x16_t part[4];
};

static inline uint64_t gather(struct bytes hits)
{
    const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8(vandq_u8(hits.part[0], places), vandq_u8(hits.part[1], places));
    uint8x16_t high = vpaddq_u8(vandq_u8(hits.part[2], places), vandq_u8(hits.part[3], places));

    low = vpaddq_u8(low, high);
    low = vpaddq_u8(low, low);
    return vgetq_lane_u64(vreinterpretq_u64_u8(low), 0);
}

static inline uint8x16_t equal(uint8x16_t bytes, uint8_t c)
{
    return vceqq_u8(bytes, vdupq_n_u8(c));
}

static inline void block_masks(const uint8_t *p, struct block *b)
{
    /* White space is what equals its own entry, picked by the low four bits; no other byte does:
     * where no white space ends in these bits the entry's own low bits differ. */
    const uint8x16_t spaces = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};
    struct bytes quote, backslash, before, behind, space, colon, blank;

    for (int i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8(p + 16 * i);
        uint8x16_t curly = vorrq_u8(bytes, vdupq_n_u8(0x20)); /* '[' as '{', ']' as '}' */
        uint8x16_t low_bits = vandq_u8(bytes, vdupq_n_u8(0x0f));
        uint8x16_t separator;

        colon.part[i] = equal(bytes, ':');
        blank.part[i] = equal(bytes, ' ');
        separator = vorrq_u8(equal(bytes, ','), colon.part[i]);
        quote.part[i] = equal(bytes, '"');
        backslash.part[i] = equal(bytes, '\\');
        before.part[i] = vorrq_u8(separator, equal(curly, '{'));
        behind.part[i] = vorrq_u8(separator, equal(curly, '}'));
        space.part[i] = vceqq_u8(bytes, vqtbl1q_u8(spaces, low_bits));
    }
    b->quote = gather(quote);
    b->backslash = gather(backslash);
    b->before = gather(before);
    b->behind = gather(behind);
    b->space = gather(space);
    b->colon = gather(colon);
    b->blank = gather(blank);
}

/* The carry-less product by all ones is an optional extension of the CPU; six shifts are not. */
static inline uint64_t prefix_xor(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

#endif
