/* Reading ahead never changes what a trace says: every event of the files given (or of made traces,
 * where none is) is read in chunks of several sizes with it and without, and all must be the same.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/source.h"
#include "run/ahead.h"
#include "run/feed.h"
#include "same_event.h"

enum { N_ITEMS = 3 }; /* chunks are read ahead while those before are not split: so many */

/* One way through a trace, an event at a time. */
struct walk {
    struct lf_source *source;
    struct lf_feed feed;
    struct lf_event_reader readers[N_ITEMS];
    struct lf_chunk chunks[N_ITEMS];
    struct lf_ahead aheads[N_ITEMS];
    bool reads_ahead;
    size_t n_read, n_done; /* chunks: read, and walked through */
    bool read_all;
    bool is_split;              /* the chunk n_done */
    size_t next;                /* its event */
    uint64_t n_ahead, n_wasted; /* events; chunks whose guess was wrong */
};

struct seen {
    enum lanefix_status status;
    struct lanefix_error err;
    bool end;
    const uint8_t *text;
    uint64_t off;
    size_t n;
    struct lf_event event;
};

static enum lanefix_status open_walk(struct walk *w, int fd, size_t chunk_nbytes, bool reads_ahead,
                                     struct lanefix_error *err)
{
    struct lf_source_options o = {.fd = fd, .name = "trace", .window_log_max = 27};

    memset(w, 0, sizeof *w);
    w->reads_ahead = reads_ahead;
    LF_TRY(lf_source_open(&w->source, &o, err));
    lf_feed_init(&w->feed, w->source);
    w->feed.chunk_nbytes = chunk_nbytes;
    for (size_t i = 0; i < N_ITEMS; i++) {
        LF_TRY(lf_event_reader_init(&w->readers[i], 7, reads_ahead, false, err));
    }
    return LANEFIX_OK;
}

static void close_walk(struct walk *w)
{
    for (size_t i = 0; i < N_ITEMS; i++) {
        lf_chunk_fini(&w->chunks[i]);
        lf_ahead_fini(&w->aheads[i]);
        lf_event_reader_fini(&w->readers[i]);
    }
    lf_feed_fini(&w->feed);
    lf_source_close(w->source);
}

/* Reads (ahead) as many chunks as there is room for. */
static enum lanefix_status read_chunks(struct walk *w, struct lanefix_error *err)
{
    while (!w->read_all && w->n_read - w->n_done < N_ITEMS) {
        size_t i = w->n_read % N_ITEMS;

        LF_TRY(lf_feed_read(&w->feed, &w->chunks[i], &w->read_all, err));
        if (w->read_all) {
            break;
        }
        if (w->reads_ahead) {
            LF_TRY(lf_ahead_read(&w->aheads[i], &w->readers[i], &w->chunks[i], err));
        }
        w->n_read++;
    }
    return LANEFIX_OK;
}

/* Goes to the chunk of the next event; *end: there is none. */
static enum lanefix_status find_chunk(struct walk *w, bool *end, struct lanefix_error *err)
{
    struct lf_chunk *chunk = &w->chunks[w->n_done % N_ITEMS];

    *end = false;
    while (!w->is_split || w->next == chunk->batch.n_events) {
        if (w->is_split) {
            *err = chunk->fault_err;
            LF_TRY(chunk->fault);
            w->is_split = false;
            w->n_done++;
        }
        LF_TRY(read_chunks(w, err));
        *end = w->n_done == w->n_read;
        if (*end) {
            return LANEFIX_OK;
        }
        chunk = &w->chunks[w->n_done % N_ITEMS];
        LF_TRY(lf_feed_split(&w->feed, chunk, err));
        lf_ahead_learn(&w->aheads[w->n_done % N_ITEMS], chunk);
        w->n_ahead += chunk->n_ahead;
        w->n_wasted += chunk->ahead.n != 0 && chunk->n_ahead == 0;
        w->is_split = true;
        w->next = 0;
    }
    return LANEFIX_OK;
}

static struct seen next_event(struct walk *w)
{
    struct seen s = {.err = {.message = ""}};
    const struct lf_split_event *e;
    const struct lf_chunk *chunk;
    size_t i, i_ahead;

