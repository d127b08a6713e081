/* Pass two: read and split (serial), patch or undo (parallel), report and write (serial, in file
 * order).
 *
 * Of a plain file only the neighbourhood of edits is read: what lies between is copied by the
 * kernel (or, where nothing is written, skipped). Where tracks are renamed every event is read. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/checksum.h"
#include "json/indent.h"
#include "par/pipeline.h"
#include "rewrite/patch.h"
#include "run/feed.h"

/* What is read around an edit, where the rest is copied by the kernel or not looked at: little in a
 * check; where it is written, enough to keep calls few. */
#define NEAR_NBYTES_CHECK ((size_t)8 << 10)
#define NEAR_NBYTES_WRITE ((size_t)256 << 10)

#define SHAPES_MIN 1024 /* edits from which on it pays to learn the layouts of events */

struct item {
    struct lf_chunk chunk;
    struct lf_event_reader reader;
    struct lf_note_reader notes;
    uint64_t copy_from, copy_to; /* bytes of the input to be copied before the chunk */
    struct lf_bytes out;         /* the chunk, patched */
    struct lf_bytes event;       /* one event, patched */
    bool patched;                /* out is to be written, not the chunk's own bytes */
    uint32_t written;            /* bytes of the chunk that out stands for so far */
    size_t splice;               /* the first splice that is not done */
    struct lf_bytes indented;    /* what is to be written, where the trace is indented anew */
    struct lf_indenter indenter; /* behind it, of a chunk that begins between two events */
    uint32_t crc32;              /* of what is written of the chunk */
    uint64_t n_restored;
    struct lf_patched *changes;
    size_t n_changes, cap_changes;
};

struct pass {
    struct lf_run *run;
    struct lf_patcher patcher;
    bool all_events; /* every event is looked at, not only those with edits */
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
    item->chunk.n = 0;
    item->chunk.batch.n_events = 0;
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
    LF_TRY(lf_feed_next(&pass->feed, &item->chunk, stop, err));
    if (item->chunk.fault != LANEFIX_OK) {
        return lf_fail(err, LANEFIX_ERR_IO, item->chunk.fault_err.offset,
                       "the input was changed while it was read");
    }
    return LANEFIX_OK;
}

/* Copies the chunk's bytes up to end, putting in what stands outside the events on the way. What is
 * put in at the end of a chunk belongs to it, not to the next; what it replaces may go on there. */
static enum lanefix_status copy_up_to(const struct pass *pass, struct item *item, uint32_t end,
                                      struct lanefix_error *err)
{
    const struct lf_chunk *chunk = &item->chunk;

    for (; item->splice < LF_N_SPLICES; item->splice++) {
        const struct lf_splice *s = &pass->run->splices[item->splice];
        uint64_t stop = s->off + s->n_old;
        uint32_t from, to;

        if (s->text == NULL || stop <= chunk->off) {
            continue;
        }
        if (s->off > chunk->off + end || (s->n_old != 0 && s->off == chunk->off + chunk->n)) {
            break;
        }
        from = s->off > chunk->off ? (uint32_t)(s->off - chunk->off) : 0;
        to = stop < chunk->off + chunk->n ? (uint32_t)(stop - chunk->off) : (uint32_t)chunk->n;
        LF_TRY(lf_bytes_append(&item->out, chunk->buf + item->written, from - item->written, err));
        if (s->off >= chunk->off) {
            LF_TRY(lf_bytes_append(&item->out, s->text->data, s->text->n, err));
        }
        item->written = to;
        item->patched = true;
    }
    if (end > item->written) {
        LF_TRY(lf_bytes_append(&item->out, chunk->buf + item->written, end - item->written, err));
        item->written = end;
    }
    return LANEFIX_OK;
}

