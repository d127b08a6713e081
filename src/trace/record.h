/* The compact records that pass one keeps: one a slice, one a flow endpoint. What a record leaves
 * out is found again through its offset in the stream.
 *
 * Times are visible int64 nanoseconds: what Perfetto reads. |ts| and ts + dur never overflow: pass
 * one leaves events out whose sums would. */
#ifndef LF_TRACE_RECORD_H
#define LF_TRACE_RECORD_H

#include <stdint.h>

enum lf_slice_kind {
    LF_SLICE_COMPLETE = 0, /* "X" */
    LF_SLICE_BEGIN = 1,    /* "B" */
    LF_SLICE_END = 2,      /* "E" */
    LF_SLICE_INSTANT = 3   /* thread-scoped "i", "I", "R": an empty slice */
};

#define LF_OFF_BITS 47

/* member: which of the tracks that were folded into one the event is written on (0 where nothing
 * is folded). It only matters to find the owner of a flow endpoint.
 * annotation: a complete slice that says what the program was at (of a category that profilers use for
 * such): it moves rather than the work it stands over. */
struct lf_slice {
    int64_t ts;
    union {
        int64_t dur;        /* complete: as Perfetto reads it, may be negative */
        uint64_t name_hash; /* begin, end: of the name's text, 0 where it has none */
    } u;
    uint64_t off : LF_OFF_BITS;
    uint64_t kind : 2;
    uint64_t annotation : 1;
    uint64_t member : 14;
};

enum lf_flow_kind {
    LF_FLOW_HERE = 0, /* "s", "t", "f" with bp "e": binds to the open slice */
    LF_FLOW_NEXT = 1  /* other "f": binds to the next slice that starts */
};

struct lf_flow {
    int64_t ts;
    uint64_t off : LF_OFF_BITS;
    uint64_t kind : 2;
    uint64_t member : 14;
};

_Static_assert(sizeof(struct lf_slice) == 24, "a slice record is 24 bytes");
_Static_assert(sizeof(struct lf_flow) == 16, "a flow endpoint record is 16 bytes");

#endif
