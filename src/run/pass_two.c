/* Pass two: read (serial), split and patch or undo what has to be (parallel), report and write
 * (serial, in file order).
 *
 * Of a plain file only the neighbourhood of edits is read: what lies between is copied by the
 * kernel (or, where nothing is written, skipped). Where tracks are renamed every event is read. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/checksum.h"
#include "par/pipeline.h"
#include "run/feed.h"
#include "run/patch_chunk.h"
#include "json/indent.h"

/* What is read around an edit, where the rest is copied by the kernel or not looked at: little in a
 * check; where it is written, enough to keep calls few. */
#define NEAR_NBYTES_CHECK ((size_t)8 << 10)
#define NEAR_NBYTES_WRITE ((size_t)256 << 10)

struct item {
    struct lf_chunk_patch patch;
    uint64_t copy_from, copy_to; /* bytes of the input to be copied before the chunk */
    struct lf_bytes indented;    /* what is to be written, where the trace is indented anew */
    struct lf_indenter indenter; /* behind it, of a chunk that begins between two events */
    uint32_t crc32;              /* of what is written of the chunk */
};

struct pass {
    struct lf_run *run;
    struct lf_chunk_patcher patcher;
    struct lf_feed feed;
    struct lf_indenter indenter; /* behind what is written so far */
    struct lf_bytes gap;         /* white space between two chunks */
    uint64_t size;               /* of a plain file */
    size_t next_edit;            /* the first edit not before the feed */
    bool may_jump;               /* plain in and out, and only the edits change */
    bool tail_copied;
};

/* Where the next change is to be made from offset from on; UINT64_MAX: there is none. */
static uint64_t next_change(struct pass *pass, uint64_t from)
{
    const struct lf_run *run = pass->run;
    uint64_t next = UINT64_MAX;

    while (pass->next_edit < run->edits.n && run->edits.list[pass->next_edit].off < from) {
        pass->next_edit++;
    }
    if (pass->next_edit < run->edits.n) {
        next = run->edits.list[pass->next_edit].off;
    }
    /* The last event is shown, so that what is added behind it can be. */
    if (run->added.n != 0 && run->found.last_event_off >= from &&
        run->found.last_event_off < next) {
        next = run->found.last_event_off;
    }
    return next;
}

/* Of a plain file without renames: jumps over what does not change. */
static void jump(struct pass *pass, struct item *item)
{
    uint64_t from = pass->feed.splitter.off;
    uint64_t next = next_change(pass, from);

    if (next == UINT64_MAX) {
        item->copy_from = from;
        item->copy_to = pass->size;
        pass->tail_copied = true;
    } else if (next - from >= 2 * pass->feed.chunk_nbytes || from == 0) {
        /* a shorter gap is read: that costs less than the calls */
        item->copy_from = from;
        item->copy_to = next;
        lf_feed_seek(&pass->feed, next, pass->run->found.array_form);
    }
}

static enum lanefix_status read_step(void *shared, void *work, bool *stop,
                                     struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct item *item = work;

    LF_TRY(lf_run_progress(pass->run, 2, pass->feed.pos, err));
    item->copy_from = item->copy_to = 0;
    item->patch.chunk.n = 0;
    item->patch.chunk.batch.n_events = 0;
    if (pass->tail_copied) {
        *stop = true;
        return LANEFIX_OK;
    }
    if (pass->may_jump && !pass->feed.finished) {
        jump(pass, item);
        if (pass->tail_copied) {
            return LANEFIX_OK;
        }
    }
    LF_TRY(lf_feed_next(&pass->feed, &item->patch.chunk, stop, err));
    if (item->patch.chunk.fault != LANEFIX_OK) {
        return lf_fail_changed(item->patch.chunk.fault_err.offset, err);
    }
    return LANEFIX_OK;
}

/* What begins between two events can be indented before it is known what stands before. */
static enum lanefix_status indent_chunk(const struct pass *pass, struct item *item,
                                        struct lanefix_error *err)
{
    size_t n;
    const uint8_t *text = lf_chunk_patch_content(&item->patch, &n);

    item->indented.n = 0;
    if (pass->run->options->indent < 0 || !item->patch.chunk.in_events || pass->run->sink == NULL) {
        return LANEFIX_OK;
    }
    lf_indenter_resume(&item->indenter, (unsigned)pass->run->options->indent,
                       pass->run->found.array_form ? 1 : 2);
    return lf_indent(&item->indenter, text, n, &item->indented, err);
}

