/* One run: what both passes share. Internal to the run room. */
#ifndef LF_RUN_RUN_H
#define LF_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "io/sink.h"
#include "io/source.h"
#include "rewrite/edit.h"
#include "rewrite/undo.h"
#include "run/feed.h"
#include "run/report.h"
#include "solve/layout.h"
#include "trace/tracks.h"
#include "json/split.h"

/* A change outside the events: text in place of n_old bytes at off. */
struct lf_splice {
    uint64_t off, n_old;
    const struct lf_bytes *text; /* NULL: there is none */
};

enum { LF_N_SPLICES = 2 };

struct lf_run {
    const struct lanefix_options *options;
    unsigned threads;
    uint64_t seed;
    uint64_t resident; /* memory of the process when the call began */
    struct lf_source *source;
    struct lf_sink *sink; /* NULL: check, nothing is written */
    struct lf_undo *undo; /* NULL: the trace is fixed, else what was fixed is undone */
    bool sums; /* the checksum of the trace is wanted (of an undone one: of what is written) */
    bool counts_refused; /* a check: what Perfetto refuses of the input is asked for */
    struct lanefix_report *report;
    /* after pass one (crc32 of an undone trace and out_bytes: after pass two): */
    uint64_t trace_bytes; /* also where the array form ends inside an event */
    uint32_t crc32;
    uint64_t out_bytes, n_restored; /* of an undone trace */
    struct lf_tracks tracks;
    struct lf_splitter found; /* where the events are, whether the array is closed */
    struct lf_bytes gap;      /* the white space before the last event */
    struct lf_cuts cuts;      /* where its chunks began */
    bool exact_times;         /* ts were read as written, to be rebased */
    bool rebase;              /* base_ns is taken off every ts */
    int64_t base_ns;
    bool reads_again; /* pass two is not the last reading */
    /* after the plan: */
    struct lf_layout layout;
    struct lf_edits edits;
    struct lf_bytes added;                  /* metadata events, to stand at found.last_event_end */
    struct lf_bytes base_time;              /* to stand in place of or as baseTimeNanoseconds */
    struct lf_splice splices[LF_N_SPLICES]; /* by offset */
};

/* Reads the trace once: tracks, found, gap. */
enum lanefix_status lf_pass_one(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Solves every row: layout, edits, added; counts. */
enum lanefix_status lf_plan(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Reads the trace again, hands what changes to the report and, where there is a sink, writes all.
 */
enum lanefix_status lf_pass_two(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Whether what is written differs from the input. */
bool lf_run_changes(const struct lf_run *run);

/* One call's work between the setting up of run (threads, source) and its release. */
typedef enum lanefix_status lf_run_body(struct lf_run *run, const struct lanefix_output *out,
                                        void *arg, struct lanefix_error *err);

/* Checks options (NULL: the defaults), opens in, calls body (which is handed arg) and releases
 * everything; messages get the input's name. out: NULL where nothing is written. On success *report
 * (may be NULL) gets the report that body made. */
enum lanefix_status lf_run(lf_run_body *body, void *arg, const struct lanefix_input *in,
                           const struct lanefix_output *out, const struct lanefix_options *options,
                           struct lanefix_report **report, struct lanefix_error *err) LF_MUST_USE;

/* LANEFIX_ERR_MEMORY where the run holds more memory, or would with nbytes more, than the caller
 * allows. */
enum lanefix_status lf_run_memory(const struct lf_run *run, uint64_t nbytes,
                                  struct lanefix_error *err) LF_MUST_USE;

/* Opens what writes to out. */
enum lanefix_status lf_run_open_sink(struct lf_run *run, const struct lanefix_output *out,
                                     struct lanefix_error *err) LF_MUST_USE;

/* Where and how rebasing is to be told; after pass one (run->exact_times). */
enum lanefix_status lf_rebase_prepare(struct lf_run *run, struct lanefix_error *err) LF_MUST_USE;

/* Tells the caller how far the pass is; LANEFIX_ERR_CANCELLED where it wants to stop. */
enum lanefix_status lf_run_progress(const struct lf_run *run, int pass, uint64_t trace_bytes,
                                    struct lanefix_error *err) LF_MUST_USE;

#endif
