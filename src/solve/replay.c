/* What Perfetto makes of the track as it is: which complete slices it refuses, and to what it binds
 * flow endpoints. It follows the importer step by step, with what is odd about it: below an open
 * "B" it looks for ended slices only, and it pops the top where it means the slice it looks at. */
#include "base/mem.h"
#include "solve/internal.h"

/* A "B" deeper than this is ignored: hostile input must not make the replay quadratic. */
#define BEGIN_MAX 4096u

struct replay {
    struct lf_solve_scratch *w;
    struct lf_solution *out;
    size_t flow;    /* the first endpoint that is not bound */
    size_t waiting; /* the first LF_FLOW_NEXT one among those that may still wait */
    struct lf_replayed crossed; /* the open slice that the last one refused crossed */
    bool closed;    /* a refused slice or an "E" closed what had ended; nothing was pushed since */
    bool has_begin; /* a "B" was pushed since the stack was empty: ends may be out of order */
};

/* What the new slice is: dur as Perfetto's own -1 for none. */
#define NO_DUR (-1)

/* A "B" that is still open; a complete slice too may end at the end of time. */
static bool is_open(const struct lf_solve_scratch *w, const struct lf_replayed *s)
{
    return s->end == LF_OPEN_END && w->slices[s->slice].kind == LF_SLICE_BEGIN;
}

static bool ended(const struct lf_replayed *s, int64_t ts, int64_t dur)
{
    return s->end < ts || (s->end == ts && !(s->empty && dur == 0));
}

static bool crosses(const struct lf_replayed *s, int64_t ts, int64_t dur)
{
    return dur != NO_DUR && ts < s->end && ts + dur > s->end;
}

/* Without "B" ends never grow towards the top, so the top says it all. */
static bool make_room_simple(struct replay *r, int64_t ts, int64_t dur)
{
    struct lf_solve_scratch *w = r->w;

    while (w->n_replay > 0 && ended(&w->replay[w->n_replay - 1], ts, dur)) {
        w->n_replay--;
    }
    if (w->n_replay == 0 || !crosses(&w->replay[w->n_replay - 1], ts, dur)) {
        return true;
    }
    r->crossed = w->replay[w->n_replay - 1];
    return false;
}

/* Drops what ended; false where the new slice crosses an open one. */
static bool make_room(struct replay *r, int64_t ts, int64_t dur)
{
    struct lf_solve_scratch *w = r->w;
    bool pending = false;

    if (!r->has_begin) {
        return make_room_simple(r, ts, dur);
    }
    for (size_t k = w->n_replay; k-- > 0;) {
        const struct lf_replayed *s = &w->replay[k];

        if (is_open(w, s)) {
            pending = true;
        } else if (pending) {
            if (ts > s->end) {
                w->n_replay = k;
                pending = false;
            }
        } else if (ended(s, ts, dur)) {
            w->n_replay--;
        } else if (crosses(s, ts, dur)) {
            r->crossed = *s;
            return false;
        }
    }
    r->has_begin = w->n_replay > 0;
    return true;
}

static enum lanefix_status push(struct replay *r, int64_t end, uint32_t slice, bool empty,
                                struct lanefix_error *err)
{
    struct lf_solve_scratch *w = r->w;

    r->closed = false;
    for (; r->waiting < r->flow; r->waiting++) {
        if (w->flows[r->waiting].kind == LF_FLOW_NEXT) {
            w->right[r->waiting] = w->owner[r->waiting] == slice;
        }
    }
    LF_TRY(lf_grow(&w->replay, &w->cap_replay, w->n_replay + 1, sizeof *w->replay, err));
    w->replay[w->n_replay++] = (struct lf_replayed){end, slice, empty};
    return LANEFIX_OK;
}

static void close_begin(struct lf_solve_scratch *w, const struct lf_slice *end)
{
    for (size_t k = w->n_replay; k-- > 0;) {
        const struct lf_slice *begin = &w->slices[w->replay[k].slice];

        if (is_open(w, &w->replay[k]) && (end->u.name_hash == 0 || begin->u.name_hash == 0 ||
                                          end->u.name_hash == begin->u.name_hash)) {
            w->replay[k].end = end->ts;
            w->replay[k].empty = begin->ts == end->ts;
            w->n_replay -= k + 1 == w->n_replay;
            return;
        }
    }
}

