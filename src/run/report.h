/* The report object: filled by the passes, read through the public accessors. */
#ifndef LF_RUN_REPORT_H
#define LF_RUN_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rewrite/patch.h"
#include "solve/layout.h"
#include "solve/solve.h"
#include "trace/names.h"
#include "trace/tracks.h"

struct lf_report_list {
    struct lf_report_change *list;
    size_t n, cap;
};

struct lanefix_report {
    struct lanefix_counters counters;
    size_t max_changes;
    struct lf_names texts;      /* names and ids; each is kept with a 0 behind it */
    struct lf_report_track *tracks;
    size_t n_tracks, cap_tracks;
    struct lf_report_unfolded *unfolded;
    size_t n_unfolded, cap_unfolded;
    struct lf_report_list changes[3]; /* by enum lanefix_change_kind */
    struct lf_report_kernel *kernels;
    size_t n_kernels, cap_kernels;
    uint32_t *kernel_of_text; /* kernel + 1 by text, 0 where none */
    size_t cap_kernel_of_text;
};

enum lanefix_status lf_report_create(struct lanefix_report **out, size_t max_changes, uint64_t seed,
                                     struct lanefix_error *err) LF_MUST_USE;

/* What Perfetto refuses of a row. */
void lf_report_count_refused(struct lanefix_report *r, const struct lf_solution *counts);

/* One row was solved. In order of rows. */
enum lanefix_status lf_report_add_row(struct lanefix_report *r, const struct lf_row *row,
                                      const struct lf_solution *counts,
                                      const struct lf_names *names,
                                      struct lanefix_error *err) LF_MUST_USE;

/* Lists what unfolding renamed. */
enum lanefix_status lf_report_add_renames(struct lanefix_report *r, const struct lf_layout *layout,
                                          const struct lf_tracks *tracks,
                                          struct lanefix_error *err) LF_MUST_USE;

/* One event was patched; its name is at window + patched->name. In file order. */
enum lanefix_status lf_report_add_patched(struct lanefix_report *r,
                                          const struct lf_patched *patched, const uint8_t *window,
                                          const struct lf_layout *layout,
                                          const struct lf_names *names,
                                          struct lanefix_error *err) LF_MUST_USE;

/* Puts the lists into their final order. */
void lf_report_finish(struct lanefix_report *r);

#endif
