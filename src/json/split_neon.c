/* The scan with NEON. */
#if defined(__aarch64__)

#include "json/block_neon.h"

#include "json/split_kernel.h"

enum lf_scan_stop lf_scan_neon(struct lf_scan *scan, struct lanefix_error *err)
{
    return scan_events(scan, err);
}

#else

typedef int lf_split_neon_is_empty;

#endif
