/* The stack of open slices on the track. Its ends never grow towards the top. */
#include "base/mem.h"
#include "solve/internal.h"

int64_t lf_stack_end(const struct lf_solve_scratch *w)
{
    return w->n_stack > 0 ? w->stack[w->n_stack - 1].end : INT64_MAX;
}

void lf_stack_drop(struct lf_solve_scratch *w, int64_t ts)
{
    while (w->n_stack > 0) {
        const struct lf_open *top = &w->stack[w->n_stack - 1];

        if (top->end + top->lingers > ts) {
            break;
        }
        w->n_stack--;
    }
}

bool lf_stack_drop_begin(struct lf_solve_scratch *w, uint32_t slice)
{
    int64_t ts = w->at[slice].start;
    bool closed = w->at[slice].end != LF_OPEN_END;
    bool lingered = false;

    while (w->n_stack > 0) {
        const struct lf_open *top = &w->stack[w->n_stack - 1];
        const struct lf_interval *at = &w->at[top->slice];

        if (top->end + (closed ? 0 : top->lingers) > ts && (at->start != ts || at->end != ts)) {
            break;
        }
        lingered |= top->end + top->lingers > ts && top->end == ts;
        w->n_stack--;
    }
    return lingered;
}

void lf_stack_drop_end(struct lf_solve_scratch *w, int64_t ts)
{
    while (w->n_stack > 0) {
        const struct lf_open *top = &w->stack[w->n_stack - 1];

        if (top->end + top->lingers > ts) {
            break;
        }
        w->n_stack--;
        if (w->slices[top->slice].kind == LF_SLICE_BEGIN && top->end == ts) {
            break;
        }
    }
}

enum lanefix_status lf_stack_push(struct lf_solve_scratch *w, int64_t end, uint32_t slice,
                                  struct lanefix_error *err)
{
    LF_TRY(lf_grow(&w->stack, &w->cap_stack, w->n_stack + 1, sizeof *w->stack, err));
    w->stack[w->n_stack++] = (struct lf_open){end, slice, 0};
    return LANEFIX_OK;
}

enum lanefix_status lf_stack_push_begin(struct lf_solve_scratch *w, uint32_t slice,
                                        struct lanefix_error *err)
{
    int64_t end = w->at[slice].end;
    int64_t top = lf_stack_end(w);

    LF_TRY(lf_stack_push(w, end < top ? end : top, slice, err));
    w->stack[w->n_stack - 1].lingers = end == LF_OPEN_END && top != INT64_MAX;
    return LANEFIX_OK;
}
