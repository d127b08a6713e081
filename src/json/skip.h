/* Skipping one nested value, by the rules of the splitter's scan. */
#ifndef LF_JSON_SKIP_H
#define LF_JSON_SKIP_H

#include <stddef.h>
#include <stdint.h>

#include "json/split.h"

/* The end of the nested value whose bracket is data[pos], pos < n. 0 where its brackets or strings are
 * none that a scan takes without an alarm, or it does not end in data[0..n). */
typedef size_t lf_skip_fn(const uint8_t *data, size_t pos, size_t n);

/* NULL where this build or this CPU does not have the kernel. */
lf_skip_fn *lf_skip_kernel(enum lf_split_kernel kernel);

#endif
