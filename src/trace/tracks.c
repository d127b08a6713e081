/* The track table: open addressing over the tracks in order of their first event. */
#include "trace/tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define LINE_SLOTS 8u

void lf_tracks_init(struct lf_tracks *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->seed = seed;
    t->last = UINT32_MAX;
    t->first_bad_time_off = LANEFIX_NO_OFFSET;
    t->first_ts = INT64_MAX;
    lf_names_init(&t->names, seed);
}

void lf_tracks_fini(struct lf_tracks *t)
{
    for (size_t i = 0; i < t->n_tracks; i++) {
        struct lf_track *track = lf_tracks_at(t, i);

        lf_records_fini(&track->slices);
        if (track->flows != NULL) {
            lf_records_fini(track->flows);
            free(track->flows);
        }
    }
    for (size_t i = 0; i < sizeof t->blocks / sizeof t->blocks[0]; i++) {
        free(t->blocks[i]);
    }
    free(t->abouts);
    free(t->slots);
    lf_names_fini(&t->names);
    memset(t, 0, sizeof *t);
}

/* Where the search for a track begins, modulo the number of slots. Tids that follow one another stand
 * in one line of the cache: all but their lowest bits are hashed. */
static uint32_t track_hash(const struct lf_tracks *t, struct lf_key pid, struct lf_key tid)
{
    uint64_t p = (uint64_t)pid.kind << 32 | pid.value;
    uint64_t q = (uint64_t)tid.kind << 32 | tid.value / LINE_SLOTS;
    uint64_t hash =
        lf_hash_mix(lf_hash_mix(p ^ t->seed, t->seed) ^ q, t->seed ^ 0x2545f4914f6cdd1du);

    return (uint32_t)hash * LINE_SLOTS + tid.value % LINE_SLOTS;
}

/* The slot that holds (pid, tid), or the free one where it would stand. */
static size_t find_slot(const struct lf_tracks *t, uint32_t hash, struct lf_key pid,
                        struct lf_key tid)
{
    size_t at = hash & (t->n_slots - 1);

    for (; t->slots[at].track != 0; at = (at + 1) & (t->n_slots - 1)) {
        const struct lf_track *track = lf_tracks_at(t, t->slots[at].track - 1);

        if (t->slots[at].hash == hash && lf_key_equal(track->pid, pid) &&
            lf_key_equal(track->tid, tid)) {
            break;
        }
    }
    return at;
}

/* Looks at the slots only, not at the tracks: twice as many slots are filled in two runs. */
static enum lanefix_status rehash(struct lf_tracks *t, struct lanefix_error *err)
{
    size_t n_slots = t->n_slots != 0 ? t->n_slots * 2 : 256;
    struct lf_track_slot *slots;

