/* To which slice a flow endpoint belongs: a promise to the reader of the trace, so it is looked up
 * on the track as the file has it, whatever Perfetto makes of that.
 *
 * An endpoint (LF_FLOW_HERE) belongs to the last complete slice before it, of its member, that
 * starts at it or holds it. A slice that is followed by one that ends no earlier is nobody's last
 * any more; so per member a list is enough whose ends fall, and whose head is the answer once what
 * ended is taken off. */
#include "base/mem.h"
#include "solve/internal.h"

struct owner_lists {
    struct lf_solve_scratch *w;
    uint32_t *open;    /* per member: slices, linked by link[] */
    uint32_t *waiting; /* per member: LF_FLOW_NEXT endpoints, linked by owner[] */
};

static int64_t end_of(const struct lf_slice *s)
{
    return lf_open_end(s->ts, s->ts + lf_shown_dur(s));
}

static void add_slice(struct owner_lists *l, uint32_t i)
{
    struct lf_solve_scratch *w = l->w;
    const struct lf_slice *s = &w->slices[i];
    uint32_t *head = &l->open[s->member];
    uint32_t f = l->waiting[s->member];

    while (f != LF_NONE) {
        uint32_t next = w->owner[f];

        w->owner[f] = i;
        f = next;
    }
    l->waiting[s->member] = LF_NONE;
    while (*head != LF_NONE && end_of(&w->slices[*head]) <= end_of(s)) {
        *head = w->link[*head];
    }
    w->link[i] = *head;
    *head = i;
}

static void add_flow(struct owner_lists *l, uint32_t f)
{
    struct lf_solve_scratch *w = l->w;
    const struct lf_flow *flow = &w->flows[f];
    uint32_t *head = &l->open[flow->member];

    if (flow->kind == LF_FLOW_NEXT) {
        w->owner[f] = l->waiting[flow->member];
        l->waiting[flow->member] = f;
        return;
    }
    while (*head != LF_NONE && end_of(&w->slices[*head]) <= flow->ts) {
        *head = w->link[*head];
    }
    w->owner[f] = *head;
}

enum lanefix_status lf_owner_sort_flows(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    if (lf_order_flows_sorted(w->flows, w->n_flows)) {
        return LANEFIX_OK;
    }
    /* the owners' room does for half the endpoints, twice as large */
    LF_TRY(lf_grow(&w->owner, &w->cap_owner, w->n_flows * 2 + 4, sizeof *w->owner, err));
    lf_order_flows(w->flows, w->n_flows, (struct lf_flow *)(void *)w->owner);
    return LANEFIX_OK;
}

enum lanefix_status lf_owner_find(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    struct owner_lists l = {w, NULL, NULL};
    size_t n_members = 1;
    size_t f = 0;

    LF_TRY(lf_owner_sort_flows(w, err));
    LF_TRY(lf_grow(&w->owner, &w->cap_owner, w->n_flows, sizeof *w->owner, err));
    LF_TRY(lf_grow(&w->right, &w->cap_right, w->n_flows, sizeof *w->right, err));
    for (size_t i = 0; i < w->n; i++) {
        n_members = w->slices[i].member >= n_members ? w->slices[i].member + 1u : n_members;
    }
    for (size_t i = 0; i < w->n_flows; i++) {
        n_members = w->flows[i].member >= n_members ? w->flows[i].member + 1u : n_members;
    }
    LF_TRY(lf_grow(&w->heads, &w->cap_heads, n_members * 2, sizeof *w->heads, err));
    for (size_t i = 0; i < n_members * 2; i++) {
        w->heads[i] = LF_NONE;
    }
    l.open = w->heads;
    l.waiting = w->heads + n_members;
    for (size_t i = 0; i < w->n; i++) {
        const struct lf_slice *s = &w->slices[i];

        for (; f < w->n_flows && !lf_was_before_point(s, w->flows[f].ts, w->flows[f].off); f++) {
            add_flow(&l, (uint32_t)f);
        }
        if (s->kind == LF_SLICE_COMPLETE) {
            add_slice(&l, (uint32_t)i);
        }
    }
    for (; f < w->n_flows; f++) {
        add_flow(&l, (uint32_t)f);
    }
    for (size_t m = 0; m < n_members; m++) { /* after these no slice starts */
        for (uint32_t i = l.waiting[m]; i != LF_NONE;) {
            uint32_t next = w->owner[i];

            w->owner[i] = LF_NONE;
            i = next;
        }
    }
    return LANEFIX_OK;
}

void lf_owner_needs(struct lf_solve_scratch *w)
{
    for (size_t i = 0; i < w->n; i++) {
        w->need[i] = LF_NO_FLOW;
    }
    for (size_t f = 0; f < w->n_flows; f++) {
        if (w->owner[f] == LF_NONE) {
            continue;
        }
        if (w->flows[f].kind == LF_FLOW_NEXT) {
            w->flags[w->owner[f]] |= w->right[f] ? LF_NEXT | LF_NEXT_RIGHT : LF_NEXT;
        } else {
            int64_t t = w->right[f] ? w->flows[f].ts : LF_FLOW_LOOSE;
            int64_t *need = &w->need[w->owner[f]];

            *need = t > *need ? t : *need;
        }
    }
}
