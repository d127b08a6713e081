/* The public calls: options checked, source and sink opened, the two passes joined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "par/pipeline.h"
#include "run/run.h"

const char *lanefix_version(void)
{
    return LANEFIX_VERSION_STRING;
}

void lanefix_options_init(struct lanefix_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->snap_threshold_ns = 5000;
    options->max_lanes = 64;
    options->unfold = 1;
    options->annotate = 1;
    options->indent = -1;
    options->spool_memory = UINT64_C(8) << 20;
    options->window_log_max = 27;
    options->max_changes = SIZE_MAX;
}

static enum lanefix_status check_options(const struct lanefix_options *o, struct lanefix_error *err)
{
    if (o->struct_size != sizeof *o) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "options of size %zu: expected %zu, as lanefix_options_init sets it",
                       o->struct_size, sizeof *o);
    }
    if (o->snap_threshold_ns < 0) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "snap threshold of %lld ns: expected 0 or more",
                       (long long)o->snap_threshold_ns);
    }
    if ((unsigned)o->rebase > LANEFIX_REBASE_ALWAYS) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "rebase mode %d: expected never, auto or always", (int)o->rebase);
    }
    if (o->indent < -1 || o->indent > 16) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "indent of %d: expected 0 to 16, or -1 for none", o->indent);
    }
    if (o->window_log_max < 10 || o->window_log_max > 31) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "zstd window of 2^%d bytes: expected 2^10 to 2^31", o->window_log_max);
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_run_progress(const struct lf_run *run, int pass, uint64_t trace_bytes,
                                    struct lanefix_error *err)
{
    struct lanefix_progress p = {pass, lf_source_packed_pos(run->source),
                                 lf_source_packed_size(run->source), trace_bytes};

    if (run->options->progress != NULL &&
        run->options->progress(run->options->progress_arg, &p) != 0) {
        return lf_fail(err, LANEFIX_ERR_CANCELLED, LANEFIX_NO_OFFSET, "cancelled");
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_run_memory(const struct lf_run *run, uint64_t nbytes,
                                  struct lanefix_error *err)
{
    uint64_t max = run->options->max_memory;
    uint64_t held = max != 0 ? lf_memory_resident() : 0;

    held = held > run->resident ? held - run->resident : 0;
    if (max != 0 && (held > max || nbytes > max - held)) {
        return lf_fail(
            err, LANEFIX_ERR_MEMORY, LANEFIX_NO_OFFSET,
            "needs %llu MB of memory or more: expected at most %llu MB, the limit that was "
            "set (fewer threads need less)",
            (unsigned long long)((held + nbytes) >> 20), (unsigned long long)(max >> 20));
    }
    return LANEFIX_OK;
}

static const char *name_or(const char *name, const char *path, const char *otherwise)
{
    return name != NULL ? name : path != NULL ? path : otherwise;
}

static enum lanefix_status open_source(struct lf_source **out, const struct lanefix_input *in,
                                       const struct lanefix_options *o, struct lanefix_error *err)
{
    struct lf_source_options options = {in->path,
                                        in->fd,
                                        in->read,
                                        in->read_arg,
                                        name_or(in->name, in->path, "input"),
                                        o->spool_dir,
                                        o->spool_memory,
                                        o->window_log_max};

    return lf_source_open(out, &options, err);
}

/* Puts the input's name before a message about its text. What says no offset of the text is about
 * something else (the output, memory) and names it. */
static void name_input(const struct lf_run *run, struct lanefix_error *err)
{
    char message[sizeof err->message];
    char name[sizeof err->message / 2];
    size_t n;

    if (run->source == NULL ||
        (err->offset == LANEFIX_NO_OFFSET && err->status == LANEFIX_ERR_IO)) {
        return;
    }
    lf_printable(name, sizeof name, lf_source_name(run->source),
                 strlen(lf_source_name(run->source)));
    n = strlen(name);
    if (strncmp(err->message, name, n) == 0) {
        return;
    }
    memcpy(message, err->message, sizeof message);
    memcpy(err->message, name, n + 1);
    if (err->offset != LANEFIX_NO_OFFSET) {
        n += (size_t)snprintf(err->message + n, sizeof err->message - n, ": byte %llu",
                              (unsigned long long)err->offset);
    }
    snprintf(err->message + n, sizeof err->message - n, ": %.*s",
             (int)(sizeof err->message - n - 3), message);
}

