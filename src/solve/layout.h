/* Which tracks are which row in Perfetto: folding and unfolding, the ids of lanes, the order of
 * rows. Works on the track table after pass one; pure.
 *
 * A row is a track as Perfetto reads it in the result. Its members are the tracks as written that
 * it is made of: one, unless they fold and were left folded. */
#ifndef LF_SOLVE_LAYOUT_H
#define LF_SOLVE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/tracks.h"

struct lf_row {
    struct lf_key pid, tid; /* number or string */
    uint32_t first_member;  /* into lf_layout.members */
    uint32_t n_members;
    uint32_t first_lane;    /* into lf_layout.lanes */
    uint32_t n_lanes;       /* set by the caller between lf_layout_rows and lf_layout_lanes */
    uint32_t name;          /* of its thread_name in the pool, LF_NO_NAME where it has none */
    bool has_sort_index;
    bool sort_index_yields; /* it stands at a ts above 0: an added one (no ts) comes before it */
    bool visible;           /* it has slices or metadata of its own */
    int64_t sort_index;
};

/* What a track's events get in place of their pid and tid; false: they keep them. */
struct lf_rename {
    bool pid_changes, tid_changes;
    uint32_t pid, tid;
};

struct lf_sort_index {
    uint32_t row;
    uint32_t lane; /* 0: the row itself */
    int64_t index;
};

struct lf_layout {
    struct lf_row *rows; /* by pid, then tid */
    size_t n_rows;
    uint32_t *members;         /* track numbers */
    struct lf_rename *renames; /* one a track; NULL where nothing is renamed */
    uint32_t *renamed_pids;    /* track numbers, one a process that got a new pid */
    size_t n_renamed_pids, cap_renamed_pids;
    uint32_t *renamed_tids;    /* track numbers that got a new tid */
    size_t n_renamed_tids, cap_renamed_tids;
    struct lf_key *lanes; /* tids, row by row */
    size_t n_lanes, cap_lanes;
    struct lf_sort_index *sort_indices; /* to be added, in order of rows */
    size_t n_sort_indices, cap_sort_indices;
    struct lf_id_set *used;
};

/* Builds the rows of t; unfold: tracks that fold get ids of their own. Zero-initialise out; release
 * with lf_layout_fini, also after a failure. */
enum lanefix_status lf_layout_rows(struct lf_layout *out, const struct lf_tracks *t, bool unfold,
                                   struct lanefix_error *err) LF_MUST_USE;

/* Gives every lane its id (string ids are interned in t's pool) and works out the sort indices. */
enum lanefix_status lf_layout_lanes(struct lf_layout *out, struct lf_tracks *t,
                                    struct lanefix_error *err) LF_MUST_USE;

void lf_layout_fini(struct lf_layout *l);

#endif
