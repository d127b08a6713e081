/* One chunk of pass two: its events patched or undone, and what is put in outside the events. Any
 * number of chunks at the same time. */
#ifndef LF_RUN_PATCH_CHUNK_H
#define LF_RUN_PATCH_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "rewrite/patch.h"
#include "run/feed.h"
#include "run/run.h"

/* What all chunks share. */
struct lf_chunk_patcher {
    const struct lf_run *run;
    struct lf_patcher patcher;
    bool all_events; /* all are written anew or may be, not only those with edits */
    bool loads_all;  /* what is written of a chunk is written from memory */
};

/* A chunk and what becomes of it; all but the chunk and the readers is made anew for each. */
struct lf_chunk_patch {
    struct lf_chunk chunk;
    struct lf_event_reader reader;
    struct lf_note_reader notes;
    struct lf_patch_room room;
    struct lf_bytes event; /* one event, patched */
    struct lf_bytes out;   /* the chunk, patched */
    bool patched;          /* out is to be written, not the chunk's own bytes */
    uint32_t written;      /* bytes of the chunk that out stands for so far */
    size_t splice;         /* the first splice that is not done */
    uint64_t n_restored;
    struct lf_patched *changes;
    size_t n_changes, cap_changes;
};

/* After the plan. */
void lf_chunk_patcher_init(struct lf_chunk_patcher *p, const struct lf_run *run);

/* Zero-initialise; release with lf_chunk_patch_fini, also after a failure. */
enum lanefix_status lf_chunk_patch_init(struct lf_chunk_patch *c, const struct lf_chunk_patcher *p,
                                        struct lanefix_error *err) LF_MUST_USE;
void lf_chunk_patch_fini(struct lf_chunk_patch *c);

/* Patches c->chunk. */
enum lanefix_status lf_patch_chunk(const struct lf_chunk_patcher *p, struct lf_chunk_patch *c,
                                   struct lanefix_error *err) LF_MUST_USE;

/* The chunk's bytes as they are to be written. */
const uint8_t *lf_chunk_patch_content(const struct lf_chunk_patch *c, size_t *n);

#endif
