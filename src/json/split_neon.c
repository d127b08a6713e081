/* The scan with NEON. */
#if defined(__aarch64__)

#include "json/block_neon.h"

#include "json/split_kernel.h"

enum lf_scan_stop lf_scan_neon(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

size_t lf_skip_neon(const uint8_t *data, size_t pos, size_t n)
{
    return skip_nested(data, pos, n);
}

#else

typedef int lf_split_neon_is_empty;

#endif
