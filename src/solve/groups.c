/* One sweep with a stack of open groups. A group's members are a list, and those that are still
 * open a heap, least end on top. A group lies between two boundaries of the one below it: so a
 * slice that crosses one of the lower group crosses those above it too, what merges is always the
 * top of the stack, and lists that are joined stay in order. */
#include "solve/groups.h"

#include "base/mem.h"

/* A pairing heap by at[].end: a slice's first child and next sibling. */
static uint32_t *children(const struct lf_solve_scratch *w)
{
    return w->order;
}

static uint32_t *siblings(const struct lf_solve_scratch *w)
{
    return w->lane;
}

static uint32_t meld(const struct lf_solve_scratch *w, uint32_t a, uint32_t b)
{
    if (a == LF_NONE || b == LF_NONE) {
        return a == LF_NONE ? b : a;
    }
    if (w->at[b].end < w->at[a].end) {
        uint32_t c = a;

        a = b;
        b = c;
    }
    siblings(w)[b] = children(w)[a];
    children(w)[a] = b;
    return a;
}

/* The heap without its root. */
static uint32_t without_root(const struct lf_solve_scratch *w, uint32_t root)
{
    uint32_t pairs = LF_NONE; /* melded two by two, as a list, last first */
    uint32_t x = children(w)[root];

    while (x != LF_NONE) {
        uint32_t y = siblings(w)[x];
        uint32_t next = y != LF_NONE ? siblings(w)[y] : LF_NONE;
        uint32_t both = meld(w, x, y);

        siblings(w)[both] = pairs;
        pairs = both;
        x = next;
    }
    for (x = LF_NONE; pairs != LF_NONE;) {
        uint32_t next = siblings(w)[pairs];

        x = meld(w, x, pairs);
        pairs = next;
    }
    return x;
}

static void drop_ended(struct lf_solve_scratch *w, struct lf_open_group *g, int64_t ts)
{
    while (g->open != LF_NONE && w->at[g->open].end <= ts) {
        g->open = without_root(w, g->open);
    }
}

/* Takes the group off the stack and keeps its members where they are two or more. */
static enum lanefix_status close_top(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    const struct lf_open_group *g = &w->open_groups[--w->n_open_groups];
    size_t first = w->n_members;

    if (g->first == g->last) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&w->groups, &w->cap_groups, w->n_groups + 1, sizeof *w->groups, err));
    for (uint32_t x = g->first; x != LF_NONE; x = w->link[x]) {
        LF_TRY(lf_grow(&w->members, &w->cap_members, w->n_members + 1, sizeof *w->members, err));
        w->members[w->n_members++] = x;
    }
    w->groups[w->n_groups++] = (struct lf_members){first, w->n_members - first};
    return LANEFIX_OK;
}

static enum lanefix_status add(struct lf_solve_scratch *w, uint32_t x, struct lanefix_error *err)
{
    struct lf_open_group group = {.first = x, .last = x, .open = x};

    w->link[x] = LF_NONE;
    children(w)[x] = LF_NONE;
    siblings(w)[x] = LF_NONE;
    while (w->n_open_groups > 0) {
        struct lf_open_group *top = &w->open_groups[w->n_open_groups - 1];

        drop_ended(w, top, w->at[x].start);
        if (top->open == LF_NONE) {
            LF_TRY(close_top(w, err));
            continue;
        }
        if (w->at[top->open].end >= w->at[x].end) {
            break;
        }
        w->link[top->last] = group.first;
        group.first = top->first;
        group.open = meld(w, top->open, group.open);
        w->n_open_groups--;
    }
    LF_TRY(lf_grow(&w->open_groups, &w->cap_open_groups, w->n_open_groups + 1,
                   sizeof *w->open_groups, err));
    w->open_groups[w->n_open_groups++] = group;
    return LANEFIX_OK;
}

/* Has the slice two boundaries that another could cross? */
static bool can_cross(const struct lf_solve_scratch *w, uint32_t x)
{
    const struct lf_interval *at = &w->at[x];

    return w->slices[x].kind <= LF_SLICE_BEGIN && at->end > at->start && at->end != LF_OPEN_END;
}

enum lanefix_status lf_groups_find(struct lf_solve_scratch *w, const uint32_t *candidates, size_t n,
                                   struct lanefix_error *err)
{
    w->n_groups = 0;
    w->n_members = 0;
    w->n_open_groups = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = candidates != NULL ? candidates[i] : (uint32_t)i;

        if (can_cross(w, x)) {
            LF_TRY(add(w, x, err));
        }
    }
    while (w->n_open_groups > 0) {
        LF_TRY(close_top(w, err));
    }
    return LANEFIX_OK;
}