static void count(struct lf_run *run)
{
    struct lanefix_counters *c = &run->report->counters;

    c->trace_bytes = run->trace_bytes;
    c->events = run->tracks.n_events;
    c->slices = run->tracks.n_slices;
    c->flow_endpoints = run->tracks.n_flows;
    c->bad_times = run->tracks.n_bad_times;
    c->array_unclosed = run->found.unclosed;
    c->event_cut = run->found.cut_event;
}

bool lf_run_changes(const struct lf_run *run)
{
    return run->edits.n != 0 || run->added.n != 0 || run->layout.renames != NULL || run->rebase ||
           run->options->indent >= 0;
}

static void forget_tracks(struct lf_run *run)
{
    lf_tracks_fini(&run->tracks);
    lf_tracks_init(&run->tracks, run->seed);
    run->gap.n = 0;
}

/* Pass one; where timestamps are to be rebased, with exact times, which may take a second reading.
 */
static enum lanefix_status read_trace(struct lf_run *run, struct lanefix_error *err)
{
    run->exact_times = run->options->rebase == LANEFIX_REBASE_ALWAYS;
    LF_TRY(lf_pass_one(run, err));
    if (run->options->rebase == LANEFIX_REBASE_AUTO && run->tracks.n_rounded != 0) {
        LF_TRY(lf_source_rewind(run->source, err));
        forget_tracks(run);
        run->exact_times = true;
        LF_TRY(lf_pass_one(run, err));
    }
    if (!run->exact_times) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_rebase_prepare(run, err));
    if (!run->rebase) { /* the trace begins in its first second: what Perfetto reads counts */
        LF_TRY(lf_source_rewind(run->source, err));
        forget_tracks(run);
        run->exact_times = false;
        LF_TRY(lf_pass_one(run, err));
    }
    return LANEFIX_OK;
}

static enum lanefix_status plan_rebased(struct lf_run *run, struct lanefix_error *err)
{
    LF_TRY(lf_source_rewind(run->source, err));
    LF_TRY(lf_pass_one(run, err));
    LF_TRY(lf_rebase_prepare(run, err));
    return lf_plan(run, err);
}

static bool counts_rounding(const struct lf_run *run)
{
    return !run->rebase && run->tracks.n_rounded != 0 && run->report->counters.refused != 0;
}

/* Of a trace whose timestamps lose nanoseconds in Perfetto: how many slices would not be refused if
 * they did not. The run is over and its plan is given up; so a failure here only leaves the number
 * out. */
static void count_rounding(struct lf_run *run)
{
    struct lanefix_report *report = run->report;
    struct lanefix_counters *c = &report->counters;
    struct lanefix_error err;

    if (!counts_rounding(run) ||
        lf_report_create(&run->report, 0, run->seed, &err) != LANEFIX_OK) {
        return;
    }
    lf_edits_fini(&run->edits);
    lf_layout_fini(&run->layout);
    run->added.n = 0;
    forget_tracks(run);
    run->exact_times = true;
    if (plan_rebased(run, &err) == LANEFIX_OK && run->rebase &&
        run->report->counters.refused < c->refused) {
        c->rounding_only = c->refused - run->report->counters.refused;
    }
    lanefix_report_destroy(run->report);
    run->report = report;
}

enum lanefix_status lf_run_open_sink(struct lf_run *run, const struct lanefix_output *out,
                                     struct lanefix_error *err)
{
    struct lf_sink_options options = {out->path,
                                      out->fd,
                                      out->write,
                                      out->write_arg,
                                      name_or(out->name, out->path, "output"),
                                      out->form,
                                      out->level == LANEFIX_LEVEL_DEFAULT ? LF_LEVEL_DEFAULT
                                                                          : out->level,
                                      run->threads};

    return lf_sink_open(&run->sink, &options, err);
}

static enum lanefix_form output_form(const struct lanefix_output *out)
{
    if (out->form != LANEFIX_FORM_AUTO) {
        return out->form;
    }
    return out->path != NULL ? lf_form_of_name(out->path) : LANEFIX_FORM_PLAIN;
}

/* Copies the input as it is, compressed or not, where nothing changes and the form stays. */
static enum lanefix_status copy_input(struct lf_run *run, const struct lanefix_output *out,
                                      bool *copied, struct lanefix_error *err)
{
    uint64_t n = 0;
    int fd = lf_source_packed_fd(run->source, &n);

    *copied = false;
    if (lf_run_changes(run) || fd < 0 || output_form(out) != lf_source_form(run->source) ||
        (out->level != LANEFIX_LEVEL_DEFAULT && output_form(out) != LANEFIX_FORM_PLAIN)) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_source_rewind(run->source, err)); /* it is as it was when it was read */
    *copied = true;
    return lf_sink_copy(run->sink, fd, 0, n, lf_source_name(run->source), err);
}