static enum lanefix_status patch_one(const struct pass *pass, struct item *item, size_t i,
                                     const struct lf_edit *edit, struct lanefix_error *err)
{
    const struct lf_chunk *chunk = &item->chunk;
    const struct lf_split_event *e = &chunk->batch.events[i];
    bool patched = false;

    LF_TRY(lf_event_tokenize(&item->reader, chunk->buf, e, chunk->batch.nested,
                             chunk->off + e->start, err));
    LF_TRY(lf_grow(&item->changes, &item->cap_changes, item->n_changes + 1, sizeof *item->changes,
                   err));
    item->event.n = 0;
    if (pass->run->undo != NULL) {
        LF_TRY(lf_undo_event(pass->run->undo, &pass->run->tracks, &item->reader, &item->notes,
                             chunk->buf + e->start, e->end - e->start, chunk->off + e->start,
                             &item->event, &patched, err));
        item->n_restored += patched;
    } else {
        LF_TRY(lf_patch_event(&pass->patcher, &item->reader,
                              pass->run->options->annotate ? &item->notes : NULL, chunk->buf, e,
                              edit, &item->event, &patched, &item->changes[item->n_changes], err));
        item->n_changes += edit != NULL;
    }
    if (patched) {
        LF_TRY(copy_up_to(pass, item, e->start, err));
        LF_TRY(lf_bytes_append(&item->out, item->event.data, item->event.n, err));
        item->patched = true;
        item->written = e->end;
    }
    return LANEFIX_OK;
}

