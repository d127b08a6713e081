/* What lies between two changes is copied in one piece; a chunk without any is not copied. */
#include "run/patch_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define FEW_NBYTES 8192 /* bytes an edit from which on only edited events are split */
#define SHAPES_MIN 1024 /* edits from which on it pays to learn the layouts of events */

void lf_chunk_patcher_init(struct lf_chunk_patcher *p, const struct lf_run *run)
{
    *p = (struct lf_chunk_patcher){
        .run = run,
        .patcher = {&run->layout, &run->tracks, run->rebase, run->base_ns,
                    run->tracks.decimals > 0 ? 3 : 0},
    };
    if (run->sink != NULL) {
        p->all_events = run->layout.renames != NULL || run->rebase || run->undo != NULL;
        p->loads_all = p->all_events || run->options->indent >= 0 ||
                       lf_source_releases(run->source) || !lf_sink_is_file(run->sink);
    }
}

enum lanefix_status lf_chunk_patch_init(struct lf_chunk_patch *c, const struct lf_chunk_patcher *p,
                                        struct lanefix_error *err)
{
    LF_TRY(lf_event_reader_init(&c->reader, p->run->seed,
                                p->all_events || p->run->edits.n >= SHAPES_MIN, p->run->exact_times,
                                err));
    return lf_note_reader_init(&c->notes, err);
}

void lf_chunk_patch_fini(struct lf_chunk_patch *c)
{
    lf_chunk_fini(&c->chunk);
    lf_event_reader_fini(&c->reader);
    lf_note_reader_fini(&c->notes);
    lf_bytes_fini(&c->out);
    lf_bytes_fini(&c->event);
    lf_patch_room_fini(&c->room);
    free(c->changes);
}

/* Copies the chunk's bytes up to end, putting in what stands outside the events on the way. What is
 * put in at the end of a chunk belongs to it, not to the next; what it replaces may go on there. */
static enum lanefix_status copy_up_to(const struct lf_chunk_patcher *p, struct lf_chunk_patch *c,
                                      uint32_t end, struct lanefix_error *err)
{
    const struct lf_chunk *chunk = &c->chunk;

    for (; c->splice < LF_N_SPLICES; c->splice++) {
        const struct lf_splice *s = &p->run->splices[c->splice];
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
        LF_TRY(lf_bytes_append(&c->out, chunk->buf + c->written, from - c->written, err));
        if (s->off >= chunk->off) {
            LF_TRY(lf_bytes_append(&c->out, s->text->data, s->text->n, err));
        }
        c->written = to;
        c->patched = true;
    }
    if (end > c->written) {
        LF_TRY(lf_bytes_append(&c->out, chunk->buf + c->written, end - c->written, err));
        c->written = end;
    }
    return LANEFIX_OK;
}

static enum lanefix_status patch_one(const struct lf_chunk_patcher *p, struct lf_chunk_patch *c,
                                     size_t i, const struct lf_edit *edit,
                                     struct lanefix_error *err)
{
    const struct lf_chunk *chunk = &c->chunk;
    const struct lf_split_event *e = &chunk->batch.events[i];
    bool patched = false;

