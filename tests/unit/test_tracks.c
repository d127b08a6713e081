/* The track table: a number a track in order of first events, found again as it grows. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "trace/tracks.h"

#define N_TRACKS 100000u /* the table and the blocks of tracks grow many times */

static struct lf_tracks tracks;
static struct lf_track_hints hints;
static struct lanefix_error err;

static void setup(void)
{
    lf_tracks_init(&tracks, 1234567);
    memset(&hints, 0, sizeof hints);
}

static void teardown(void)
{
    lf_tracks_fini(&tracks);
}

TestSuite(tracks, .init = setup, .fini = teardown);

static struct lf_id number(uint32_t value)
{
    return (struct lf_id){.kind = LF_ID_NUMBER, .number = value};
}

/* Tids side by side, far apart, and the same in several processes. */
static void ids_of(uint32_t i, struct lf_id *pid, struct lf_id *tid)
{
    *pid = number(i % 3);
    *tid = number(i % 2 == 0 ? i / 6 : i * UINT32_C(2654435761));
}

static void add_slice(uint32_t i, int64_t ts)
{
    struct lf_event e = {.type = LF_EVENT_SLICE, .slice_kind = LF_SLICE_COMPLETE, .ts = ts};

    e.u.dur = 1;
    ids_of(i, &e.pid, &e.tid);
    cr_assert_eq(lf_tracks_add(&tracks, &hints, &e, (const uint8_t *)"", (uint64_t)ts, &err),
                 LANEFIX_OK);
}

Test(tracks, are_found_however_many_there_are)
{
    uint32_t *numbers = calloc(N_TRACKS, sizeof *numbers);
    struct lf_id pid, tid;

    cr_assert_not_null(numbers);
    for (uint32_t i = 0; i < N_TRACKS; i++) {
        add_slice(i, i);
        ids_of(i, &pid, &tid);
        numbers[i] = lf_tracks_find(&tracks, &pid, &tid, (const uint8_t *)"");
        cr_assert_lt(numbers[i], tracks.n_tracks);
    }
    for (uint32_t i = 0; i < N_TRACKS; i++) {
        const struct lf_track *track;

        ids_of(i, &pid, &tid);
        cr_assert_eq(lf_tracks_find(&tracks, &pid, &tid, (const uint8_t *)""), numbers[i]);
        track = lf_tracks_at(&tracks, numbers[i]);
        cr_assert_eq(track->pid.value, pid.number);
        cr_assert_eq(track->tid.value, tid.number);
        cr_assert_geq(track->slices.n, 1);
    }
    pid = number(77);
    cr_assert_eq(lf_tracks_find(&tracks, &pid, &tid, (const uint8_t *)""), UINT32_MAX);
    free(numbers);
}

Test(tracks, never_move)
{
    const struct lf_track *first, *hundredth;

    for (uint32_t i = 0; i < 100; i++) {
        add_slice(i, i);
    }
    first = lf_tracks_at(&tracks, 0);
    hundredth = lf_tracks_at(&tracks, tracks.n_tracks - 1);
    for (uint32_t i = 100; i < N_TRACKS; i++) {
        add_slice(i, i);
    }
    cr_assert_eq(lf_tracks_at(&tracks, 0), first);
    cr_assert_eq(hundredth->slices.n, 1);
    cr_assert_eq(hundredth->slices.u.slice.ts, 99);
}

/* Events that are alike go to the track of the first of them; a number that takes another's place
 * in the hints does not go to that one's track. */
Test(tracks, of_events_that_are_alike_are_one)
{
    enum { N = 3 * LF_TOKEN_ALIKE };

    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < N; i++) {
            struct lf_event e = {.type = LF_EVENT_SLICE, .ts = i, .alike = i + 1};

            e.pid = number(1);
            e.tid = number(i);
            cr_assert_eq(lf_tracks_add(&tracks, &hints, &e, (const uint8_t *)"", i, &err),
                         LANEFIX_OK);
            cr_assert_eq(lf_tracks_add(&tracks, &hints, &e, (const uint8_t *)"", i, &err),
                         LANEFIX_OK);
        }
    }
    cr_assert_eq(tracks.n_tracks, N);
    for (uint32_t i = 0; i < N; i++) {
        cr_assert_eq(lf_tracks_at(&tracks, i)->tid.value, i);
        cr_assert_eq(lf_tracks_at(&tracks, i)->slices.n, 8);
    }
}

Test(tracks, know_what_is_said_of_them)
{
    static const uint8_t text[] = "first second";
    struct lf_event e = {.type = LF_EVENT_THREAD_NAME, .is_metadata = true, .name = {0, 5}};
    const struct lf_track_about *about;
    const char *name;
    size_t n;

    add_slice(1, 1);
    about = lf_track_about(&tracks, lf_tracks_at(&tracks, 0));
    cr_assert_eq(about->name, LF_NO_NAME);
    cr_assert_not(about->has_sort_index);
    ids_of(1, &e.pid, &e.tid);
    cr_assert_eq(lf_tracks_add(&tracks, &hints, &e, text, 2, &err), LANEFIX_OK);
    e.name = (struct lf_span){6, 12};
    cr_assert_eq(lf_tracks_add(&tracks, &hints, &e, text, 3, &err), LANEFIX_OK);
    e.type = LF_EVENT_THREAD_SORT_INDEX;
    for (int64_t index = 7; index < 9; index++) {
        e.u.sort_index = index;
        cr_assert_eq(lf_tracks_add(&tracks, &hints, &e, text, 4, &err), LANEFIX_OK);
    }
    cr_assert_eq(tracks.n_tracks, 1);
    about = lf_track_about(&tracks, lf_tracks_at(&tracks, 0));
    name = lf_names_text(&tracks.names, about->name, &n);
    cr_assert(n == 6 && memcmp(name, "second", 6) == 0);
    cr_assert(about->has_sort_index && about->sort_index == 7);
}

/* An empty text too is somewhere, also where there is no other. */
Test(tracks, texts_may_be_empty)
{
    struct lf_names names;
    uint32_t id;
    size_t n = 1;

    lf_names_init(&names, 7);
    cr_expect_eq(lf_names_find(&names, 1, "", 0), LF_NO_NAME);
    cr_assert_eq(lf_names_intern(&names, 1, "", 0, &id, &err), LANEFIX_OK);
    cr_expect_not_null(lf_names_text(&names, id, &n));
    cr_expect_eq(n, 0);
    cr_expect_eq(lf_names_find(&names, 1, "", 0), id);
    lf_names_fini(&names);
}
