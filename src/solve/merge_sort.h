/* A merge sort that looks first: what is sorted already is not touched, and where two halves hardly
 * overlap only the overlap is merged. One a record type, so that copies and comparisons are inlined.
 *
 * less: bool less(const record *, const record *); scope: static, or nothing.
 * LF_DEFINE_SORT defines void name(record *v, size_t n, record *tmp), which sorts v[0..n) (tmp: room for
 * n / 2; what is equal keeps its order), LF_DEFINE_SORTED bool name(const record *v, size_t n): whether
 * it is sorted. */
#ifndef LF_SOLVE_MERGE_SORT_H
#define LF_SOLVE_MERGE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LF_INSERTION_MAX 24

#define LF_DEFINE_SORT(scope, name, record, less)                                                  \
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
    scope void name(record *v, size_t n, record *tmp)                                              \
    {                                                                                              \
        size_t mid = n / 2;                                                                        \
                                                                                                   \
        if (n <= LF_INSERTION_MAX) {                                                               \
            name##_insertion(v, n);                                                                \
            return;                                                                                \
        }                                                                                          \
        name(v, mid, tmp);                                                                         \
        name(v + mid, n - mid, tmp);                                                               \
        if (less(&v[mid], &v[mid - 1])) {                                                          \
            name##_merge(v, mid, n, tmp);                                                          \
        }                                                                                          \
    }

#define LF_DEFINE_SORTED(scope, name, record, less)                                                \
    scope bool name(const record *v, size_t n)                                                     \
    {                                                                                              \
        for (size_t i = 1; i < n; i++) {                                                           \
            if (less(&v[i], &v[i - 1])) {                                                          \
                return false;                                                                      \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }

#endif
