/* The records of a row's members, unpacked into one array each of slices and flow endpoints, with the
 * times that the result has. */
#ifndef LF_RUN_GATHER_H
#define LF_RUN_GATHER_H

#include "run/run.h"

/* Used for one row after the other. Zero-initialise; release with lf_gathered_fini. */
struct lf_gathered {
    struct lf_slice *slices;
    struct lf_flow *flows;
    size_t n_slices, n_flows;
    size_t cap_slices, cap_flows;
};

/* Takes the records of all members of row out of the table, in file order. */
enum lanefix_status lf_gather_take(struct lf_gathered *g, struct lf_run *run,
                                   const struct lf_row *row,
                                   struct lanefix_error *err) LF_MUST_USE;

/* The slices of these tracks, one track after the other; the table keeps them. */
enum lanefix_status lf_gather_copy_slices(struct lf_gathered *g, const struct lf_run *run,
                                          const uint32_t *tracks, uint32_t n_tracks,
                                          struct lanefix_error *err) LF_MUST_USE;

void lf_gathered_fini(struct lf_gathered *g);

#endif