    s.status = find_chunk(w, &s.end, &s.err);
    if (s.status != LANEFIX_OK || s.end) {
        return s;
    }
    i = w->n_done % N_ITEMS;
    chunk = &w->chunks[i];
    e = &chunk->batch.events[w->next];
    s.text = chunk->buf + e->start;
    s.off = chunk->off + e->start;
    s.n = e->end - e->start;
    i_ahead = w->next++ - chunk->first_ahead;
    if (i_ahead < chunk->n_ahead) {
        s.event = w->aheads[i].events[i_ahead];
    } else {
        s.status = lf_event_read(&w->readers[i], chunk->buf, e, chunk->batch.nested, s.off,
                                 &s.event, &s.err);
    }
    return s;
}

static bool same_seen(const struct seen *a, const struct seen *b)
{
    if (a->status != b->status || a->end != b->end) {
        return false;
    }
    if (a->status != LANEFIX_OK) {
        return a->err.offset == b->err.offset && strcmp(a->err.message, b->err.message) == 0;
    }
    return a->end || (a->off == b->off && a->n == b->n && same_event(&a->event, &b->event));
}

static bool same_splitter(const struct lf_splitter *a, const struct lf_splitter *b)
{
    return a->place == b->place && a->off == b->off && a->n_events == b->n_events &&
           a->first_event_off == b->first_event_off && a->last_event_off == b->last_event_off &&
           a->last_event_end == b->last_event_end && a->array_off == b->array_off &&
           a->unclosed == b->unclosed && a->cut_event == b->cut_event;
}

struct counts {
    uint64_t n_events, n_ahead, n_wasted;
};

/* false where the two ways differ, which is said. */
static bool compare(int fd, size_t chunk_nbytes, struct counts *counts)
{
    struct walk plain, ahead;
    struct lanefix_error err = {.message = ""};
    struct seen a = {0}, b = {0};
    bool same = open_walk(&plain, fd, chunk_nbytes, false, &err) == LANEFIX_OK;

    same = open_walk(&ahead, fd, chunk_nbytes, true, &err) == LANEFIX_OK && same;
    while (same && a.status == LANEFIX_OK && !a.end) {
        a = next_event(&plain);
        b = next_event(&ahead);
        same = same_seen(&a, &b);
        counts->n_events++;
    }
    same = same &&
           (a.status != LANEFIX_OK || same_splitter(&plain.feed.splitter, &ahead.feed.splitter));
    if (!same) {
        printf("differs, chunks of %zu: %.*s | %.*s %s%s%s\n", chunk_nbytes, (int)a.n,
               (const char *)a.text, (int)b.n, (const char *)b.text, a.err.message, b.err.message,
               err.message);
    }
    counts->n_ahead += ahead.n_ahead;
    counts->n_wasted += ahead.n_wasted;
    close_walk(&plain);
    close_walk(&ahead);
    return same;
}

/* A trace that is made, of what writes one event. */
typedef void write_event(FILE *f, int i);

static void write_regular(FILE *f, int i)
{
    fprintf(f,
            "{\"ph\":\"X\",\"pid\":7,\"tid\":%d,\"ts\":%d.5,\"dur\":3,\"name\":\"n%d\",\"args\":{"
            "\"a\":[%d]}}",
            i % 3, i, i % 50, i);
}

/* What looks like events inside an event, as objects or as text, and more of it than of others. */
static void write_false_starts(FILE *f, int i)
{
    fprintf(f, "{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":%d,\"dur\":3,\"name\":\"n\"", i);
    if (i % 7 == 0) {
        fprintf(f, ",\"args\":{\"list\":[");
        for (int k = 0; k < 300 + i % 41; k++) {
            fprintf(f, "%s{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":%d,\"dur\":3,\"name\":\"n\"}",
                    k != 0 ? "," : "", k);
        }
        fprintf(f, "]}");
    } else if (i % 7 == 1) {
        fprintf(f, ",\"args\":{\"text\":\"");
        for (int k = 0; k < 100; k++) {
            fprintf(f, "{\\\"ph\\\":\\\"X\\\"},{ph:}");
        }
        fprintf(f, "\"}");
    }
    fprintf(f, "}");
}

/* Every other event reads as one of the others from a string's last byte on, where strings are
 * taken for what is between them. */
static void write_inside_out(FILE *f, int i)
{
    if (i % 2 == 0) {
        fprintf(f, "{\",\":\":\"}");
    } else {
        fprintf(f, "{\"a\":\"%*s},{\",\":\":\"},\"}", i % 900, "");
    }
}