    LF_TRY(lf_event_tokenize(&c->reader, chunk->buf, e, chunk->batch.nested, chunk->off + e->start,
                             err));
    if (edit != NULL) {
        LF_TRY(lf_grow(&c->changes, &c->cap_changes, c->n_changes + 1, sizeof *c->changes, err));
        c->changes[c->n_changes++] =
            lf_patch_describe(&p->patcher, &c->reader, chunk->buf, e, edit);
    }
    if (p->run->sink == NULL) {
        return LANEFIX_OK;
    }
    c->event.n = 0;
    if (p->run->undo != NULL) {
        LF_TRY(lf_undo_event(p->run->undo, &p->run->tracks, &c->reader, &c->notes,
                             chunk->buf + e->start, e->end - e->start, chunk->off + e->start,
                             &c->event, &patched, err));
        c->n_restored += patched;
    } else {
        LF_TRY(lf_patch_event(&p->patcher, &c->reader, p->run->options->annotate ? &c->notes : NULL,
                              chunk->buf, e, edit, &c->room, &c->event, &patched, err));
    }
    if (patched) {
        LF_TRY(copy_up_to(p, c, e->start, err));
        LF_TRY(lf_bytes_append(&c->out, c->event.data, c->event.n, err));
        c->patched = true;
        c->written = e->end;
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

/* Every event of the chunk, with its edit where it has one; k: the first edit. */
static enum lanefix_status patch_all(const struct lf_chunk_patcher *p, struct lf_chunk_patch *c,
                                     size_t k, struct lanefix_error *err)
{
    const struct lf_edits *edits = &p->run->edits;
    const struct lf_chunk *chunk = &c->chunk;
    const struct lf_split_batch *batch = &chunk->batch;

    LF_TRY(lf_chunk_split(&c->chunk, err));
    for (size_t i = 0; i < batch->n_events; i++) {
        const struct lf_edit *edit = NULL;

        if (k < edits->n && edits->list[k].off == chunk->off + batch->events[i].start) {
            edit = &edits->list[k++];
        }
        LF_TRY(patch_one(p, c, i, edit, err));
    }
    return k < edits->n && edits->list[k].off < chunk->off + chunk->n
               ? lf_fail_changed(edits->list[k].off, err)
               : LANEFIX_OK;
}

/* The events that have edits, [k, end). Where these are few the others are not even split. */
static enum lanefix_status patch_edited(const struct lf_chunk_patcher *p, struct lf_chunk_patch *c,
                                        size_t k, size_t end, struct lanefix_error *err)
{
    const struct lf_edits *edits = &p->run->edits;
    struct lf_chunk *chunk = &c->chunk;
    bool few = (end - k) * FEW_NBYTES <= chunk->n;
    size_t at = 0;

    if (k < end && !few) {
        LF_TRY(lf_chunk_split(chunk, err));
    }
    for (; k < end; k++) {
        uint64_t start = edits->list[k].off - chunk->off;

        if (few) {
            LF_TRY(lf_chunk_split_event(chunk, (uint32_t)start, err));
        }
        at = find_event(&chunk->batch, start, few ? 0 : at);
        if (at == chunk->batch.n_events) {
            return lf_fail_changed(edits->list[k].off, err);
        }
        LF_TRY(patch_one(p, c, at, &edits->list[k], err));
    }
    return LANEFIX_OK;
}

/* Whether something outside the events is put in or replaced in the chunk. */
static bool splice_in(const struct lf_chunk_patcher *p, const struct lf_chunk *chunk)
{
    for (size_t i = 0; i < LF_N_SPLICES; i++) {
        const struct lf_splice *s = &p->run->splices[i];

        if (s->text != NULL && s->off + s->n_old > chunk->off && s->off <= chunk->off + chunk->n) {
            return true;
        }
    }
    return false;
}

enum lanefix_status lf_patch_chunk(const struct lf_chunk_patcher *p, struct lf_chunk_patch *c,
                                   struct lanefix_error *err)
{
    const struct lf_edits *edits = &p->run->edits;
    const struct lf_sink *sink = p->run->sink;
    struct lf_chunk *chunk = &c->chunk;
    size_t k = lf_edits_before(edits, chunk->off);
    size_t end = lf_edits_before(edits, chunk->off + chunk->n);
    bool splices = splice_in(p, chunk);

    c->out.n = 0;
    c->n_changes = 0;
    c->n_restored = 0;
    c->splice = 0;
    c->written = 0;
    c->patched = false;
    if (p->loads_all || (sink != NULL && (k < end || splices))) {
        LF_TRY(lf_chunk_load(chunk, err));
    }
    LF_TRY(p->all_events ? patch_all(p, c, k, err) : patch_edited(p, c, k, end, err));
    return sink != NULL && (c->patched || splices) ? copy_up_to(p, c, (uint32_t)chunk->n, err)
                                                   : LANEFIX_OK;
}

const uint8_t *lf_chunk_patch_content(const struct lf_chunk_patch *c, size_t *n)
{
    *n = c->patched ? c->out.n : c->chunk.n;
    return c->patched ? (const uint8_t *)c->out.data : c->chunk.buf;
}
