/* The stack of open slices on the track. Its ends never grow towards the top. */
#include "base/mem.h"
#include "solve/internal.h"

void lf_stack_drop(struct lf_solve_scratch *w, int64_t ts)
{
    while (w->n_stack > 0 && w->stack[w->n_stack - 1].end <= ts) {
        w->n_stack--;
    }
}

void lf_stack_drop_empty(struct lf_solve_scratch *w, int64_t ts)
{
    while (w->n_stack > 0) {
        const struct lf_interval *top = &w->at[w->stack[w->n_stack - 1].slice];

        if (top->start != ts || top->end != ts) {
            break;
        }
        w->n_stack--;
    }
}

enum lanefix_status lf_stack_push(struct lf_solve_scratch *w, int64_t end, uint32_t slice,
                                  struct lanefix_error *err)
{
    LF_TRY(lf_grow(&w->stack, &w->cap_stack, w->n_stack + 1, sizeof *w->stack, err));
    w->stack[w->n_stack++] = (struct lf_open){end, slice};
    return LANEFIX_OK;
}
