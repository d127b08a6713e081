/* Edits: what changes, by the offset of the event that it changes. */
#ifndef LF_REWRITE_EDIT_H
#define LF_REWRITE_EDIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "solve/solve.h"

enum {
    LF_EDIT_TS = 1,
    LF_EDIT_DUR = 2,
    LF_EDIT_LANE = 4, /* the tid becomes that of a lane */
    LF_EDIT_FLOW = 8  /* the event is a flow endpoint, else a complete slice */
};

struct lf_edit {
    uint64_t off : LF_OFF_BITS;
    uint64_t what : 16;
    int64_t ts, dur; /* new visible ns; with LF_EDIT_LANE, which keeps both, ts is how far it crossed */
    uint32_t row;    /* in the layout */
    uint32_t lane;   /* 1 ..., with LF_EDIT_LANE */
};

_Static_assert(sizeof(struct lf_edit) == 32, "an edit is 32 bytes");

struct lf_edits {
    struct lf_edit *list;
    size_t n, cap;
};

/* Appends the edits of one solved row. */
enum lanefix_status lf_edits_add(struct lf_edits *edits, const struct lf_solution *solution,
                                 uint32_t row, struct lanefix_error *err) LF_MUST_USE;

/* Sorts by offset; those of one long row mostly are. LANEFIX_ERR_MEMORY. */
enum lanefix_status lf_edits_sort(struct lf_edits *edits, struct lanefix_error *err) LF_MUST_USE;

/* The number of edits before off. */
size_t lf_edits_before(const struct lf_edits *edits, uint64_t off);

void lf_edits_fini(struct lf_edits *edits);

#endif
