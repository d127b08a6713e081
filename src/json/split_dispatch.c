/* Which scan runs: the widest that this build and this CPU have. */
#include "base/cpu.h"
#include "json/split_internal.h"

#include <stddef.h>

lf_scan_fn *lf_scan_kernel(enum lf_split_kernel kernel)
{
    struct lf_cpu cpu = lf_cpu_features();

    (void)cpu;
    switch (kernel) {
    case LF_SPLIT_PORTABLE:
        return lf_scan_portable;
#if defined(__x86_64__)
    case LF_SPLIT_AVX2:
        return cpu.avx2 ? lf_scan_avx2 : NULL;
    case LF_SPLIT_AUTO:
        return cpu.avx2 ? lf_scan_avx2 : lf_scan_portable;
#elif defined(__aarch64__)
    case LF_SPLIT_NEON:
    case LF_SPLIT_AUTO:
        return cpu.neon ? lf_scan_neon : lf_scan_portable;
#else
    case LF_SPLIT_AUTO:
        return lf_scan_portable;
#endif
    default:
        return NULL;
    }
}

bool lf_split_kernel_available(enum lf_split_kernel kernel)
{
    return lf_scan_kernel(kernel) != NULL;
}
