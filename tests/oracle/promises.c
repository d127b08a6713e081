/* See promises.h. */
#include "promises.h"

#include <stdlib.h>
#include <string.h>

#include "trace/time.h"

struct row {
    struct oracle_event *events;
    size_t n;
};

static const struct lf_slice_change *slice_change(const struct lf_solution *s, uint64_t off)
{
    for (size_t i = 0; i < s->n_slices; i++) {
        if (s->slices[i].off == off) {
            return &s->slices[i];
        }
    }
    return NULL;
}

static const struct lf_flow_change *flow_change(const struct lf_solution *s, uint64_t off)
{
    for (size_t i = 0; i < s->n_flows; i++) {
        if (s->flows[i].off == off) {
            return &s->flows[i];
        }
    }
    return NULL;
}

static struct oracle_event event_of_slice(const struct lf_slice *s)
{
    static const enum oracle_kind kinds[] = {ORACLE_X, ORACLE_B, ORACLE_E, ORACLE_INSTANT};
    struct oracle_event e = {.kind = kinds[s->kind],
                             .ts = s->ts,
                             .off = s->off,
                             .member = s->member,
                             .binds = ORACLE_NOTHING};

    if (s->kind == LF_SLICE_COMPLETE) {
        e.dur = s->u.dur;
    } else {
        e.name = s->kind == LF_SLICE_INSTANT ? 0 : s->u.name_hash;
    }
    return e;
}

static struct oracle_event event_of_flow(const struct lf_flow *f)
{
    return (struct oracle_event){.kind = f->kind == LF_FLOW_HERE ? ORACLE_HERE : ORACLE_NEXT,
                                 .ts = f->ts,
                                 .off = f->off,
                                 .member = f->member,
                                 .binds = ORACLE_NOTHING};
}

/* solution NULL: the track as it was. Only the events of row `only`, or all where it is negative.*/
static struct row make_row(const struct oracle_track *t, const struct lf_solution *s, int only)
{
    struct row row = {malloc((t->n_slices + t->n_flows + 1) * sizeof *row.events), 0};
    bool *closed;

    if (row.events == NULL) {
        abort();
    }
    for (size_t i = 0; i < t->n_slices; i++) {
        const struct lf_slice_change *c = s ? slice_change(s, t->slices[i].off) : NULL;
        struct oracle_event e = event_of_slice(&t->slices[i]);

        if (c != NULL) {
            e.ts = c->ts;
            e.dur = c->dur;
            e.row = c->lane;
        }
        if (only < 0 || e.row == (unsigned)only) {
            row.events[row.n++] = e;
        }
    }
    for (size_t i = 0; i < t->n_flows; i++) {
        const struct lf_flow_change *c = s ? flow_change(s, t->flows[i].off) : NULL;
        struct oracle_event e = event_of_flow(&t->flows[i]);

        if (c != NULL) {
            e.ts = c->ts;
            e.row = c->lane;
        }
        if (only < 0 || e.row == (unsigned)only) {
            row.events[row.n++] = e;
        }
    }
    oracle_sort(row.events, row.n);
    closed = malloc((row.n + 1) * sizeof *closed);
    if (closed == NULL) {
        abort();
    }
    oracle_judge(row.events, row.n);
    for (size_t i = 0; i < row.n; i++) {
        closed[i] = row.events[i].closed;
    }
    oracle_pairs(row.events, row.n);
    for (size_t i = 0; i < row.n; i++) {
        row.events[i].closed = closed[i];
    }
    free(closed);
    return row;
}

static bool has_length(const struct oracle_event *e)
{
    return e->kind == ORACLE_X || (e->kind == ORACLE_B && e->hard);
}

/* a before b in order: do they partly overlap? */
static bool overlap(const struct oracle_event *a, const struct oracle_event *b)
{
    int64_t a_end = a->ts + (a->dur > 0 ? a->dur : 0);
    int64_t b_end = b->ts + (b->dur > 0 ? b->dur : 0);

    return b->ts < a_end && a_end < b_end;
}

static bool any_overlap(const struct row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        for (size_t k = i + 1; k < row->n && has_length(&row->events[i]); k++) {
            if (has_length(&row->events[k]) && overlap(&row->events[i], &row->events[k])) {
                return true;
            }
        }
    }
    return false;
}

