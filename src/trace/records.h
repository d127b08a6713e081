/* Lists of compact records, packed: times and offsets as differences in variable length, about nine
 * bytes a slice of a real trace. A list of one record holds it as it is and owns no memory, so a
 * million tracks of one slice cost no more than their places in the table. Records go in in file
 * order and are taken out once, in that order.
 *
 * Plain data; zero-initialise; release with lf_records_fini. */
#ifndef LF_TRACE_RECORDS_H
#define LF_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/record.h"

struct lf_records {
    union {
        struct lf_slice slice; /* the only record, */
        struct lf_flow flow;   /* of either kind */
        struct lf_record_list *list;
    } u;
    uint32_t n;  /* that are in the list */
    bool packed; /* they are in u.list */
};

/* Slices or flow endpoints; a list holds one sort only. Nothing may be added once some were taken. */
enum lanefix_status lf_records_add_slice(struct lf_records *list, const struct lf_slice *s,
                                         struct lanefix_error *err) LF_MUST_USE;
enum lanefix_status lf_records_add_flow(struct lf_records *list, const struct lf_flow *f,
                                        struct lanefix_error *err) LF_MUST_USE;

/* Takes the first records, at most max, out of the list into out, marked with member, and releases
 * memory as it goes. Returns how many. */
size_t lf_records_take_slices(struct lf_records *list, struct lf_slice *out, size_t max,
                              unsigned member);
size_t lf_records_take_flows(struct lf_records *list, struct lf_flow *out, size_t max,
                             unsigned member);

/* Writes all slices of the list to out (room for list->n) and leaves it as it is. */
size_t lf_records_copy_slices(const struct lf_records *list, struct lf_slice *out, unsigned member);

/* The most by which a ts is below one added before it, ns, saturated. */
int64_t lf_records_backstep(const struct lf_records *list);

void lf_records_fini(struct lf_records *list);

#endif
