#include "solve/rank_set.h"

#include <string.h>

#include "base/mem.h"

static uint64_t *word(const struct lf_rank_set *set, unsigned level, size_t rank)
{
    return &set->words[set->first[level] + (rank >> 6)];
}

static uint64_t bit(size_t rank)
{
    return UINT64_C(1) << (rank & 63);
}

enum lanefix_status lf_rank_set_reset(struct lf_rank_set *set, size_t n, struct lanefix_error *err)
{
    size_t n_words = 0;

    set->n_levels = 0;
    do {
        n = n / 64 + 1; /* one bit more than n, so that looking from n on is no special case */
        set->first[set->n_levels++] = n_words;
        n_words += n;
    } while (n > 1);
    LF_TRY(lf_grow(&set->words, &set->cap, n_words, sizeof *set->words, err));
    memset(set->words, 0, n_words * sizeof *set->words);
    return LANEFIX_OK;
}

void lf_rank_set_add(struct lf_rank_set *set, uint32_t rank)
{
    size_t r = rank;

    for (unsigned level = 0; level < set->n_levels; level++, r >>= 6) {
        *word(set, level, r) |= bit(r);
    }
}

void lf_rank_set_remove(struct lf_rank_set *set, uint32_t rank)
{
    size_t r = rank;

    for (unsigned level = 0; level < set->n_levels; level++, r >>= 6) {
        *word(set, level, r) &= ~bit(r);
        if (*word(set, level, r) != 0) {
            return;
        }
    }
}

uint32_t lf_rank_set_next(const struct lf_rank_set *set, size_t from)
{
    unsigned level = 0;
    uint64_t left = 0;

    for (; level < set->n_levels; level++) {
        left = *word(set, level, from) & ~(bit(from) - 1);
        if (left != 0) {
            break;
        }
        from = (from >> 6) + 1; /* the words behind this one */
        if (level + 1 < set->n_levels && set->first[level] + from >= set->first[level + 1]) {
            return LF_RANK_NONE;
        }
    }
    if (left == 0) {
        return LF_RANK_NONE;
    }
    from = (from & ~(size_t)63) + (size_t)__builtin_ctzll(left);
    while (level-- > 0) {
        from = from * 64 + (size_t)__builtin_ctzll(*word(set, level, from * 64));
    }
    return (uint32_t)from;
}
