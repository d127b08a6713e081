/* The scan in plain C: the fallback, and what every other kernel is compared with. */
#define LF_KERNEL_TARGET

#include "json/block.h"

#include <stddef.h>

enum { IS_QUOTE, IS_BACKSLASH, IS_BEFORE, IS_BEHIND, IS_SPACE, IS_COLON, IS_BLANK };

#define OPENS     (1 << IS_BEFORE)
#define CLOSES    (1 << IS_BEHIND)
#define SEPARATES (1 << IS_BEFORE | 1 << IS_BEHIND)

static const uint8_t classes[256] = {
    ['"'] = 1 << IS_QUOTE,
    ['\\'] = 1 << IS_BACKSLASH,
    ['{'] = OPENS,
    ['['] = OPENS,
    ['}'] = CLOSES,
    [']'] = CLOSES,
    [','] = SEPARATES,
    [':'] = SEPARATES | 1 << IS_COLON,
    [' '] = 1 << IS_SPACE | 1 << IS_BLANK,
    ['\t'] = 1 << IS_SPACE,
    ['\n'] = 1 << IS_SPACE,
    ['\r'] = 1 << IS_SPACE,
};

/* The bits of an 8 by 8 square, a row a byte, turned about the diagonal: 2 by 2 blocks within each,
 * then the blocks, then the blocks of these. */
static uint64_t transpose(uint64_t x)
{
    uint64_t swap;

    swap = (x ^ x >> 7) & 0x00aa00aa00aa00aau;
    x ^= swap ^ swap << 7;
    swap = (x ^ x >> 14) & 0x0000cccc0000ccccu;
    x ^= swap ^ swap << 14;
    swap = (x ^ x >> 28) & 0x00000000f0f0f0f0u;
    return x ^ swap ^ swap << 28;
}

static inline void block_masks(const uint8_t *p, struct block *b)
{
    uint64_t masks[8] = {0};

    for (unsigned row = 0; row < 64; row += 8) {
        uint64_t square = 0;

        for (unsigned i = 0; i < 8; i++) {
            square |= (uint64_t)classes[p[row + i]] << 8 * i;
        }
        if (square == 0) {
            continue;
        }
        square = transpose(square);
        for (unsigned k = 0; k < 8; k++) {
            masks[k] |= (square >> 8 * k & 0xff) << row;
        }
    }
    b->quote = masks[IS_QUOTE];
    b->backslash = masks[IS_BACKSLASH];
    b->before = masks[IS_BEFORE];
    b->behind = masks[IS_BEHIND];
    b->space = masks[IS_SPACE];
    b->colon = masks[IS_COLON];
    b->blank = masks[IS_BLANK];
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

#include "json/split_kernel.h"

enum lf_scan_stop lf_scan_portable(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

size_t lf_skip_portable(const uint8_t *data, size_t pos, size_t n)
{
    return skip_nested(data, pos, n);
}
