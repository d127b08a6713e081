/* Perfetto's order of slices and of flow endpoints. A merge sort that looks first: what is sorted
 * already is not touched, and where two halves hardly overlap only the overlap is merged. */
#include <string.h>

#include "solve/internal.h"

#define INSERTION_MAX 24

static inline bool slice_less(const struct lf_slice *a, const struct lf_slice *b)
{
    int64_t key_a, key_b;

    if (a->ts != b->ts) {
        return a->ts < b->ts;
    }
    key_a = lf_order_key(a, lf_shown_dur(a));
    key_b = lf_order_key(b, lf_shown_dur(b));
    return key_a != key_b ? key_a < key_b : a->off < b->off;
}

static inline bool flow_less(const struct lf_flow *a, const struct lf_flow *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->off < b->off;
}

/* One sort a record type, so that copies and comparisons are inlined. */
#define DEFINE_SORT(name, record, less)                                                            \
    static void name##_insertion(record *v, size_t n)                                              \
    {                                                                                              \
        for (size_t i = 1; i < n; i++) {                                                           \
            record x = v[i];                                                                       \
            size_t k = i;                                                                          \
                                                                                                   \
            for (; k > 0 && less(&x, &v[k - 1]); k--) {                                            \
                v[k] = v[k - 1];                                                                   \
            }                                                                                      \
            v[k] = x;                                                                              \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name##_merge(record *v, size_t mid, size_t n, record *tmp)                         \
    {                                                                                              \
        size_t low = 0;                                                                            \
        size_t high = mid;                                                                         \
        size_t a, b, to;                                                                           \
                                                                                                   \
        while (low < high) { /* what stands before the right half stays */                         \
            size_t k = low + (high - low) / 2;                                                     \
                                                                                                   \
            if (less(&v[mid], &v[k])) {                                                            \
                high = k;                                                                          \
            } else {                                                                               \
                low = k + 1;                                                                       \
            }                                                                                      \
        }                                                                                          \
        memcpy(tmp, v + low, (mid - low) * sizeof *v);                                             \
        for (a = 0, b = mid, to = low; a < mid - low; to++) {                                      \
            v[to] = b < n && less(&v[b], &tmp[a]) ? v[b++] : tmp[a++];                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void name(record *v, size_t n, record *tmp)                                                    \
    {                                                                                              \
        size_t mid = n / 2;                                                                        \
                                                                                                   \
        if (n <= INSERTION_MAX) {                                                                  \
            name##_insertion(v, n);                                                                \
            return;                                                                                \
        }                                                                                          \
        name(v, mid, tmp);                                                                         \
        name(v + mid, n - mid, tmp);                                                               \
        if (less(&v[mid], &v[mid - 1])) {                                                          \
            name##_merge(v, mid, n, tmp);                                                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    bool name##_sorted(const record *v, size_t n)                                                  \
    {                                                                                              \
        for (size_t i = 1; i < n; i++) {                                                           \
            if (less(&v[i], &v[i - 1])) {                                                          \
                return false;                                                                      \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }

DEFINE_SORT(lf_order_slices, struct lf_slice, slice_less)
DEFINE_SORT(lf_order_flows, struct lf_flow, flow_less)
