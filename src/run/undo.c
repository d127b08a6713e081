/* Undoing a whole trace: pass one finds what lanefix added, pass two writes the events as they
 * were; the checksum tells whether that is the original. */
#include <string.h>

#include "run/run.h"

#define BASE_TIME_NAME "\"baseTimeNanoseconds\":"

static enum lanefix_status edited(struct lanefix_error *err)
{
    return lf_fail(err, LANEFIX_ERR_INPUT, LANEFIX_NO_OFFSET,
                   "undone, it is not what it was: the trace was edited since it was fixed");
}

static enum lanefix_status list_splices(struct lf_run *run, struct lanefix_error *err)
{
    static const struct lf_bytes nothing = {"", 0, 0};
    const struct lf_undo *undo = run->undo;
    const struct lf_splitter *found = &run->found;
    struct lf_splice base = {0, 0, NULL};
    struct lf_splice added = {undo->added_off, undo->added_end - undo->added_off, &nothing};

    if (undo->base_time_put && found->base_time_off == LANEFIX_NO_OFFSET) {
        return edited(err);
    }
    if (undo->base_time_put && undo->base_time.n != 0) {
        base = (struct lf_splice){found->base_time_off, found->base_time_end - found->base_time_off,
                                  &undo->base_time};
    } else if (undo->base_time_put) {
        if (found->base_time_off != found->object_off + sizeof BASE_TIME_NAME) {
            return edited(err);
        }
        base = (struct lf_splice){found->object_off + 1,
                                  found->base_time_end + 1 - (found->object_off + 1), &nothing};
    }
    run->splices[0] = base.off < added.off ? base : added;
    run->splices[1] = base.off < added.off ? added : base;
    return LANEFIX_OK;
}

static enum lanefix_status undo(struct lf_run *run, const struct lanefix_output *out,
                                struct lanefix_error *err)
{
    if (run->options->indent >= 0) {
        return lf_fail(err, LANEFIX_ERR_ARGUMENT, LANEFIX_NO_OFFSET,
                       "undoing gives back the white space that was there: expected no indent");
    }
    LF_TRY(lf_pass_one(run, err));
    LF_TRY(lf_undo_prepare(run->undo, run->tracks.n_tracks, run->found.last_event_end, err));
    LF_TRY(list_splices(run, err));
    LF_TRY(lf_run_progress(run, 2, 0, err));
    LF_TRY(lf_run_open_sink(run, out, err));
    LF_TRY(lf_pass_two(run, err));
    if (run->out_bytes != run->undo->trace_bytes || run->crc32 != run->undo->crc32) {
        return edited(err);
    }
    LF_TRY(lf_source_check_unchanged(run->source, err));
    return lf_sink_commit(run->sink, err);
}

static enum lanefix_status undo_body(struct lf_run *run, const struct lanefix_output *out,
                                     void *arg, struct lanefix_error *err)
{
    uint64_t *restored = arg;
    struct lf_undo record;
    enum lanefix_status status;

    lf_undo_init(&record, run->seed);
    run->undo = &record;
    status = undo(run, out, err);
    run->undo = NULL;
    lf_undo_fini(&record);
    if (status == LANEFIX_OK && restored != NULL) {
        *restored = run->n_restored;
    }
    return status;
}

enum lanefix_status lanefix_undo(const struct lanefix_input *in, const struct lanefix_output *out,
                                 const struct lanefix_options *options, uint64_t *restored,
                                 struct lanefix_error *err)
{
    return lf_run(undo_body, restored, in, out, options, NULL, err);
}
