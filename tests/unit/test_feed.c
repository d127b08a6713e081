/* The feed: what was noted of one pass cuts the next one the same way, and splits it the same way,
 * as a whole or event by event. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/feed.h"

struct text {
    const char *data;
    size_t n, pos;
};

static int64_t read_text(void *arg, void *buf, size_t n)
{
    struct text *t = arg;

    n = t->n - t->pos < n ? t->n - t->pos : n;
    memcpy(buf, t->data + t->pos, n);
    t->pos += n;
    return (int64_t)n;
}

static struct lf_source *open_text(struct text *t)
{
    struct lf_source_options o = {
        .fd = -1, .read = read_text, .read_arg = t, .name = "text", .spool_memory = 1 << 20};
    struct lf_source *source;
    struct lanefix_error err;

    cr_assert_eq(lf_source_open(&source, &o, &err), LANEFIX_OK);
    return source;
}

static struct lf_source *open_file(const char *data, size_t n)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct lf_source_options o = {.fd = fd, .name = "file"};
    struct lf_source *source;
    struct lanefix_error err;

    cr_assert_eq(write(fd, data, n), (ssize_t)n);
    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(lf_source_open(&source, &o, &err), LANEFIX_OK);
    return source;
}

static void assert_same_events(const struct lf_split_batch *a, const struct lf_split_batch *b)
{
    cr_assert_eq(a->n_events, b->n_events);
    for (size_t i = 0; i < a->n_events; i++) {
        cr_assert_eq(a->events[i].start, b->events[i].start);
        cr_assert_eq(a->events[i].end, b->events[i].end);
        cr_assert_eq(a->events[i].n_nested, b->events[i].n_nested);
        for (uint32_t k = 0; k < a->events[i].n_nested; k++) {
            const struct lf_span *x = &a->nested[a->events[i].first_nested + k];
            const struct lf_span *y = &b->nested[b->events[i].first_nested + k];

            cr_assert(x->start == y->start && x->end == y->end);
        }
    }
}

static void split_each_event(struct lf_chunk *chunk, const struct lf_split_batch *expected)
{
    struct lanefix_error err;

    for (size_t i = 0; i < expected->n_events; i++) {
        struct lf_split_event e = expected->events[i];
        struct lf_split_batch one = {.events = &e, .n_events = 1, .nested = expected->nested};

        cr_assert_eq(lf_chunk_split_event(chunk, e.start, &err), LANEFIX_OK);
        assert_same_events(&one, &chunk->batch);
    }
}

/* Two feeds side by side: one that notes, and behind it one that cuts. Closes source. */
static void feed_twice(struct lf_source *source, const char *data, size_t n, size_t chunk_nbytes)
{
    struct lf_cuts cuts = {0};
    struct lf_feed feed;
    struct lanefix_error err;
    struct lf_chunk chunks[300] = {{0}};
    struct lf_chunk again = {0};
    size_t n_chunks = 0;
    bool end = false;

    lf_feed_init(&feed, source);
    feed.chunk_nbytes = chunk_nbytes;
    lf_feed_note(&feed, &cuts);
    while (!end) {
        cr_assert_lt(n_chunks, 300);
        cr_assert_eq(lf_feed_next(&feed, &chunks[n_chunks], &end, &err), LANEFIX_OK);
        cr_assert_eq(chunks[n_chunks].fault, LANEFIX_OK);
        n_chunks += !end;
    }
    lf_feed_fini(&feed);
    cr_assert_eq(cuts.n, n_chunks);
    cr_assert_eq(cuts.end, n);

    cr_assert_eq(lf_source_rewind(source, &err), LANEFIX_OK);
    lf_feed_init(&feed, source);
    lf_feed_cut(&feed, &cuts);
    for (size_t i = 0; i < n_chunks; i++) {
        cr_assert_eq(lf_feed_read(&feed, &again, &end, &err), LANEFIX_OK);
        cr_assert_not(end);
        cr_assert_eq(again.off, chunks[i].off);
        cr_assert_eq(again.n, chunks[i].n);
        cr_assert_eq(again.in_events, chunks[i].in_events);
        cr_assert_eq(again.unread != NULL, lf_source_plain_fd(source) >= 0);
        split_each_event(&again, &chunks[i].batch);
        cr_assert_eq(again.unread != NULL, lf_source_plain_fd(source) >= 0);
        cr_assert_eq(lf_chunk_load(&again, &err), LANEFIX_OK);
        cr_assert_null(again.unread);
        cr_assert_eq(memcmp(again.buf, data + again.off, again.n), 0);
        cr_assert_eq(lf_chunk_split(&again, &err), LANEFIX_OK);
        assert_same_events(&chunks[i].batch, &again.batch);
    }
    cr_assert_eq(lf_feed_read(&feed, &again, &end, &err), LANEFIX_OK);
    cr_assert(end);
    lf_feed_fini(&feed);
    lf_chunk_fini(&again);
    for (size_t i = 0; i <= n_chunks; i++) {
        lf_chunk_fini(&chunks[i]);
    }
    lf_cuts_fini(&cuts);
    lf_source_close(source);
}

/* Events of up to 8000 bytes, some with nested values; as an array, open or closed, or in an
 * object. */
static size_t write_events(char *text, int n_events)
{
    char *at = text;

    for (int i = 0; i < n_events; i++) {
        at += sprintf(at,
                      "%s{\"ph\":\"X\",\"args\":{\"a\":[%d,{}],\"b\":\"%*s\"},\"l\":[],\"ts\":%d}",
                      i != 0 ? ",\n " : "", i, i % 9 == 3 ? i % 80 * 100 : i % 50, "}{\\\"", i);
    }
    return (size_t)(at - text);
}

