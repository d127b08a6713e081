/* Which kernel runs: the widest that this build and this CPU have. */
#include "base/cpu.h"
#include "json/shape.h"
#include "json/split_internal.h"

#include <stddef.h>

struct kernel {
    lf_scan_fn *scan;
    lf_skip_fn *skip;
    lf_match_ahead_fn *match_ahead;
};

static struct kernel kernel_of(enum lf_split_kernel kernel)
{
    static const struct kernel none = {NULL, NULL, NULL};
    static const struct kernel portable = {lf_scan_portable, lf_skip_portable,
                                           lf_match_ahead_portable};
#if defined(__x86_64__)
    static const struct kernel avx2 = {lf_scan_avx2, lf_skip_avx2, lf_match_ahead_avx2};
#elif defined(__aarch64__)
    static const struct kernel neon = {lf_scan_neon, lf_skip_neon, lf_match_ahead_portable};
#endif
    struct lf_cpu cpu = lf_cpu_features();

    (void)cpu;
    switch (kernel) {
    case LF_SPLIT_PORTABLE:
        return portable;
#if defined(__x86_64__)
    case LF_SPLIT_AVX2:
        return cpu.avx2 ? avx2 : none;
    case LF_SPLIT_AUTO:
        return cpu.avx2 ? avx2 : portable;
#elif defined(__aarch64__)
    case LF_SPLIT_NEON:
    case LF_SPLIT_AUTO:
        return cpu.neon ? neon : portable;
#else
    case LF_SPLIT_AUTO:
        return portable;
#endif
    default:
        return none;
    }
}

lf_scan_fn *lf_scan_kernel(enum lf_split_kernel kernel)
{
    return kernel_of(kernel).scan;
}

lf_skip_fn *lf_skip_kernel(enum lf_split_kernel kernel)
{
    return kernel_of(kernel).skip;
}

lf_match_ahead_fn *lf_match_ahead_kernel(enum lf_split_kernel kernel)
{
    return kernel_of(kernel).match_ahead;
}

bool lf_split_kernel_available(enum lf_split_kernel kernel)
{
    return kernel_of(kernel).scan != NULL;
}
