/* Pass two: cut (serial; it reads what can only be read in order), read, split and patch or undo
 * what has to be (parallel), report and write (serial, in file order).
 *
 * Of a plain file only chunks that change are read; where the output is a file too, the kernel
 * copies the others, and where nothing is written, only the events that change are read. Where
 * tracks are renamed every event is read.
 *
 * Writing is one step in order: pieces written at their places by several threads wait for the
 * file's lock in the kernel, and spin there. */
#include "run/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/checksum.h"
#include "par/pipeline.h"
#include "run/feed.h"
#include "run/patch_chunk.h"
#include "json/indent.h"

struct item {
    struct lf_chunk_patch patch;
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
};

static enum lanefix_status cut_step(void *shared, void *work, bool *stop, struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct item *item = work;

    LF_TRY(lf_run_progress(pass->run, 2, pass->feed.pos, err));
    return lf_feed_read(&pass->feed, &item->patch.chunk, stop, err);
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

static enum lanefix_status report_step(void *shared, void *work, bool *stop,
                                       struct lanefix_error *err)
{
    struct pass *pass = shared;
    struct lf_run *run = pass->run;
    struct item *item = work;

    (void)stop;
    for (size_t i = 0; i < item->patch.n_changes; i++) {
        LF_TRY(lf_report_add_patched(run->report, &item->patch.changes[i], item->patch.chunk.buf,
                                     &run->layout, &run->tracks.names, err));
    }
    return LANEFIX_OK;
}

static enum lanefix_status write_content(struct pass *pass, struct item *item,
                                         struct lanefix_error *err)
{
    struct lf_run *run = pass->run;
    const struct lf_chunk *chunk = &item->patch.chunk;
    size_t n;
    const uint8_t *text = lf_chunk_patch_content(&item->patch, &n);

    if (run->undo != NULL) {
        run->crc32 = lf_crc32_join(run->crc32, item->crc32, n);
        run->out_bytes += n;
        run->n_restored += item->patch.n_restored;
    }
    if (chunk->unread != NULL) {
        return lf_sink_copy(run->sink, lf_source_plain_fd(run->source), chunk->off, n,
                            lf_source_name(run->source), err);
    }
    return run->options->indent >= 0 ? write_indented(pass, item, err)
                                     : lf_sink_write(run->sink, text, n, err);
}

static enum lanefix_status write_step(void *shared, void *work, bool *stop,
                                      struct lanefix_error *err)
{
    LF_TRY(report_step(shared, work, stop, err));
    return write_content(shared, work, err);
}

/* What was read is not read again: its room serves for what is written. */
static enum lanefix_status release_step(void *shared, void *work, bool *stop,
                                        struct lanefix_error *err)
{
    const struct pass *pass = shared;
    const struct item *item = work;
    const struct lf_chunk *chunk = &item->patch.chunk;

    (void)stop;
    (void)err;
    if (!pass->run->reads_again && lf_source_releases(pass->run->source)) {
        assert(chunk->unread == NULL); /* nor was one before it */
        lf_source_release(pass->run->source, chunk->off + chunk->n);
    }
    return LANEFIX_OK;
}

static const struct lf_step look_steps[] = {
    {cut_step, true}, {patch_step, false}, {report_step, true}};
static const struct lf_step write_steps[] = {
    {cut_step, true}, {patch_step, false}, {release_step, true}, {write_step, true}};

enum lanefix_status lf_pass_two(struct lf_run *run, struct lanefix_error *err)
{
    struct pass pass = {.run = run};
    const struct lf_step *steps = run->sink == NULL ? look_steps : write_steps;
    size_t n_steps =
        run->sink == NULL ? sizeof look_steps / sizeof *steps : sizeof write_steps / sizeof *steps;
    /* more than threads, so that what waits to be written keeps none from going on */
    unsigned n_items = run->threads > 1 ? run->threads + 2 : 1;
    struct item *items = NULL;
    void **pointers = NULL;
    enum lanefix_status status = lf_source_rewind(run->source, err);

    LF_TRY(status);
    lf_feed_init(&pass.feed, run->source);
    lf_feed_cut(&pass.feed, &run->cuts);
    lf_chunk_patcher_init(&pass.patcher, run);
    run->crc32 = 0;
    lf_indenter_init(&pass.indenter, run->options->indent < 0 ? 0 : (unsigned)run->options->indent);
    status = lf_alloc_zero(&items, n_items, sizeof *items, err);
    if (status == LANEFIX_OK) {
        status = lf_alloc(&pointers, n_items, sizeof *pointers, err);
    }
    for (unsigned i = 0; status == LANEFIX_OK && i < n_items; i++) {
        pointers[i] = &items[i];
        status = lf_chunk_patch_init(&items[i].patch, &pass.patcher, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(steps, n_steps, pointers, n_items, run->threads, &pass, err);
    }
    for (unsigned i = 0; items != NULL && i < n_items; i++) {
        lf_chunk_patch_fini(&items[i].patch);
        lf_bytes_fini(&items[i].indented);
    }
    free(items);
    free(pointers);
    lf_bytes_fini(&pass.gap);
    lf_feed_fini(&pass.feed);
    return status;
}
