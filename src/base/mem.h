/* Checked memory: products that overflow fail as allocations do. Growable arrays are a pointer, a
 * count and a capacity in their owner's struct. */
#ifndef LF_BASE_MEM_H
#define LF_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* *out = n elements of size bytes, uninitialised (n == 0: one element). Release with free. */
enum lanefix_status lf_alloc(void *out, size_t n, size_t size,
                             struct lanefix_error *err) LF_MUST_USE;

/* As lf_alloc, zeroed. */
enum lanefix_status lf_alloc_zero(void *out, size_t n, size_t size,
                                  struct lanefix_error *err) LF_MUST_USE;

/* Makes the array *array (pointer to the array pointer) of capacity *cap hold at least need
 * elements of size bytes; grows by half, at least to 16. On failure nothing changes. */
enum lanefix_status lf_grow(void *array, size_t *cap, size_t need, size_t size,
                            struct lanefix_error *err) LF_MUST_USE;

/* *out = n bytes of memory of their own pages, zeroed; lf_pages_free gives them back to the system at
 * once, which free may not. n > 0. */
enum lanefix_status lf_pages_alloc(void *out, size_t n, struct lanefix_error *err) LF_MUST_USE;
void lf_pages_free(void *p, size_t n);

/* Bytes of memory that the process holds now; 0 where the system does not tell. */
uint64_t lf_memory_resident(void);

#endif
