/* Who gives way: each crossing group is decided for itself, then the sweep places every slice.
 *
 * The groups know of crossings only; the sweep also of depth, of arrows and of what the file can
 * write. Where it had to leave a decision, or the decision is not known to be the best, the outcome
 * is held against that of first come, first kept (the sweep without decisions), group by group: so
 * no group ever comes out worse than that. */
#include "base/mem.h"
#include "solve/choose.h"
#include "solve/crowd.h"
#include "solve/groups.h"
#include "solve/internal.h"

static int64_t shown_end(const struct lf_slice *s)
{
    return s->ts + lf_shown_dur(s);
}

static enum lanefix_status add_decision(struct lf_solve_scratch *w, struct lf_decision decision,
                                        struct lanefix_error *err)
{
    LF_TRY(
        lf_grow(&w->decisions, &w->cap_decisions, w->n_decisions + 1, sizeof *w->decisions, err));
    decision.n = w->n_intents - decision.first;
    decision.used = true;
    w->decisions[w->n_decisions++] = decision;
    return LANEFIX_OK;
}

/* Of a large group at first only who moves is decided; those that stay are left as rest. */
static enum lanefix_status decide_large(struct lf_solve_scratch *w, struct lf_members group,
                                        struct lanefix_error *err)
{
    const uint32_t *members = w->members + group.first;
    size_t first = w->n_intents;
    size_t n_moved;

    for (size_t i = 0; i < group.n; i++) {
        w->lane[members[i]] = 0;
    }
    LF_TRY(lf_crowd_thin(w, members, group.n, &n_moved, err));
    if (n_moved == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&w->rest, &w->cap_rest, w->n_rest + group.n, sizeof *w->rest, err));
    LF_TRY(lf_grow(&w->intents, &w->cap_intents, first + n_moved, sizeof *w->intents, err));
    for (size_t i = 0; i < group.n; i++) {
        uint32_t x = members[i];

        if (w->lane[x] != 0) {
            w->intents[w->n_intents++] = (struct lf_intent){w->at[x], x, w->lane[x]};
        } else {
            w->rest[w->n_rest++] = x;
        }
    }
    return add_decision(w, (struct lf_decision){.first = first, .sure = false}, err);
}

/* A group for lf_choose; n at most LF_CHOOSE_MAX. */
static void describe(const struct lf_solve_scratch *w, struct lf_members group, struct lf_group *g)
{
    g->n = (unsigned)group.n;
    g->threshold = w->threshold;
    g->fixed = 0;
    g->annotations = 0;
    g->free_lanes = 0;
    for (unsigned i = 0; i < g->n; i++) {
        uint32_t x = w->members[group.first + i];
        const struct lf_slice *s = &w->slices[x];

        g->start[i] = w->at[x].start;
        g->end[i] = w->at[x].end;
        g->fixed |= s->kind != LF_SLICE_COMPLETE ? lf_bit(i) : 0;
        g->annotations |= s->annotation ? lf_bit(i) : 0;
    }
}

/* Writes what was chosen for the group from intents[first] on; room for its n is there. */
static size_t write_choice(struct lf_solve_scratch *w, struct lf_members group,
                           const struct lf_group *g, const struct lf_choice *choice, size_t first)
{
    for (unsigned i = 0; i < g->n; i++) {
        uint32_t x = w->members[group.first + i];
        struct lf_intent *intent = &w->intents[first];

        if ((g->fixed & lf_bit(i)) != 0) {
            continue;
        }
        if ((choice->moved & lf_bit(i)) != 0) {
            *intent = (struct lf_intent){w->at[x], x, LF_MOVED - choice->lane[i]};
        } else {
            *intent = (struct lf_intent){{choice->start[i], choice->end[i]}, x, 0};
        }
        first++;
    }
    return first;
}

static enum lanefix_status decide_small(struct lf_solve_scratch *w, struct lf_members group,
                                        struct lanefix_error *err)
{
    size_t first = w->n_intents;
    struct lf_group g;
    struct lf_choice choice;

