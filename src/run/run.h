/* One run: what both passes share. Internal to the run room. */
#ifndef LF_RUN_RUN_H
#define LF_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "io/sink.h"
#include "io/source.h"
#include "json/split.h"
#include "rewrite/edit.h"
#include "run/report.h"
#include "solve/layout.h"
#include "trace/tracks.h"

struct lf_run {
    const struct lanefix_options *options;
    unsigned threads;
    uint64_t seed;
    struct lf_source *source;
    struct lf_sink *sink; /* NULL: check, nothing is written */
    bool counts_refused;  /* a check: what Perfetto refuses of the input is asked for */
    struct lanefix_report *report;
    /* after pass one: */
    struct lf_tracks tracks;
    struct lf_splitter found; /* where the events are, whether the array is closed */
    struct lf_bytes gap;      /* the white space before the last event */
    bool exact_times;         /* ts were read as written, to be rebased */
    bool rebase;              /* base_ns is taken off every ts */
    int64_t base_ns;
    /* after the plan: */
    struct lf_layout layout;
    struct lf_edits edits;
    struct lf_bytes added; /* metadata events, to stand at found.last_event_end */
    struct lf_bytes base_time; /* to stand in place of or as baseTimeNanoseconds */
};

/* Reads the trace once: tracks, found, gap. */
enum lanefix_status lf_pass_one(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Solves every row: layout, edits, added; counts. */
enum lanefix_status lf_plan(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Reads the trace again, hands what changes to the report and, where there is a sink, writes all. */
enum lanefix_status lf_pass_two(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Whether what is written differs from the input. */
bool lf_run_changes(const struct lf_run *run);

/* Where and how rebasing is to be told; after pass one (run->exact_times). */
enum lanefix_status lf_rebase_prepare(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Tells the caller how far the pass is; LANEFIX_ERR_CANCELLED where it wants to stop. */
enum lanefix_status lf_run_progress(const struct lf_run *run, int pass, uint64_t trace_bytes,
                                    struct lanefix_error *err) LF_MUST_USE;

#endif
