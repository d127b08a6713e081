/* Greedy: slices are taken by how many others they really cross, the fewest first, and stay where
 * they really cross none that stays. The count is that of all others and is not kept up to date,
 * which would make it quadratic; of a long slice over many short ones, the case that matters, it
 * says the same.
 *
 * y really crosses x where it starts inside x, by the threshold or more from both its ends, and
 * ends that much behind it. So those are a range of starts, and of these the ends count; or, seen
 * from y, a range of ends of which the starts count. */
#include "solve/crowd.h"

#include <stdlib.h>

#include "base/mem.h"
#include "solve/merge_sort.h"

struct member {
    int64_t start, end;
    uint32_t slice;
    uint32_t start_rank, end_rank; /* places by start and by end */
    uint32_t degree;               /* how many others it really crosses */
    bool fixed, annotation;
};

struct crowd {
    struct member *v, *tmp;
    size_t n;
    int64_t least;          /* a crossing is real from here on, ns */
    int64_t *starts, *ends; /* sorted */
    uint32_t *counts;       /* a Fenwick tree over ranks */
    int64_t *max_end; /* trees over the ranks of those that stay: by start the greatest end, */
    int64_t *max_minus_start; /* by end the least start, its sign turned */
};

static inline bool by_start(const struct member *a, const struct member *b)
{
    return a->start_rank < b->start_rank;
}

static inline bool by_end(const struct member *a, const struct member *b)
{
    return a->end != b->end ? a->end < b->end : a->start_rank < b->start_rank;
}

/* Who stays rather than who. */
static inline bool by_claim(const struct member *a, const struct member *b)
{
    uint64_t dur_a = (uint64_t)a->end - (uint64_t)a->start; /* a pair's may fit no int64 */
    uint64_t dur_b = (uint64_t)b->end - (uint64_t)b->start;

    if (a->fixed != b->fixed) {
        return a->fixed;
    }
    if (a->degree != b->degree) {
        return a->degree < b->degree;
    }
    if (a->annotation != b->annotation) {
        return b->annotation;
    }
    return dur_a != dur_b ? dur_a > dur_b : a->start_rank < b->start_rank;
}

LF_DEFINE_SORT(static, sort_by_start, struct member, by_start)
LF_DEFINE_SORT(static, sort_by_end, struct member, by_end)
LF_DEFINE_SORT(static, sort_by_claim, struct member, by_claim)

static int64_t plus(int64_t t, int64_t d)
{
    int64_t sum;

    return __builtin_add_overflow(t, d, &sum) ? INT64_MAX : sum;
}

static int64_t minus(int64_t t, int64_t d)
{
    int64_t difference;

    return __builtin_sub_overflow(t, d, &difference) ? INT64_MIN : difference;
}

/* How many of the sorted times are below t. */
static uint32_t rank_of(const int64_t *times, size_t n, int64_t t)
{
    size_t low = 0;
    size_t high = n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (times[mid] < t) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return (uint32_t)low;
}

struct range {
    uint32_t first, end;
};

/* The ranks of the times that lie well inside m. */
static struct range inside(const struct crowd *c, const int64_t *times, const struct member *m)
{
    struct range r = {rank_of(times, c->n, plus(m->start, c->least)),
                      rank_of(times, c->n, plus(minus(m->end, c->least), 1))};

    r.end = r.end > r.first ? r.end : r.first;
    return r;
}

static void count_one(struct crowd *c, uint32_t rank)
{
    for (size_t k = rank + 1; k <= c->n; k += k & -k) {
        c->counts[k - 1]++;
    }
}

static uint32_t count_below(const struct crowd *c, uint32_t rank)
{
    uint32_t n = 0;

    for (size_t k = rank; k > 0; k -= k & -k) {
        n += c->counts[k - 1];
    }
    return n;
}

static uint32_t count_in(const struct crowd *c, struct range r)
{
    return r.end > r.first ? count_below(c, r.end) - count_below(c, r.first) : 0;
}

static void forget_counts(struct crowd *c)
{
    for (size_t i = 0; i < c->n; i++) {
        c->counts[i] = 0;
    }
}

/* Those that start inside each and end behind it, then those that end inside it and start before
 * it. */
static void count_degrees(struct crowd *c)
{
    size_t k = c->n;

    forget_counts(c);
    for (size_t i = c->n; i-- > 0;) {
        struct member *m = &c->v[i];

        for (; k > 0 && c->v[k - 1].end >= plus(m->end, c->least); k--) {
            count_one(c, c->v[k - 1].start_rank);
        }
        m->degree = count_in(c, inside(c, c->starts, m));
    }
    sort_by_start(c->v, c->n, c->tmp);
    forget_counts(c);
    k = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct member *m = &c->v[i];

        for (; k < c->n && c->v[k].start <= minus(m->start, c->least); k++) {
            count_one(c, c->v[k].end_rank);
        }
        m->degree += count_in(c, inside(c, c->ends, m));
    }
}

