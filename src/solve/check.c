/* Is there anything to do? One sweep over a sorted track that changes nothing; what most tracks
 * cost. Nothing is allocated for a track of complete slices. */
#include "solve/internal.h"

bool lf_check_complete(const struct lf_slice *slices, size_t n, bool *has_fixed)
{
    int64_t ends[LF_MAX_DEPTH + 1];
    size_t depth = 0;

    ends[0] = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        int64_t start = slices[i].ts;
        int64_t dur = slices[i].u.dur;
        int64_t end;

        if (slices[i].kind != LF_SLICE_COMPLETE) {
            *has_fixed = true;
            return false;
        }
        if (dur < 0) {
            return false;
        }
        end = lf_open_end(start, start + dur);
        while (ends[depth] <= start && depth > 0) {
            depth--;
        }
        if (ends[depth] < end || depth == LF_MAX_DEPTH) {
            return false;
        }
        ends[++depth] = end;
    }
    return true;
}

/* Pushes the fixed slice i, or drops what an "E" ends. */
static enum lanefix_status check_one(struct lf_solve_scratch *w, uint32_t i, bool *fits,
                                     struct lanefix_error *err)
{
    const struct lf_slice *s = &w->slices[i];
    int64_t top;
    int64_t end = lf_open_end(w->at[i].start, w->at[i].end);

    lf_stack_drop(w, s->ts);
    if (s->kind == LF_SLICE_END) {
        return LANEFIX_OK;
    }
    if (s->kind == LF_SLICE_BEGIN) {
        lf_stack_drop_empty(w, s->ts);
    }
    top = w->n_stack > 0 ? w->stack[w->n_stack - 1].end : INT64_MAX;
    if (s->kind == LF_SLICE_COMPLETE) {
        *fits = s->u.dur >= 0 && end <= top && w->n_stack < LF_MAX_DEPTH;
    } else if (s->kind == LF_SLICE_BEGIN) {
        *fits = end == LF_OPEN_END || end <= top;
        end = end < top ? end : top;
    } else if (w->n_stack >= LF_MAX_DEPTH) {
        return LANEFIX_OK;
    }
    return *fits ? lf_stack_push(w, end, i, err) : LANEFIX_OK;
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