    describe(w, group, &g);
    if (!lf_choose(&g, &choice)) {
        return decide_large(w, group, err);
    }
    LF_TRY(lf_grow(&w->intents, &w->cap_intents, first + group.n, sizeof *w->intents, err));
    w->n_intents = write_choice(w, group, &g, &choice, first);
    return add_decision(w,
                        (struct lf_decision){.first = first,
                                             .sure = choice.exact,
                                             .group = group,
                                             .n_lanes = choice.moved != 0 ? choice.n_lanes : 0},
                        err);
}

/* Once more those groups, of the decisions from first on, that saved lanes which others need
 * anyway. */
static void use_free_lanes(struct lf_solve_scratch *w, size_t first)
{
    unsigned most = 0;

    for (size_t d = 0; d < w->n_decisions; d++) {
        most = w->decisions[d].n_lanes > most ? w->decisions[d].n_lanes : most;
    }
    for (size_t d = first; d < w->n_decisions; d++) {
        struct lf_decision *decision = &w->decisions[d];
        struct lf_group g;
        struct lf_choice choice;

        if (decision->n_lanes == 0 || decision->n_lanes == most) {
            continue;
        }
        describe(w, decision->group, &g);
        g.free_lanes = most;
        if (lf_choose(&g, &choice)) {
            write_choice(w, decision->group, &g, &choice, decision->first);
            decision->sure = choice.exact;
        }
    }
}

static enum lanefix_status decide_groups(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    size_t n_decisions;

    w->n_intents = 0;
    w->n_decisions = 0;
    w->n_rest = 0;
    if (w->first_come) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_groups_find(w, NULL, w->n, err));
    for (size_t i = 0; i < w->n_groups; i++) {
        LF_TRY(w->groups[i].n <= LF_CHOOSE_MAX ? decide_small(w, w->groups[i], err)
                                               : decide_large(w, w->groups[i], err));
    }
    use_free_lanes(w, 0);
    if (w->n_rest == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_groups_find(w, w->rest, w->n_rest, err));
    w->n_rest = 0;
    n_decisions = w->n_decisions;
    for (size_t i = 0; i < w->n_groups; i++) {
        if (w->groups[i].n <= LF_CHOOSE_MAX) {
            LF_TRY(decide_small(w, w->groups[i], err));
        }
    }
    use_free_lanes(w, n_decisions);
    return LANEFIX_OK;
}

/* Sweeps with the decisions that are used. */
static enum lanefix_status sweep(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct lf_slice *s = &w->slices[i];

        w->lane[i] = 0;
        w->flags[i] &= (uint8_t)~LF_PLACED;
        if (s->kind == LF_SLICE_COMPLETE) {
            w->at[i] = (struct lf_interval){s->ts, shown_end(s)};
        }
    }
    for (size_t d = 0; d < w->n_decisions; d++) {
        for (size_t k = 0; w->decisions[d].used && k < w->decisions[d].n; k++) {
            const struct lf_intent *intent = &w->intents[w->decisions[d].first + k];
            struct lf_interval *at = &w->at[intent->slice];

            w->lane[intent->slice] = intent->lane;
            if (at->start != intent->at.start || at->end != intent->at.end) {
                *at = intent->at;
                w->flags[intent->slice] |= LF_PLACED;
            }
        }
    }
    return lf_sweep(w, err);
}

static bool followed(const struct lf_solve_scratch *w, const struct lf_decision *d)
{
    for (size_t k = 0; k < d->n; k++) {
        const struct lf_intent *intent = &w->intents[d->first + k];
        const struct lf_interval *at = &w->at[intent->slice];

        if (w->lane[intent->slice] != intent->lane || at->start != intent->at.start ||
            at->end != intent->at.end) {
            return false;
        }
    }
    return true;
}

/* Counts in what became of a slice; shift saturates. */
static void add_outcome(const struct lf_solve_scratch *w, uint32_t x, struct lf_outcome *o)
{
    const struct lf_slice *s = &w->slices[x];
    uint64_t by;

    if (s->kind != LF_SLICE_COMPLETE) {
        return;
    }
    o->n_moved += w->lane[x] != 0;
    by = (uint64_t)(w->at[x].start - s->ts) + (uint64_t)(shown_end(s) - w->at[x].end);
    o->shift = __builtin_add_overflow(o->shift, by, &o->shift) ? UINT64_MAX : o->shift;
}

