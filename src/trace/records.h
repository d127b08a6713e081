/* Lists of compact records, packed (packing.h): times and offsets as differences, about seven bytes
 * a slice of a real trace. A list of one record holds it as it is and owns no memory, so a million
 * tracks of one slice cost no more than their places in the table. Records go in in file order and
 * are taken out once, in that order.
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

/* Slices or flow endpoints; a list holds one sort only. Nothing may be added once some were taken.
 */
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

/* Where reading stands: behind the record with this ts and off. */
struct lf_record_cursor {
    struct lf_record_block *block;
    uint32_t taken; /* bytes of it */
    int64_t ts;
    uint64_t off;
};

/* Reads slices and leaves the list as it is: from lf_records_begin's cursor, or a copy of one that
 * has been moved on by reading, at most max of them into out. Returns how many; 0 at the end.
 * Nothing may be added to the list or taken out of it meanwhile. */
struct lf_record_cursor lf_records_begin(const struct lf_records *list);
size_t lf_records_read_slices(const struct lf_records *list, struct lf_record_cursor *at,
                              struct lf_slice *out, size_t max, unsigned member);

/* Where every LF_RECORD_CHUNK slices begin that were added, and their least ts: *mark is the kth's;
 * false behind the last. Nothing may have been taken. */
#define LF_RECORD_CHUNK 8192
struct lf_record_mark {
    struct lf_record_cursor at;
    int64_t least_ts;
};
bool lf_records_mark(const struct lf_records *list, size_t k, struct lf_record_mark *mark);

void lf_records_fini(struct lf_records *list);

#endif
