/* Perfetto's order of slices and of flow endpoints. */
#ifndef LF_SOLVE_ORDER_H
#define LF_SOLVE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/record.h"

/* The rest of lf_order_slice_less, where both start at one time. */
bool lf_order_less_at_start(const struct lf_slice *a, const struct lf_slice *b);

static inline bool lf_order_slice_less(const struct lf_slice *a, const struct lf_slice *b)
{
    return a->ts != b->ts ? a->ts < b->ts : lf_order_less_at_start(a, b);
}

/* What is in order already is not touched. tmp: room for n / 2 records. */
void lf_order_slices(struct lf_slice *slices, size_t n, struct lf_slice *tmp);
bool lf_order_slices_sorted(const struct lf_slice *slices, size_t n);
void lf_order_flows(struct lf_flow *flows, size_t n, struct lf_flow *tmp);
bool lf_order_flows_sorted(const struct lf_flow *flows, size_t n);

#endif
