/* A set of small numbers that can be walked in order: a bit each, and a bit for each word of these,
 * and so on up to one word. */
#ifndef LF_SOLVE_RANK_SET_H
#define LF_SOLVE_RANK_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define LF_RANK_LEVELS 6 /* of 64 times as many: enough for 2^32 */
#define LF_RANK_NONE   UINT32_MAX

/* Zeroed to begin with; words is released with free. */
struct lf_rank_set {
    uint64_t *words;
    size_t cap;
    size_t first[LF_RANK_LEVELS]; /* where each level begins in words */
    unsigned n_levels;
};

/* Makes the set empty, with room for 0 to n - 1. */
enum lanefix_status lf_rank_set_reset(struct lf_rank_set *set, size_t n,
                                      struct lanefix_error *err) LF_MUST_USE;
void lf_rank_set_add(struct lf_rank_set *set, uint32_t rank);
void lf_rank_set_remove(struct lf_rank_set *set, uint32_t rank);
/* The least one that is not below from; LF_RANK_NONE: there is none. from may be n. */
uint32_t lf_rank_set_next(const struct lf_rank_set *set, size_t from);

#endif