Test(feed, cut_again_as_it_was)
{
    static const char *const heads[] = {"[", "{\"a\": [{}], \"traceEvents\": [", "[ "};
    static const char *const tails[] = {"]", "], \"traceEvents\": [{\"ph\":\"i\"}], \"z\": {}}\n",
                                        ", {\"ph"};
    static const size_t sizes[] = {100, 1000, 4096, 1 << 20};
    char *text = malloc(1 << 20);

    for (size_t form = 0; form < 3; form++) {
        size_t n = strlen(heads[form]);

        memcpy(text, heads[form], n);
        n += write_events(text + n, 200);
        memcpy(text + n, tails[form], strlen(tails[form]));
        n += strlen(tails[form]);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct text piped = {text, n, 0};

            feed_twice(open_text(&piped), text, n, sizes[i]);
            feed_twice(open_file(text, n), text, n, sizes[i]);
        }
    }
    free(text);
}

/* Reads and splits chunks while those up to two before them wait to be kept, as pass one may. */
static void keep_late(const char *text, size_t n, size_t chunk_nbytes)
{
    enum { N_CHUNKS = 3 };
    struct text piped = {text, n, 0};
    struct lf_source *source = open_text(&piped);
    struct lf_chunk chunks[N_CHUNKS] = {{0}};
    struct lf_feed feed;
    struct lanefix_error err;
    char *kept = malloc(n + 1);
    size_t got;
    bool end = false;

    lf_source_defer(source);
    lf_feed_init(&feed, source);
    feed.chunk_nbytes = chunk_nbytes;
    for (size_t i = 0; !end; i++) {
        struct lf_chunk *chunk = &chunks[i % N_CHUNKS];

        if (i >= N_CHUNKS) {
            cr_assert_eq(lf_feed_keep(&feed, chunk, &err), LANEFIX_OK);
        }
        cr_assert_eq(lf_feed_read(&feed, chunk, &end, &err), LANEFIX_OK);
        if (!end) {
            cr_assert_eq(lf_feed_split(&feed, chunk, &err), LANEFIX_OK);
            cr_assert_eq(chunk->fault, LANEFIX_OK);
        } else {
            for (size_t k = i < N_CHUNKS ? 0 : i - N_CHUNKS + 1; k < i; k++) {
                cr_assert_eq(lf_feed_keep(&feed, &chunks[k % N_CHUNKS], &err), LANEFIX_OK);
            }
        }
    }
    cr_assert_eq(lf_source_rewind(source, &err), LANEFIX_OK);
    cr_assert_eq(lf_source_read(source, kept, n + 1, &got, &err), LANEFIX_OK);
    cr_assert_eq(got, n);
    cr_assert_eq(memcmp(kept, text, n), 0);
    free(kept);
    lf_feed_fini(&feed);
    for (size_t i = 0; i < N_CHUNKS; i++) {
        lf_chunk_fini(&chunks[i]);
    }
    lf_source_close(source);
}

Test(feed, what_was_read_can_be_kept_behind_splitting)
{
    static const size_t sizes[] = {100, 1000, 4096, 1 << 20};
    char *text = malloc(1 << 20);
    size_t n = 0;

    text[n++] = '[';
    n += write_events(text + n, 200);
    n += (size_t)sprintf(text + n, ",{\"ph\":\"X\",\"name\":\"%0300000d\"},", 7);
    n += write_events(text + n, 50);
    text[n++] = ']';
    cr_assert_lt(n, 1 << 20);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        keep_late(text, n, sizes[i]);
    }
    free(text);
}

Test(feed, what_was_changed_meanwhile_is_refused)
{
    static const char *const found[] = {"[{\"ph\":\"X\",\"name\":\"a }, \"ph\":\"i\"}]",
                                        "[{\"ph\":\"X\",\"name\":\"a\"  {\"ph\":\"i\"}]"};
    struct lf_splitter begin;

    lf_splitter_init(&begin);
    for (size_t i = 0; i < 2; i++) {
        struct lf_chunk chunk = {.n = strlen(found[i]), .splitter = &begin};
        struct lanefix_error err;

        chunk.space = chunk.buf = malloc(chunk.n);
        memcpy(chunk.buf, found[i], chunk.n);
        cr_assert_eq(lf_chunk_split(&chunk, &err), LANEFIX_ERR_IO, "%zu", i);
        cr_assert_eq(lf_chunk_split_event(&chunk, 1, &err), LANEFIX_ERR_IO, "%zu", i);
        lf_chunk_fini(&chunk);
    }
}

/* A file that has got shorter since it was cut: as a whole, and where an event is looked at. */
Test(feed, what_was_cut_off_meanwhile_is_refused)
{
    static const char text[] = "[{\"ph\":\"X\"},{\"ph\":\"i\"}]";
    struct lf_source *source = open_file(text, 20);
    struct lf_splitter begin;
    struct lf_chunk chunk = {.n = sizeof text - 1, .splitter = &begin, .unread = source};
    struct lanefix_error err;

    lf_splitter_init(&begin);
    cr_assert_eq(lf_chunk_split_event(&chunk, 1, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.offset, 20);
    cr_assert_eq(lf_chunk_load(&chunk, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.offset, 20);
    cr_assert_eq(lf_chunk_split(&chunk, &err), LANEFIX_ERR_IO);
    lf_chunk_fini(&chunk);
    lf_source_close(source);
}