static bool any_refused(const struct row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->events[i].refused || row->events[i].truncated) {
            return true;
        }
    }
    return false;
}

/* Does a complete slice keep an E from closing its B? */
static bool any_broken_pair(const struct row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->events[i].kind == ORACLE_B && row->events[i].hard && !row->events[i].closed) {
            return true;
        }
    }
    return false;
}

static const char *check_row(const struct row *row)
{
    if (any_refused(row)) {
        return "a slice is refused or truncated";
    }
    if (any_broken_pair(row)) {
        return "a slice keeps an E from closing its B";
    }
    return any_overlap(row) ? "slices overlap" : NULL;
}

static const struct oracle_event *by_off(const struct row *row, uint64_t off)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->events[i].off == off) {
            return &row->events[i];
        }
    }
    return NULL;
}

static bool out_of_bounds(int64_t shift, int64_t threshold)
{
    return shift < 0 || (shift > 0 && shift >= threshold);
}

static const char *check_change(const struct lf_slice_change *c, const struct row *before,
                                const struct lf_solve_options *options)
{
    const struct oracle_event *e = by_off(before, c->off);
    int64_t dur;

    if (e == NULL || e->kind != ORACLE_X) {
        return "a change of what is no complete slice";
    }
    if (c->old_ts != e->ts || c->old_dur != e->dur) {
        return "a change with wrong old times";
    }
    dur = e->dur > 0 ? e->dur : 0;
    if (c->lane != 0 && (c->ts != e->ts || c->dur != dur)) {
        return "a moved slice with new times";
    }
    if (c->lane == 0 && c->ts == e->ts && c->dur == e->dur) {
        return "a change that changes nothing";
    }
    if (out_of_bounds(c->ts - e->ts, options->threshold_ns) ||
        out_of_bounds(e->ts + dur - (c->ts + c->dur), options->threshold_ns)) {
        return "a boundary moved too far";
    }
    if (dur > 0 && c->dur <= 0) {
        return "a slice was emptied";
    }
    if ((c->ts != e->ts && lf_time_writable(c->ts, true) != c->ts) ||
        (c->dur != e->dur && lf_time_writable(c->dur, false) != c->dur)) {
        return "a time that cannot be written";
    }
    return NULL;
}

/* The slice that the endpoint belongs to. */
static const struct oracle_event *owner_of(const struct row *before, size_t flow)
{
    const struct oracle_event *f = &before->events[flow];
    const struct oracle_event *owner = NULL;

    if (f->kind == ORACLE_NEXT) {
        for (size_t i = flow + 1; i < before->n && owner == NULL; i++) {
            const struct oracle_event *e = &before->events[i];

            owner = e->kind == ORACLE_X && e->member == f->member ? e : NULL;
        }
        return owner;
    }
    for (size_t i = 0; i < flow; i++) {
        const struct oracle_event *e = &before->events[i];

        if (e->kind == ORACLE_X && e->member == f->member &&
            (e->ts == f->ts || e->ts + e->dur > f->ts)) {
            owner = e;
        }
    }
    return owner;
}

/* Would the endpoint bind to owner at the time it had? */
static bool binds_unchanged(const struct row *row, const struct oracle_event *f, uint64_t owner)
{
    struct row copy = {malloc(row->n * sizeof *copy.events), row->n};
    bool binds;

    if (copy.events == NULL) {
        abort();
    }
    for (size_t i = 0; i < row->n; i++) {
        copy.events[i] = row->events[i].off == f->off ? *f : row->events[i];
    }
    oracle_sort(copy.events, copy.n);
    oracle_judge(copy.events, copy.n);
    binds = by_off(&copy, f->off)->binds == owner;
    free(copy.events);
    return binds;
}

