#include "solve/order.h"

#include "solve/internal.h"
#include "solve/merge_sort.h"

bool lf_order_less_at_start(const struct lf_slice *a, const struct lf_slice *b)
{
    int64_t key_a = lf_order_key(a, lf_shown_dur(a));
    int64_t key_b = lf_order_key(b, lf_shown_dur(b));

    return key_a != key_b ? key_a < key_b : a->off < b->off;
}

static inline bool flow_less(const struct lf_flow *a, const struct lf_flow *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->off < b->off;
}

LF_DEFINE_SORT(, lf_order_slices, struct lf_slice, lf_order_slice_less)
LF_DEFINE_SORTED(, lf_order_slices_sorted, struct lf_slice, lf_order_slice_less)
LF_DEFINE_SORT(, lf_order_flows, struct lf_flow, flow_less)
LF_DEFINE_SORTED(, lf_order_flows_sorted, struct lf_flow, flow_less)
