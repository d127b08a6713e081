/* The seed: from the kernel, or from the clock and the address space where it has none to give. */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

uint64_t lf_hash_seed(void)
{
    uint64_t seed = 0;
    struct timespec now = {0, 0};

    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) {
        return seed;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return lf_hash_mix((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 32, (uintptr_t)&seed);
}