static const char *check_flow(const struct row *before, size_t flow, const struct row *rows,
                              const struct lf_solution *s)
{
    const struct oracle_event *f = &before->events[flow];
    const struct oracle_event *owner = owner_of(before, flow);
    const struct lf_flow_change *c = flow_change(s, f->off);
    const struct lf_slice_change *moved = owner != NULL ? slice_change(s, owner->off) : NULL;
    unsigned lane = c != NULL ? c->lane : 0;

    if (c != NULL && (c->old_ts != f->ts || (c->ts == f->ts && c->lane == 0))) {
        return "a wrong flow change";
    }
    if (c != NULL && c->ts != f->ts && lf_time_writable(c->ts, true) != c->ts) {
        return "a flow time that cannot be written";
    }
    if (owner == NULL) {
        return c == NULL ? NULL : "an endpoint without a slice changed";
    }
    if (lane != (moved != NULL ? moved->lane : 0)) {
        return "an endpoint left its slice's lane";
    }
    if (moved == NULL && c != NULL && binds_unchanged(&rows[0], f, owner->off)) {
        return "an endpoint of an unchanged slice changed without need";
    }
    if ((moved != NULL || owner->refused || f->binds == owner->off) &&
        by_off(&rows[lane], f->off)->binds != owner->off) {
        return f->kind == ORACLE_NEXT ? "a flow endpoint misses the next slice"
                                      : "a flow endpoint binds to another slice";
    }
    return NULL;
}

static const char *check_counts(const struct row *before, const struct lf_solution *s)
{
    uint64_t refused = 0;
    uint64_t crossings = 0;
    uint64_t moved = 0;
    uint64_t negative = 0;
    uint64_t shift = 0;

    for (size_t i = 0; i < before->n; i++) {
        refused += before->events[i].refused;
        crossings += before->events[i].crossing;
    }
    for (size_t i = 0; i < s->n_slices; i++) {
        const struct lf_slice_change *c = &s->slices[i];

        moved += c->lane != 0;
        negative += c->old_dur < 0;
        shift += (uint64_t)(c->ts - c->old_ts);
        if (c->lane > s->n_lanes) {
            return "a lane beyond the last";
        }
    }
    if (refused != s->n_refused || crossings != s->n_crossings) {
        return "wrong count of refused slices";
    }
    if (moved != s->n_moved || negative != s->n_negative || shift != s->start_shift_ns) {
        return "wrong count of changes";
    }
    return NULL;
}

const char *oracle_check(const struct oracle_track *t, const struct lf_solve_options *options,
                         const struct lf_solution *s)
{
    struct row before = make_row(t, NULL, -1);
    struct row *rows = calloc(s->n_lanes + 1, sizeof *rows);
    const char *broken = NULL;

    if (rows == NULL) {
        abort();
    }
    for (unsigned k = 0; k <= s->n_lanes; k++) {
        rows[k] = make_row(t, s, (int)k);
        broken = broken != NULL ? broken : check_row(&rows[k]);
        if (broken == NULL && k > 0 && rows[k].n == 0) {
            broken = "an empty lane";
        }
    }
    for (size_t i = 0; i < s->n_slices && broken == NULL; i++) {
        broken = check_change(&s->slices[i], &before, options);
    }
    if (broken == NULL && !any_refused(&before) && !any_overlap(&before) &&
        !any_broken_pair(&before) && s->n_slices + s->n_flows > 0) {
        broken = "a clean track changed";
    }
    if (broken == NULL) {
        broken = check_counts(&before, s);
    }
    for (size_t i = 0; i < before.n && broken == NULL; i++) {
        if (before.events[i].kind == ORACLE_HERE || before.events[i].kind == ORACLE_NEXT) {
            broken = check_flow(&before, i, rows, s);
        }
    }
    for (unsigned k = 0; k <= s->n_lanes; k++) {
        free(rows[k].events);
    }
    free(rows);
    free(before.events);
    return broken;
}

void oracle_apply(const struct oracle_track *t, const struct lf_solution *s, unsigned row,
                  struct oracle_track *out)
{
    out->n_slices = 0;
    out->n_flows = 0;
    for (size_t i = 0; i < t->n_slices; i++) {
        const struct lf_slice_change *c = slice_change(s, t->slices[i].off);
        struct lf_slice slice = t->slices[i];

        if (c != NULL) {
            slice.ts = c->ts;
            slice.u.dur = c->dur;
        }
        if ((c != NULL ? c->lane : 0) == row) {
            out->slices[out->n_slices++] = slice;
        }
    }
    for (size_t i = 0; i < t->n_flows; i++) {
        const struct lf_flow_change *c = flow_change(s, t->flows[i].off);
        struct lf_flow flow = t->flows[i];

        flow.ts = c != NULL ? c->ts : flow.ts;
        if ((c != NULL ? c->lane : 0) == row) {
            out->flows[out->n_flows++] = flow;
        }
    }
}