/* Without lanes. */
static struct lf_outcome outcome_of_all(const struct lf_solve_scratch *w)
{
    struct lf_outcome o = {0, 0, 0};

    for (size_t i = 0; i < w->n; i++) {
        add_outcome(w, (uint32_t)i, &o);
    }
    return o;
}

/* Without lanes. */
static struct lf_outcome outcome_of(const struct lf_solve_scratch *w, const struct lf_decision *d)
{
    struct lf_outcome o = {0, 0, 0};

    for (size_t k = 0; k < d->n; k++) {
        add_outcome(w, w->intents[d->first + k].slice, &o);
    }
    return o;
}

/* With lanes; what moves then asks for the lane that it would get. */
static enum lanefix_status outcome(struct lf_solve_scratch *w, struct lf_outcome *o,
                                   struct lanefix_error *err)
{
    *o = outcome_of_all(w);
    LF_TRY(lf_lanes_assign(w, 0, err));
    o->n_lanes = w->n_lanes;
    for (size_t i = 0; i < w->n; i++) {
        w->lane[i] = w->lane[i] != 0 ? LF_MOVED - w->lane[i] : 0;
    }
    return LANEFIX_OK;
}

static bool is_worse(const struct lf_outcome *a, const struct lf_outcome *b)
{
    if (a->n_moved != b->n_moved) {
        return a->n_moved > b->n_moved;
    }
    return a->n_lanes != b->n_lanes ? a->n_lanes > b->n_lanes : a->shift > b->shift;
}

static void use_all(struct lf_solve_scratch *w, bool used)
{
    for (size_t d = 0; d < w->n_decisions; d++) {
        w->decisions[d].used = used;
    }
}

/* The sweep with decisions is done. Sweeps without, and again with those that did better; where
 * these together did worse than either, with what did best. */
static enum lanefix_status compare(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    struct lf_outcome all, none, some;

    for (size_t d = 0; d < w->n_decisions; d++) {
        w->decisions[d].outcome = outcome_of(w, &w->decisions[d]);
    }
    LF_TRY(outcome(w, &all, err));
    use_all(w, false);
    LF_TRY(sweep(w, err));
    for (size_t d = 0; d < w->n_decisions; d++) {
        struct lf_decision *decision = &w->decisions[d];
        struct lf_outcome without = outcome_of(w, decision);

        decision->used = !is_worse(&decision->outcome, &without);
    }
    LF_TRY(outcome(w, &none, err));
    LF_TRY(sweep(w, err));
    LF_TRY(outcome(w, &some, err));
    if (is_worse(&some, &none) || is_worse(&some, &all)) {
        use_all(w, !is_worse(&all, &none));
        return sweep(w, err);
    }
    return LANEFIX_OK;
}

/* Is what was decided what came of it? Then nothing else moved, or was shifted, because of it, and
 * endpoints take no more lanes. */
static enum lanefix_status as_decided(struct lf_solve_scratch *w, bool *sure,
                                      struct lanefix_error *err)
{
    struct lf_outcome all = outcome_of_all(w);
    unsigned most = 0;

    *sure = true;
    for (size_t d = 0; d < w->n_decisions; d++) {
        struct lf_outcome o = outcome_of(w, &w->decisions[d]);

        all.n_moved -= o.n_moved;
        all.shift -= o.shift;
        most = w->decisions[d].n_lanes > most ? w->decisions[d].n_lanes : most;
        *sure = *sure && w->decisions[d].sure && followed(w, &w->decisions[d]);
    }
    *sure = *sure && all.n_moved == 0 && all.shift == 0;
    if (*sure && w->has_flows && most > 0) {
        LF_TRY(outcome(w, &all, err));
        *sure = all.n_lanes == most;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_decide(struct lf_solve_scratch *w, struct lanefix_error *err)
{
    bool sure = true;

    LF_TRY(decide_groups(w, err));
    LF_TRY(sweep(w, err));
    if (w->n_decisions > 0) {
        LF_TRY(as_decided(w, &sure, err));
    }
    return sure ? LANEFIX_OK : compare(w, err);
}