/* The event of the chunk that starts at window offset start, n_events where none does. */
static size_t find_event(const struct lf_split_batch *batch, uint64_t start, size_t from)
{
    size_t low = from;
    size_t high = batch->n_events;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (batch->events[middle].start < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < batch->n_events && batch->events[low].start == start ? low : batch->n_events;
}

static enum lanefix_status patch_events(const struct pass *pass, struct item *item,
                                        struct lanefix_error *err)
{
    const struct lf_edits *edits = &pass->run->edits;
    const struct lf_chunk *chunk = &item->chunk;
    const struct lf_split_batch *batch = &chunk->batch;
    size_t k = lf_edits_before(edits, chunk->off);
    size_t at = 0;

    for (size_t i = 0; pass->all_events && i < batch->n_events; i++) {
        const struct lf_edit *edit = NULL;

        if (k < edits->n && edits->list[k].off == chunk->off + batch->events[i].start) {
            edit = &edits->list[k++];
        }
        LF_TRY(patch_one(pass, item, i, edit, err));
    }
    for (; k < edits->n && edits->list[k].off < chunk->off + chunk->n; k++) {
        at = find_event(batch, edits->list[k].off - chunk->off, at);
        if (at == batch->n_events) {
            return lf_fail(err, LANEFIX_ERR_IO, edits->list[k].off,
                           "the input was changed while it was read");
        }
        LF_TRY(patch_one(pass, item, at, &edits->list[k], err));
    }
    return LANEFIX_OK;
}

/* Whether something outside the events is put in or replaced in the chunk. */
static bool splice_in(const struct pass *pass, const struct lf_chunk *chunk)
{
    for (size_t i = 0; i < LF_N_SPLICES; i++) {
        const struct lf_splice *s = &pass->run->splices[i];

        if (s->text != NULL && s->off + s->n_old > chunk->off && s->off <= chunk->off + chunk->n) {
            return true;
        }
    }
    return false;
}

/* The item's bytes as they are to be written. */
static const uint8_t *content(const struct item *item, size_t *n)
{
    *n = item->patched ? item->out.n : item->chunk.n;
    return item->patched ? (const uint8_t *)item->out.data : item->chunk.buf;
}

/* What begins between two events can be indented before it is known what stands before. */
static enum lanefix_status indent_chunk(const struct pass *pass, struct item *item,
                                        struct lanefix_error *err)
{
    size_t n;
    const uint8_t *text = content(item, &n);

    item->indented.n = 0;
    if (pass->run->options->indent < 0 || !item->chunk.in_events || pass->run->sink == NULL) {
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
    item->out.n = 0;
    item->n_changes = 0;
    item->n_restored = 0;
    item->splice = 0;
    item->written = 0;
    item->patched = false;
    LF_TRY(patch_events(pass, item, err));
    if (item->patched || splice_in(pass, &item->chunk)) {
        LF_TRY(copy_up_to(pass, item, (uint32_t)item->chunk.n, err));
    }
    if (pass->run->undo != NULL) {
        size_t n;
        const uint8_t *text = content(item, &n);

        item->crc32 = lf_crc32(0, text, n);
    }
    return indent_chunk(pass, item, err);
}

static enum lanefix_status write_indented(struct pass *pass, struct item *item,
                                          struct lanefix_error *err)
{
    size_t n;
    const uint8_t *text = content(item, &n);

    pass->gap.n = 0;
    if (item->chunk.in_events) {
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
    for (size_t i = 0; i < item->n_changes; i++) {
        LF_TRY(lf_report_add_patched(run->report, &item->changes[i], item->chunk.buf, &run->layout,
                                     &run->tracks.names, err));
    }
    if (run->sink == NULL) {
        return LANEFIX_OK;
    }
    if (item->copy_to > item->copy_from) {
        LF_TRY(lf_sink_copy(run->sink, pass->feed.plain_fd, item->copy_from,
                            item->copy_to - item->copy_from, lf_source_name(run->source), err));
    }
    text = content(item, &n);
    if (run->undo != NULL) {
        run->crc32 = lf_crc32_join(run->crc32, item->crc32, n);
        run->out_bytes += n;
        run->n_restored += item->n_restored;
    }
    return run->options->indent >= 0 ? write_indented(pass, item, err)
                                     : lf_sink_write(run->sink, text, n, err);
}

static const struct lf_step steps[] = {{read_step, true}, {patch_step, false}, {write_step, true}};

static void item_fini(struct item *item)
{
    lf_chunk_fini(&item->chunk);
    lf_event_reader_fini(&item->reader);
    lf_note_reader_fini(&item->notes);
    lf_bytes_fini(&item->out);
    lf_bytes_fini(&item->event);
    lf_bytes_fini(&item->indented);
    free(item->changes);
}

enum lanefix_status lf_pass_two(struct lf_run *run, struct lanefix_error *err)
{
    struct pass pass = {.run = run};
    struct item *items = NULL;
    void **pointers = NULL;
    enum lanefix_status status = lf_source_rewind(run->source, err);

    LF_TRY(status);
    lf_feed_init(&pass.feed, run->source);
    pass.patcher = (struct lf_patcher){&run->layout, &run->tracks, run->rebase, run->base_ns,
                                       run->tracks.decimals > 0 ? 3 : 0};
    pass.all_events = run->layout.renames != NULL || run->rebase || run->undo != NULL;
    run->crc32 = 0;
    lf_indenter_init(&pass.indenter, run->options->indent < 0 ? 0 : (unsigned)run->options->indent);
    pass.may_jump = pass.feed.plain_fd >= 0 && !pass.all_events && run->options->indent < 0 &&
                    (run->sink == NULL || !lf_sink_packs(run->sink));
    if (pass.may_jump) {
        pass.feed.chunk_nbytes = run->sink != NULL ? NEAR_NBYTES_WRITE : NEAR_NBYTES_CHECK;
    }
    pass.size = run->trace_bytes;
    status = lf_alloc_zero(&items, run->threads, sizeof *items, err);
    if (status == LANEFIX_OK) {
        status = lf_alloc(&pointers, run->threads, sizeof *pointers, err);
    }
    for (unsigned i = 0; status == LANEFIX_OK && i < run->threads; i++) {
        pointers[i] = &items[i];
        status = lf_event_reader_init(&items[i].reader, run->seed,
                                      pass.all_events || run->edits.n >= SHAPES_MIN,
                                      run->exact_times, err);
        if (status == LANEFIX_OK) {
            status = lf_note_reader_init(&items[i].notes, err);
        }
    }
    if (status == LANEFIX_OK) {
        status = lf_pipeline_run(steps, sizeof steps / sizeof steps[0], pointers, run->threads,
                                 run->threads, &pass, err);
    }
    for (unsigned i = 0; items != NULL && i < run->threads; i++) {
        item_fini(&items[i]);
    }
    free(items);
    free(pointers);
    lf_bytes_fini(&pass.gap);
    lf_feed_fini(&pass.feed);
    return status;
}
