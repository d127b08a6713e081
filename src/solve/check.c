/* Is there anything to do? One sweep over a sorted track that changes nothing; what most tracks
 * cost. Nothing is allocated for a track of complete slices. */
#include "solve/internal.h"

static bool any_fixed(const struct lf_slice *slices, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (slices[i].kind != LF_SLICE_COMPLETE) {
            return true;
        }
    }
    return false;
}

bool lf_check_complete(const struct lf_slice *slices, size_t n, bool *has_fixed)
{
    int64_t ends[LF_MAX_DEPTH + 1];
    size_t depth = 0;

    *has_fixed = false;
    ends[0] = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        int64_t start = slices[i].ts;
        int64_t dur = slices[i].u.dur;
        int64_t end;

        if (slices[i].kind != LF_SLICE_COMPLETE || dur < 0) {
            *has_fixed = any_fixed(slices + i, n - i);
            return false;
        }
        end = lf_open_end(start, start + dur);
        while (ends[depth] <= start && depth > 0) {
            depth--;
        }
        if (ends[depth] < end || depth == LF_MAX_DEPTH) {
            *has_fixed = any_fixed(slices + i, n - i);
            return false;
        }
        ends[++depth] = end;
    }
    return true;
}

static enum lanefix_status check_one(struct lf_solve_scratch *w, uint32_t i, bool *fits,
                                     struct lanefix_error *err)
{
    const struct lf_slice *s = &w->slices[i];
    int64_t end = lf_open_end(w->at[i].start, w->at[i].end);

    switch ((enum lf_slice_kind)s->kind) {
    case LF_SLICE_COMPLETE:
        lf_stack_drop(w, s->ts);
        *fits =
            s->u.dur >= 0 && w->n_stack < LF_MAX_DEPTH && (s->u.dur == 0 || end <= lf_stack_end(w));
        return *fits ? lf_stack_push(w, end, i, err) : LANEFIX_OK;
    case LF_SLICE_BEGIN:
        *fits = !lf_stack_drop_begin(w, i) &&
                (w->at[i].end == LF_OPEN_END || w->at[i].end <= lf_stack_end(w));
        return *fits ? lf_stack_push_begin(w, i, err) : LANEFIX_OK;
    case LF_SLICE_INSTANT:
        lf_stack_drop(w, s->ts);
        return w->n_stack < LF_MAX_DEPTH ? lf_stack_push(w, end, i, err) : LANEFIX_OK;
    case LF_SLICE_END:
        lf_stack_drop_end(w, s->ts);
        break;
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_check_fixed(struct lf_solve_scratch *w, bool *clean,
                                   struct lanefix_error *err)
{
    *clean = true;
    w->n_stack = 0;
    for (size_t i = 0; i < w->n && *clean; i++) {
        LF_TRY(check_one(w, (uint32_t)i, clean, err));
    }
    return LANEFIX_OK;
}