/* Some of few layouts, some of a layout of their own, some larger than a chunk, odd gaps. */
static void write_mixed(FILE *f, int i)
{
    static const char *const gaps[] = {"", " ", ",", "\n,\n", "\t"};

    fprintf(f, "%s", gaps[i % 5]);
    switch (i * 7919 % 97 % 12) {
    case 0:
        fprintf(f, "{\"ph\":\"X\",\"k%d\":{},\"l\":[1],\"ts\":\"%d\"}", i, i);
        break;
    case 1:
        fprintf(f, "{}");
        break;
    case 2:
        fprintf(f, "{\"ph\":\"X\",\"name\":\"%*s\",\"pid\":1}", i % 11 == 0 ? 9000 : i % 90,
                "x\\\"}");
        break;
    case 3:
        fprintf(f, "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}}");
        break;
    default:
        write_regular(f, i);
    }
}

/* A layout that changes all the time, behind one that does not. */
static void write_changing(FILE *f, int i)
{
    if (i / 500 % 2 == 0) {
        write_regular(f, i);
    } else {
        fprintf(f, "{\"ph\":\"%c\",\"pid\":%d,\"x%d\":1,\"ts\":%d}", "XBEi"[i % 4], i, i % 1000, i);
    }
}

static const struct made {
    const char *name;
    write_event *write;
    const char *head, *tail;
    bool must_know, must_waste; /* most events are ahead; a guess is wrong */
} made[] = {
    {"regular", write_regular, "[", "]", true, false},
    {"regular, object", write_regular, "{\"a\":[{\"ph\":\"X\"}],\"traceEvents\": [",
     "], \"z\": {}}", true, false},
    {"two arrays", write_regular, "{\"traceEvents\": [", "], \"traceEvents\": [{\"ph\":\"X\"},{}]}",
     true, false},
    {"never closed", write_regular, "[", ",{\"ph\":\"X\",\"pid", true, false},
    {"a fault behind", write_regular, "[", ", {\"ph\":\"X\" 1}]", true, false},
    {"a fault between", write_regular, "[", ", {\"ph\":\"X\"}; {}]", true, false},
    {"false starts", write_false_starts, "[", "]", false, true},
    {"inside out", write_inside_out, "[", "]", false, true},
    {"mixed", write_mixed, "[{}", "]", false, false},
    {"changing", write_changing, "[", "]", false, false},
};

static int make_trace(const struct made *m, int n_events)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(dup(fd), "w") : NULL;

    if (f == NULL) {
        abort();
    }
    fprintf(f, "%s", m->head);
    for (int i = 0; i < n_events; i++) {
        fprintf(f, "%s", i != 0 ? ",\n" : "");
        m->write(f, i);
    }
    fprintf(f, "%s", m->tail);
    if (fclose(f) != 0) {
        abort();
    }
    return fd;
}

static bool compare_made(const struct made *m)
{
    static const size_t sizes[] = {300, 4096, 10000, 1 << 16, 1 << 20};
    struct counts all = {0, 0, 0};
    int fd = make_trace(m, 6000);
    bool same = true;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        lseek(fd, 0, SEEK_SET);
        same = compare(fd, sizes[i], &all) && same;
    }
    close(fd);
    printf("%s: %llu events, %llu ahead, %llu chunks of a wrong guess\n", m->name,
           (unsigned long long)all.n_events, (unsigned long long)all.n_ahead,
           (unsigned long long)all.n_wasted);
    return same && (!m->must_know || all.n_ahead > all.n_events / 2) &&
           (!m->must_waste || all.n_wasted != 0);
}

static bool compare_file(const char *path)
{
    struct counts all = {0, 0, 0};
    bool same = true;

    for (size_t size = 20000; size <= 1 << 20; size *= 7) {
        FILE *f = fopen(path, "r");

        same = f != NULL && compare(fileno(f), size, &all) && same;
        if (f != NULL) {
            fclose(f);
        }
    }
    printf("%s: %llu events, %llu ahead\n", path, (unsigned long long)all.n_events,
           (unsigned long long)all.n_ahead);
    return same;
}

int main(int argc, char **argv)
{
    size_t n_made = sizeof made / sizeof made[0];
    int n_passed = 0, n_failed = 0;

    for (size_t i = 0; i < (argc > 1 ? (size_t)argc - 1 : n_made); i++) {
        bool good = argc > 1 ? compare_file(argv[i + 1]) : compare_made(&made[i]);

        n_passed += good;
        n_failed += !good;
    }
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed != 0;
}
