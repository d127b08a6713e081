/* The scan with AVX2. */
#if defined(__x86_64__)

#include "json/block_avx2.h"

#include "json/split_kernel.h"

LF_KERNEL_TARGET
enum lf_scan_stop lf_scan_avx2(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

LF_KERNEL_TARGET
size_t lf_skip_avx2(const uint8_t *data, size_t pos, size_t n)
{
    return skip_nested(data, pos, n);
}

#else

typedef int lf_split_avx2_is_empty;

#endif