static enum lanefix_status patch_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    const struct pass *pass = shared;
    struct item *item = work;

    (void)stop;
    LF_TRY(lf_patch_chunk(&pass->patcher, &item->patch, err));
    if (pass->run->undo != NULL) {
        size_t n;
        const uint8_t *text = lf_chunk_patch_content(&item->patch, &n);

        item->crc32 = lf_crc32(0, text, n);
    }
    return indent_chunk(pass, item, err);
}

static enum lanefix_status write_indented(struct pass *pass, struct item *item,
                                          struct lanefix_error *err)
{
    size_t n;
    const uint8_t *text = lf_chunk_patch_content(&item->patch, &n);

    pass->gap.n = 0;
    if (item->patch.chunk.in_events) {
        LF_TRY(lf_indent_join(&pass->indenter, &item->indenter, &pass->gap, err));
        LF_TRY(lf_sink_write(pass->run->sink, pass->gap.data, pass->gap.n, err));
    } else {
        LF_TRY(lf_indent(&pass->indenter, text, n, &item->indented, err));
    }
    return lf_sink_write(pass->run->sink, item->indented.data, item->indented.n, err);
}

static enum lanefix_status write_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct lf_run *run = pass->run;
    struct item *item = work;
    const uint8_t *text;
    size_t n;

    (void)stop;
    for (size_t i = 0; i < item->patch.n_changes; i++) {
        LF_TRY(lf_report_add_patched(run->report, &item->patch.changes[i], item->patch.chunk.buf,
                                     &run->layout, &run->tracks.names, err));
    }
    if (run->sink == NULL) {
        return LANEFIX_OK;
    }
    if (item->copy_to > item->copy_from) {
        LF_TRY(lf_sink_copy(run->sink, pass->feed.plain_fd, item->copy_from,
                            item->copy_to - item->copy_from, lf_source_name(run->source), err));
    }
    text = lf_chunk_patch_content(&item->patch, &n);
    if (run->undo != NULL) {
        run->crc32 = lf_crc32_join(run->crc32, item->crc32, n);
        run->out_bytes += n;
        run->n_restored += item->patch.n_restored;
    }
    LF_TRY(run->options->indent >= 0 ? write_indented(pass, item, err)
                                     : lf_sink_write(run->sink, text, n, err));
    if (!run->reads_again && item->patch.chunk.n != 0) {
        lf_source_release(run->source, item->patch.chunk.off + item->patch.chunk.n);
    }
    return LANEFIX_OK;
}

static const struct lf_step steps[] = {{read_step, true}, {patch_step, false}, {write_step, true}};

enum lanefix_status lf_pass_two(struct lf_run *run, struct lanefix_error *err)
{
    struct pass pass = {.run = run};
    struct item *items = NULL;
    void **pointers = NULL;
    enum lanefix_status status = lf_source_rewind(run->source, err);

    LF_TRY(status);
    lf_feed_init(&pass.feed, run->source);
    lf_chunk_patcher_init(&pass.patcher, run);
    run->crc32 = 0;
    lf_indenter_init(&pass.indenter, run->options->indent < 0 ? 0 : (unsigned)run->options->indent);
    pass.may_jump = pass.feed.plain_fd >= 0 && !pass.patcher.all_events &&
                    run->options->indent < 0 && (run->sink == NULL || !lf_sink_packs(run->sink));
    if (pass.may_jump) {
        pass.feed.chunk_nbytes = run->sink != NULL ? NEAR_NBYTES_WRITE : NEAR_NBYTES_CHECK;
    } else {
        lf_feed_cut(&pass.feed, &run->cuts);
    }
    pass.size = run->trace_bytes;
    status = lf_alloc_zero(&items, run->threads, sizeof *items, err);
    if (status == LANEFIX_OK) {
        status = lf_alloc(&pointers, run->threads, sizeof *pointers, err);
    }
    for (unsigned i = 0; status == LANEFIX_OK && i < run->threads; i++) {
        pointers[i] = &items[i];
        status = lf_chunk_patch_init(&items[i].patch, &pass.patcher, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(steps, sizeof steps / sizeof steps[0], pointers, run->threads,
                                 run->threads, &pass, err);
    }
    for (unsigned i = 0; items != NULL && i < run->threads; i++) {
        lf_chunk_patch_fini(&items[i].patch);
        lf_bytes_fini(&items[i].indented);
    }
    free(items);
    free(pointers);
    lf_bytes_fini(&pass.gap);
    lf_feed_fini(&pass.feed);
    return status;
}
