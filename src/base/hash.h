/* A seeded 64-bit hash for hash tables. The seed differs from run to run, so that no trace can be
 * written to make a table slow; nothing that is written out depends on it. */
#ifndef LF_BASE_HASH_H
#define LF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint64_t lf_hash_seed(void);

static inline uint64_t lf_hash_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t lf_hash_bytes(uint64_t seed, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ n;
    uint64_t word;

    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = lf_hash_mix(h ^ word, seed);
    }
    word = 0;
    memcpy(&word, p, n);
    return lf_hash_mix(h ^ word, seed ^ 0xa0761d6478bd642fu);
}

#endif