static enum lanefix_status write_output(struct lf_run *run, const struct lanefix_output *out,
                                        struct lanefix_error *err)
{
    bool copied = false;

    /* told before there is a temporary file: from here on a caller that is to end must let us */
    LF_TRY(lf_run_progress(run, 2, 0, err));
    LF_TRY(lf_run_open_sink(run, out, err));
    LF_TRY(copy_input(run, out, &copied, err));
    if (!copied) {
        run->reads_again = counts_rounding(run);
        LF_TRY(lf_pass_two(run, err));
    }
    LF_TRY(lf_source_check_unchanged(run->source, err)); /* also where parts were not read twice */
    return lf_sink_commit(run->sink, err);
}

static enum lanefix_status fix_or_check(struct lf_run *run, const struct lanefix_output *out,
                                        void *arg, struct lanefix_error *err)
{
    (void)arg;
    run->counts_refused = out == NULL;
    run->sums = out != NULL && run->options->annotate;
    LF_TRY(lf_report_create(&run->report, run->options->max_changes, run->seed, err));
    LF_TRY(read_trace(run, err));
    count(run);
    LF_TRY(lf_plan(run, err));
    if (out != NULL) {
        LF_TRY(write_output(run, out, err));
    } else if (run->edits.n != 0) {
        LF_TRY(lf_pass_two(run, err));
    }
    lf_report_finish(run->report);
    count_rounding(run);
    return LANEFIX_OK;
}

static enum lanefix_status set_up(struct lf_run *run, const struct lanefix_input *in,
                                  const struct lanefix_output *out, struct lanefix_error *err)
{
    LF_TRY(check_options(run->options, err));
    if (out != NULL && !run->options->in_place && out->path != NULL &&
        (in->path != NULL || in->read == NULL) && lf_same_file(in->path, in->fd, out->path)) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "%s: input and output are one file", out->path);
    }
    return open_source(&run->source, in, run->options, err);
}

enum lanefix_status lf_run(lf_run_body *body, void *arg, const struct lanefix_input *in,
                           const struct lanefix_output *out, const struct lanefix_options *options,
                           struct lanefix_report **report, struct lanefix_error *err)
{
    struct lanefix_options defaults;
    struct lf_run run = {.seed = lf_hash_seed()};
    enum lanefix_status status;

    lf_error_init(err);
    if (options == NULL) {
        lanefix_options_init(&defaults);
        options = &defaults;
    }
    run.options = options;
    run.resident = options->max_memory != 0 ? lf_memory_resident() : 0;
    run.threads = options->threads != 0 ? options->threads : lf_cpu_count();
    lf_tracks_init(&run.tracks, run.seed);
    status = set_up(&run, in, out, err);
    if (status == LANEFIX_OK) {
        status = body(&run, out, arg, err);
    }
    if (status != LANEFIX_OK) {
        name_input(&run, err);
    } else if (report != NULL) {
        *report = run.report;
        run.report = NULL;
    }
    lanefix_report_destroy(run.report);
    lf_edits_fini(&run.edits);
    lf_layout_fini(&run.layout);
    lf_tracks_fini(&run.tracks);
    lf_bytes_fini(&run.gap);
    lf_cuts_fini(&run.cuts);
    lf_bytes_fini(&run.added);
    lf_bytes_fini(&run.base_time);
    lf_sink_close(run.sink);
    lf_source_close(run.source);
    return status;
}

enum lanefix_status lanefix_fix(const struct lanefix_input *in, const struct lanefix_output *out,
                                const struct lanefix_options *options,
                                struct lanefix_report **report, struct lanefix_error *err)
{
    return lf_run(fix_or_check, NULL, in, out, options, report, err);
}

enum lanefix_status lanefix_fix_file(const char *in_path, const char *out_path,
                                     const struct lanefix_options *options,
                                     struct lanefix_report **report, struct lanefix_error *err)
{
    struct lanefix_input in = {.path = in_path, .fd = -1};
    struct lanefix_output out = {.path = out_path, .fd = -1, .level = LANEFIX_LEVEL_DEFAULT};

    return lf_run(fix_or_check, NULL, &in, &out, options, report, err);
}

enum lanefix_status lanefix_check(const struct lanefix_input *in,
                                  const struct lanefix_options *options,
                                  struct lanefix_report **report, struct lanefix_error *err)
{
    return lf_run(fix_or_check, NULL, in, NULL, options, report, err);
}
