/* The scan with AVX2. */
#if defined(__x86_64__)

#include "json/block_avx2.h"

#include "json/split_kernel.h"

LF_KERNEL_TARGET
enum lf_scan_stop lf_scan_avx2(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

#else

typedef int lf_split_avx2_is_empty;

#endif
