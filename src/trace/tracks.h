/* The tracks of a trace and their compact records: what pass one leaves behind.
 *
 * A track here is one that the file tells apart (its pid and tid as written). Where several of them
 * are one track in Perfetto they are said to fold; which ones do, lf_key_visible says.
 * The table owns the records. */
#ifndef LF_TRACE_TRACKS_H
#define LF_TRACE_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/event.h"
#include "trace/names.h"
#include "trace/record.h"
#include "trace/records.h"

/* A pid or tid by value: number, or the number of its text in the pool. */
struct lf_key {
    uint32_t kind; /* enum lf_id_kind */
    uint32_t value;
};

/* What metadata events say of a track. */
struct lf_track_about {
    int64_t name_ts, sort_ts;
    int64_t sort_index;
    uint32_t name; /* of its thread_name's text in the pool, or LF_NO_NAME */
    bool has_sort_index;
};

struct lf_track {
    struct lf_key pid, tid; /* as written */
    struct lf_records slices;
    struct lf_records *flows; /* NULL: none */
    uint32_t about;           /* + 1, 0 where nothing is said: see lf_track_about */
    bool has_complete;        /* "X" among the slices */
    bool has_pair;            /* "B" or "E" among them */
    bool has_fixed;           /* any other than complete ones among them */
    bool has_process_name;    /* a process_name event is written on it */
};

/* A trace may have a million tracks of one slice each. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct lf_track) == 64, "a track is a cache line");

#define LF_TRACK_BLOCK_BITS 6 /* of the number of tracks in the first block */

struct lf_tracks {
    struct lf_track *blocks[33 - LF_TRACK_BLOCK_BITS]; /* each of twice the one before; never moved */
    size_t n_tracks;
    struct lf_track_about *abouts;
    size_t n_abouts, cap_abouts;
    struct lf_track_slot {
        uint32_t track; /* + 1, 0 where free */
        uint32_t hash;  /* a track elsewhere in memory is looked at where it agrees */
    } *slots;           /* of a power of two */
    size_t n_slots;
    uint32_t last; /* the track found last */
    struct lf_names names;
    uint64_t seed;
    /* counters */
    uint64_t n_events, n_slices, n_flows;
    uint64_t n_bad_times;   /* slices and endpoints left alone: no readable ts or dur */
    uint64_t first_bad_time_off;
    uint64_t n_rounded;     /* events whose ts Perfetto rounds by more than 1 ns */
    int64_t decimals;       /* sum of lf_event.decimals: above 0 where ts have three always */
    int64_t first_ts;       /* the least ts of all events but metadata, INT64_MAX where there is none */
};

void lf_tracks_init(struct lf_tracks *t, uint64_t seed);
void lf_tracks_fini(struct lf_tracks *t);

/* Tracks of events that are alike; of one reader's events. Zero-initialise. */
struct lf_track_hints {
    struct {
        uint64_t alike;
        uint32_t track;
    } list[LF_TOKEN_ALIKE];
};

/* Adds one event; event points at its first byte, which stands at off. Events come in file order.
 * LANEFIX_ERR_MEMORY; LANEFIX_ERR_LIMIT where there are more than 2^32 - 2 tracks. */
enum lanefix_status lf_tracks_add(struct lf_tracks *t, struct lf_track_hints *hints,
                                  const struct lf_event *e, const uint8_t *event, uint64_t off,
                                  struct lanefix_error *err) LF_MUST_USE;

/* The number of the track that an event (whose first byte is at event) is written on, UINT32_MAX
 * where lf_tracks_add has seen none such. Any number of threads may ask at once. */
uint32_t lf_tracks_find(const struct lf_tracks *t, const struct lf_id *pid, const struct lf_id *tid,
                        const uint8_t *event);

/* What is said of a track; all of it missing where nothing is. */
const struct lf_track_about *lf_track_about(const struct lf_tracks *t, const struct lf_track *track);

/* i < n_tracks */
static inline struct lf_track *lf_tracks_at(const struct lf_tracks *t, size_t i)
{
    uint64_t from_block_0 = (uint64_t)i + (1u << LF_TRACK_BLOCK_BITS);
    unsigned bit = 63u - (unsigned)__builtin_clzll(from_block_0);

    return &t->blocks[bit - LF_TRACK_BLOCK_BITS][from_block_0 ^ UINT64_C(1) << bit];
}

static inline size_t lf_track_n_flows(const struct lf_track *track)
{
    return track->flows != NULL ? track->flows->n : 0;
}

/* (pid, tid) as Perfetto reads them (kinds: number or string): outside uint32 or missing is 0, then
 * tid 0 of a pid that is not 0 is the pid. */
void lf_key_visible(struct lf_key *pid, struct lf_key *tid);

/* The text of a key without quotes; digits: room for that of a number. */
const char *lf_key_text(struct lf_key key, const struct lf_names *names, char digits[16], size_t *n);

static inline bool lf_key_equal(struct lf_key a, struct lf_key b)
{
    return a.kind == b.kind && a.value == b.value;
}

#endif