static void tree_set(int64_t *tree, size_t n, uint32_t rank, int64_t value)
{
    for (size_t k = n + rank; k > 0 && tree[k] < value; k /= 2) {
        tree[k] = value;
    }
}

static int64_t tree_max(const int64_t *tree, size_t n, struct range r)
{
    int64_t max = INT64_MIN;
    size_t a = n + r.first;
    size_t b = n + r.end;

    for (; a < b; a /= 2, b /= 2) {
        if ((a & 1) != 0) {
            max = tree[a] > max ? tree[a] : max;
            a++;
        }
        if ((b & 1) != 0) {
            b--;
            max = tree[b] > max ? tree[b] : max;
        }
    }
    return max;
}

static bool crosses_one_that_stays(const struct crowd *c, const struct member *m)
{
    struct range starts = inside(c, c->starts, m);
    struct range ends = inside(c, c->ends, m);

    return (starts.first < starts.end &&
            tree_max(c->max_end, c->n, starts) >= plus(m->end, c->least)) ||
           (ends.first < ends.end &&
            tree_max(c->max_minus_start, c->n, ends) >= plus(-m->start, c->least));
}

static void keep_or_move(struct crowd *c, uint32_t *lane, size_t *n_moved)
{
    for (size_t k = 0; k < 2 * c->n; k++) {
        c->max_end[k] = INT64_MIN;
        c->max_minus_start[k] = INT64_MIN;
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct member *m = &c->v[i];

        if (!m->fixed && m->degree > 0 && crosses_one_that_stays(c, m)) {
            lane[m->slice] = LF_MOVED;
            (*n_moved)++;
            continue;
        }
        tree_set(c->max_end, c->n, m->start_rank, m->end);
        tree_set(c->max_minus_start, c->n, m->end_rank, -m->start);
    }
}

static void fill(struct crowd *c, const struct lf_solve_scratch *w, const uint32_t *members)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct lf_slice *s = &w->slices[members[i]];

        c->v[i] = (struct member){.start = w->at[members[i]].start,
                                  .end = w->at[members[i]].end,
                                  .slice = members[i],
                                  .start_rank = (uint32_t)i,
                                  .fixed = s->kind != LF_SLICE_COMPLETE,
                                  .annotation = s->annotation};
        c->starts[i] = c->v[i].start;
    }
    sort_by_end(c->v, c->n, c->tmp);
    for (size_t i = 0; i < c->n; i++) {
        c->v[i].end_rank = (uint32_t)i;
        c->ends[i] = c->v[i].end;
    }
}

static enum lanefix_status reserve(struct crowd *c, struct lanefix_error *err)
{
    LF_TRY(lf_alloc(&c->v, c->n, sizeof *c->v, err));
    LF_TRY(lf_alloc(&c->tmp, c->n / 2, sizeof *c->tmp, err));
    LF_TRY(lf_alloc(&c->starts, c->n, sizeof *c->starts, err));
    LF_TRY(lf_alloc(&c->ends, c->n, sizeof *c->ends, err));
    LF_TRY(lf_alloc(&c->counts, c->n, sizeof *c->counts, err));
    LF_TRY(lf_alloc(&c->max_end, 2 * c->n, sizeof *c->max_end, err));
    return lf_alloc(&c->max_minus_start, 2 * c->n, sizeof *c->max_minus_start, err);
}

static void release(struct crowd *c)
{
    free(c->v);
    free(c->tmp);
    free(c->starts);
    free(c->ends);
    free(c->counts);
    free(c->max_end);
    free(c->max_minus_start);
}

/* Can none of the members cross another by more than the threshold? So it is in a long chain of
 * slices that each begin a little before the last one ends. */
static bool only_touch(const struct lf_solve_scratch *w, const uint32_t *members, size_t n,
                       int64_t least)
{
    for (size_t i = 0, k = 0; i < n; i++) {
        const struct lf_interval *at = &w->at[members[i]];

        for (; k < n && w->at[members[k]].start < plus(at->start, least); k++) {
        }
        if (k < n && w->at[members[k]].start <= minus(at->end, least)) {
            return false;
        }
    }
    return true;
}

enum lanefix_status lf_crowd_thin(struct lf_solve_scratch *w, const uint32_t *members, size_t n,
                                  size_t *n_moved, struct lanefix_error *err)
{
    struct crowd c = {.n = n, .least = w->threshold > 0 ? w->threshold : 1};
    enum lanefix_status status;

    *n_moved = 0;
    if (only_touch(w, members, n, c.least)) {
        return LANEFIX_OK;
    }
    status = reserve(&c, err);
    if (status == LANEFIX_OK) {
        fill(&c, w, members);
        count_degrees(&c);
        sort_by_claim(c.v, n, c.tmp);
        keep_or_move(&c, w->lane, n_moved);
    }
    release(&c);
    return status;
}