static void note_crossing(struct replay *r, uint32_t i)
{
    struct lf_solve_scratch *w = r->w;
    const struct lf_slice *s = &w->slices[i];
    int64_t start_shift = r->crossed.end - s->ts;
    int64_t end_shift = s->ts + s->u.dur - r->crossed.end;
    int64_t crossing = start_shift < end_shift ? start_shift : end_shift;
    size_t size = 0;

    for (int64_t limit = 1000; size + 1 < LF_N_CROSSING_SIZES && crossing >= limit; limit *= 10) {
        size++;
    }
    r->out->n_crossings++;
    r->out->crossing_sizes[size]++;
    w->cross[i] = crossing;
    if (w->cross[r->crossed.slice] < crossing) {
        w->cross[r->crossed.slice] = crossing;
    }
}

static enum lanefix_status replay_complete(struct replay *r, uint32_t i, struct lanefix_error *err)
{
    struct lf_solve_scratch *w = r->w;
    const struct lf_slice *s = &w->slices[i];

    if (s->u.dur >= 0) {
        size_t depth = w->n_replay;
        bool room = make_room(r, s->ts, s->u.dur);

        if (room && w->n_replay < LF_MAX_DEPTH) {
            return push(r, s->ts + s->u.dur, i, s->u.dur == 0, err);
        }
        r->closed |= w->n_replay < depth;
        if (!room) {
            note_crossing(r, i);
        }
    }
    r->out->n_refused++;
    w->flags[i] |= LF_REFUSED;
    return LANEFIX_OK;
}

static enum lanefix_status replay_one(struct replay *r, uint32_t i, struct lanefix_error *err)
{
    struct lf_solve_scratch *w = r->w;
    const struct lf_slice *s = &w->slices[i];

    switch ((enum lf_slice_kind)s->kind) {
    case LF_SLICE_COMPLETE:
        return replay_complete(r, i, err);
    case LF_SLICE_INSTANT:
        if (make_room(r, s->ts, 0) && w->n_replay < LF_MAX_DEPTH) {
            return push(r, s->ts, i, true, err);
        }
        break;
    case LF_SLICE_BEGIN:
        (void)make_room(r, s->ts, NO_DUR);
        if (w->n_replay < BEGIN_MAX) {
            r->has_begin = true;
            return push(r, LF_OPEN_END, i, false, err);
        }
        break;
    case LF_SLICE_END:
        (void)make_room(r, s->ts, NO_DUR);
        close_begin(w, s);
        r->closed = true;
        break;
    }
    return LANEFIX_OK;
}

static void bind_before(struct replay *r, const struct lf_slice *next)
{
    struct lf_solve_scratch *w = r->w;
    uint32_t top = w->n_replay > 0 ? w->replay[w->n_replay - 1].slice : LF_NONE;

    for (; r->flow < w->n_flows; r->flow++) {
        const struct lf_flow *f = &w->flows[r->flow];

        if (next != NULL && lf_was_before_point(next, f->ts, f->off)) {
            break;
        }
        w->right[r->flow] = f->kind == LF_FLOW_HERE && top == w->owner[r->flow];
        if (w->right[r->flow] && r->closed && top != LF_NONE) {
            w->flags[top] |= LF_FRAGILE;
        }
    }
}

enum lanefix_status lf_replay(struct lf_solve_scratch *w, struct lf_solution *out,
                              struct lanefix_error *err)
{
    struct replay r = {.w = w, .out = out};

    w->n_replay = 0;
    for (size_t i = 0; i < w->n; i++) {
        w->flags[i] = 0;
        w->cross[i] = 0;
        if (r.flow < w->n_flows) {
            bind_before(&r, &w->slices[i]);
        }
        LF_TRY(replay_one(&r, (uint32_t)i, err));
    }
    bind_before(&r, NULL);
    return LANEFIX_OK;
}