    LF_TRY(lf_alloc_zero(&slots, n_slots, sizeof *slots, err));
    for (size_t i = 0; i < t->n_slots; i++) {
        size_t at = t->slots[i].hash & (n_slots - 1);

        if (t->slots[i].track == 0) {
            continue;
        }
        while (slots[at].track != 0) {
            at = (at + 1) & (n_slots - 1);
        }
        slots[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    return LANEFIX_OK;
}

static enum lanefix_status intern_id(struct lf_tracks *t, const struct lf_id *id,
                                     const uint8_t *event, struct lf_key *key,
                                     struct lanefix_error *err)
{
    key->kind = id->kind;
    key->value = id->kind == LF_ID_NUMBER ? id->number : 0;
    if (id->kind == LF_ID_STRING || id->kind == LF_ID_ODD) {
        LF_TRY(lf_names_intern(&t->names, id->kind, (const char *)event + id->text.start,
                               id->text.end - id->text.start, &key->value, err));
    }
    return LANEFIX_OK;
}

static enum lanefix_status add_track(struct lf_tracks *t, struct lf_key pid, struct lf_key tid,
                                     struct lanefix_error *err)
{
    size_t n = t->n_tracks + (1u << LF_TRACK_BLOCK_BITS);

    if (t->n_tracks >= UINT32_MAX - 2) {
        return lf_fail(err, LANEFIX_ERR_LIMIT, LANEFIX_NO_OFFSET, "more than 2^32 - 3 tracks");
    }
    if ((n & (n - 1)) == 0) { /* a block begins */
        LF_TRY(lf_alloc(&t->blocks[__builtin_ctzll(n) - LF_TRACK_BLOCK_BITS], n,
                        sizeof(struct lf_track), err));
    }
    *lf_tracks_at(t, t->n_tracks++) = (struct lf_track){.pid = pid, .tid = tid};
    return LANEFIX_OK;
}

static enum lanefix_status find_or_add(struct lf_tracks *t, struct lf_key pid, struct lf_key tid,
                                       uint32_t *track, struct lanefix_error *err)
{
    uint32_t hash;
    size_t at;

    if (t->last != UINT32_MAX && lf_key_equal(lf_tracks_at(t, t->last)->pid, pid) &&
        lf_key_equal(lf_tracks_at(t, t->last)->tid, tid)) {
        *track = t->last;
        return LANEFIX_OK;
    }
    if ((t->n_tracks + 1) * 3 > t->n_slots * 2) {
        LF_TRY(rehash(t, err));
    }
    hash = track_hash(t, pid, tid);
    at = find_slot(t, hash, pid, tid);
    if (t->slots[at].track == 0) {
        LF_TRY(add_track(t, pid, tid, err));
        t->slots[at] = (struct lf_track_slot){(uint32_t)t->n_tracks, hash};
    }
    *track = t->last = t->slots[at].track - 1;
    return LANEFIX_OK;
}

static enum lanefix_status add_slice(struct lf_tracks *t, struct lf_track *track,
                                     const struct lf_event *e, uint64_t off,
                                     struct lanefix_error *err)
{
    struct lf_slice s = {.ts = e->ts, .off = off & ((UINT64_C(1) << LF_OFF_BITS) - 1),
                         .kind = e->slice_kind & 3u};

    if (track->slices.n == UINT32_MAX) {
        return lf_fail(err, LANEFIX_ERR_LIMIT, off, "more than 2^32 - 1 slices on one track");
    }

    if (e->slice_kind == LF_SLICE_COMPLETE) {
        s.u.dur = e->u.dur;
        s.annotation = e->is_annotation;
        track->has_complete = true;
        t->n_slices++;
    } else {
        s.u.name_hash = e->u.name_hash;
        track->has_pair = track->has_pair || e->slice_kind != LF_SLICE_INSTANT;
        track->has_fixed = true;
    }
    return lf_records_add_slice(&track->slices, &s, err);
}

static enum lanefix_status add_flow(struct lf_tracks *t, struct lf_track *track,
                                    const struct lf_event *e, uint64_t off,
                                    struct lanefix_error *err)
{
    struct lf_flow f = {.ts = e->ts, .off = off & ((UINT64_C(1) << LF_OFF_BITS) - 1),
                        .kind = e->flow_kind & 3u};

    if (track->flows == NULL) {
        LF_TRY(lf_alloc_zero(&track->flows, 1, sizeof *track->flows, err));
    }
    t->n_flows++;
    return lf_records_add_flow(track->flows, &f, err);
}

static const struct lf_track_about nothing = {.name = LF_NO_NAME};

const struct lf_track_about *lf_track_about(const struct lf_tracks *t, const struct lf_track *track)
{
    return track->about != 0 ? &t->abouts[track->about - 1] : &nothing;
}

/* Of several names of a track the last in time counts, of several sort indices the first; at one
 * time the order of the file decides. */
static enum lanefix_status add_metadata(struct lf_tracks *t, struct lf_track *track,
                                        const struct lf_event *e, const uint8_t *event,
                                        struct lanefix_error *err)
{
    struct lf_track_about *about;

    if (track->about == 0) {
        LF_TRY(lf_grow(&t->abouts, &t->cap_abouts, t->n_abouts + 1, sizeof *t->abouts, err));
        t->abouts[t->n_abouts++] = nothing;
        track->about = (uint32_t)t->n_abouts;
    }
    about = &t->abouts[track->about - 1];
    if (e->type == LF_EVENT_THREAD_NAME && (about->name == LF_NO_NAME || e->ts >= about->name_ts)) {
        LF_TRY(lf_names_intern(&t->names, LF_ID_STRING, (const char *)event + e->name.start,
                               e->name.end - e->name.start, &about->name, err));
        about->name_ts = e->ts;
    } else if (e->type == LF_EVENT_THREAD_SORT_INDEX &&
               (!about->has_sort_index || e->ts < about->sort_ts)) {
        about->sort_index = e->u.sort_index;
        about->sort_ts = e->ts;
        about->has_sort_index = true;
    }
    return LANEFIX_OK;
}

static enum lanefix_status track_of(struct lf_tracks *t, struct lf_track_hints *hints,
                                    const struct lf_event *e, const uint8_t *event, uint32_t *track,
                                    struct lanefix_error *err)
{
    size_t at = e->alike % LF_TOKEN_ALIKE;
    struct lf_key pid = {LF_ID_MISSING, 0};
    struct lf_key tid = {LF_ID_MISSING, 0};

    if (e->alike != 0 && hints->list[at].alike == e->alike) {
        *track = hints->list[at].track;
        return LANEFIX_OK;
    }
    LF_TRY(intern_id(t, &e->pid, event, &pid, err));
    LF_TRY(intern_id(t, &e->tid, event, &tid, err));
    LF_TRY(find_or_add(t, pid, tid, track, err));
    hints->list[at].alike = e->alike;
    hints->list[at].track = *track;
    return LANEFIX_OK;
}

enum lanefix_status lf_tracks_add(struct lf_tracks *t, struct lf_track_hints *hints,
                                  const struct lf_event *e, const uint8_t *event, uint64_t off,
                                  struct lanefix_error *err)
{
    struct lf_track *track;
    uint32_t index = 0;

    t->n_events++;
    t->n_rounded += e->is_rounded;
    t->decimals += e->decimals;
    if (e->has_ts && !e->is_metadata && e->ts < t->first_ts) {
        t->first_ts = e->ts;
    }
    LF_TRY(track_of(t, hints, e, event, &index, err));
    track = lf_tracks_at(t, index);
    if (e->bad_time) {
        t->n_bad_times++;
        t->first_bad_time_off =
            t->first_bad_time_off == LANEFIX_NO_OFFSET ? off : t->first_bad_time_off;
        return LANEFIX_OK;
    }
    switch (e->type) {
    case LF_EVENT_SLICE:
        return add_slice(t, track, e, off, err);
    case LF_EVENT_FLOW:
        return add_flow(t, track, e, off, err);
    case LF_EVENT_THREAD_NAME:
    case LF_EVENT_THREAD_SORT_INDEX:
        return add_metadata(t, track, e, event, err);
    case LF_EVENT_PROCESS_NAME:
        track->has_process_name = true;
        break;
    case LF_EVENT_OTHER:
        break;
    }
    return LANEFIX_OK;
}

static bool known_key(const struct lf_tracks *t, const struct lf_id *id, const uint8_t *event,
                      struct lf_key *key)
{
    key->kind = id->kind;
    key->value = id->kind == LF_ID_NUMBER ? id->number : 0;
    if (id->kind == LF_ID_STRING || id->kind == LF_ID_ODD) {
        key->value = lf_names_find(&t->names, id->kind, (const char *)event + id->text.start,
                                   id->text.end - id->text.start);
    }
    return key->value != LF_NO_NAME || id->kind == LF_ID_NUMBER;
}

uint32_t lf_tracks_find(const struct lf_tracks *t, const struct lf_id *pid, const struct lf_id *tid,
                        const uint8_t *event)
{
    struct lf_key p, q;

    if (t->n_slots == 0 || !known_key(t, pid, event, &p) || !known_key(t, tid, event, &q)) {
        return UINT32_MAX;
    }
    return t->slots[find_slot(t, track_hash(t, p, q), p, q)].track - 1; /* a free slot holds 0 */
}

void lf_key_visible(struct lf_key *pid, struct lf_key *tid)
{
    struct lf_key zero = {LF_ID_NUMBER, 0};

    *pid = pid->kind == LF_ID_NUMBER || pid->kind == LF_ID_STRING ? *pid : zero;
    *tid = tid->kind == LF_ID_NUMBER || tid->kind == LF_ID_STRING ? *tid : zero;
    if (lf_key_equal(*tid, zero) && !lf_key_equal(*pid, zero)) {
        *tid = *pid;
    }
}

const char *lf_key_text(struct lf_key key, const struct lf_names *names, char digits[16], size_t *n)
{
    switch ((enum lf_id_kind)key.kind) {
    case LF_ID_NUMBER:
        *n = (size_t)snprintf(digits, 16, "%u", key.value);
        return digits;
    case LF_ID_STRING:
    case LF_ID_ODD:
        return lf_names_text(names, key.value, n);
    case LF_ID_MISSING:
        break;
    }
    *n = 4;
    return "none";
}
