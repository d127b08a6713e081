/* stages TRACE OUT [ROUNDS]: what each stage of a run costs on a plain trace, in this process:
 * median of the rounds. OUT is written, and left for the caller to remove.
 *
 * Owns its own joining of the stages, so it follows the internal headers; it is no test. Stages up
 * to "tracks" run one after the other on one core, on chunks as pass one cuts them; those behind
 * are the passes themselves, on one thread and on all. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "par/pipeline.h"
#include "run/feed.h"
#include "run/run.h"
#include "trace/event.h"

#define MAX_ROUNDS 99

enum stage {
    READ_BUFFER,
    READ_MAPPED_DROPPED,
    READ_MAPPED,
    SPLIT_PORTABLE,
    SPLIT_AVX2,
    SPLIT_NEON,
    TOKENIZE_JSMN,
    TOKENIZE_SHAPES,
    DECODE,
    TRACKS,
    PASS_ONE_1,
    PLAN_1,
    PASS_TWO_1,
    PASS_ONE_N,
    PLAN_N,
    PASS_TWO_N,
    COMMIT,
    N_STAGES
};

static const char *const stage_names[N_STAGES] = {"read into a buffer",
                                                  "read a mapping, pages dropped",
                                                  "read a mapping",
                                                  "split, portable",
                                                  "split, AVX2",
                                                  "split, NEON",
                                                  "tokenize, jsmn alone",
                                                  "tokenize, with shapes",
                                                  "tokenize and decode",
                                                  "add to tracks",
                                                  "pass one, 1 thread",
                                                  "plan (solve), 1 thread",
                                                  "pass two (write), 1 thread",
                                                  "pass one, all threads",
                                                  "plan (solve), all threads",
                                                  "pass two (write), all threads",
                                                  "sync and rename"};

struct bench {
    const char *path, *out;
    int fd;
    size_t nbytes;
    uint64_t n_events;
    int n_rounds;
    double seconds[N_STAGES][MAX_ROUNDS]; /* 0: not measured */
    int round;
};

/* What reading leads to, so that it is not left out. */
static volatile uint64_t seen;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(enum lanefix_status status, const struct lanefix_error *err)
{
    if (status != LANEFIX_OK) {
        fprintf(stderr, "stages: %s\n", err->message);
        exit(1);
    }
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Adds the time since *since to stage, and begins anew. */
static void lap(struct bench *b, enum stage stage, double *since)
{
    double t = now();

    b->seconds[stage][b->round] += t - *since;
    *since = now();
}

/* Looks at every word, as a splitter does. */
static uint64_t look(const uint8_t *data, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t word;

        memcpy(&word, data + i, 8);
        sum += word;
    }
    return sum;
}

static void read_buffer(struct bench *b)
{
    uint8_t *buf = malloc(LF_CHUNK_NBYTES);
    uint64_t sum = 0;
    double since;
    ssize_t n;

    if (buf == NULL) {
        fail("stages");
    }
    memset(buf, 0, LF_CHUNK_NBYTES);
    since = now();
    for (size_t off = 0; (n = pread(b->fd, buf, LF_CHUNK_NBYTES, (off_t)off)) > 0;
         off += (size_t)n) {
        sum += look(buf, (size_t)n);
    }
    seen = sum;
    lap(b, READ_BUFFER, &since);
    free(buf);
}

static void read_mapped(struct bench *b, enum stage stage)
{
    double since = now();
    uint64_t sum = 0;
    uint8_t *data = mmap(NULL, b->nbytes, PROT_READ, MAP_PRIVATE, b->fd, 0);

    if (data == MAP_FAILED) {
        fail("mmap");
    }
    for (size_t off = 0; off < b->nbytes; off += LF_CHUNK_NBYTES) {
        size_t n = b->nbytes - off < LF_CHUNK_NBYTES ? b->nbytes - off : LF_CHUNK_NBYTES;

        sum += look(data + off, n);
        if (stage == READ_MAPPED_DROPPED) {
            madvise(data + off, n, MADV_DONTNEED);
        }
    }
    seen = sum;
    munmap(data, b->nbytes);
    lap(b, stage, &since);
}

/* Only the splitter's calls are timed, on bytes that were just read. */
static void split(struct bench *b, enum stage stage, enum lf_split_kernel kernel)
{
    struct lf_split_batch batch = {.events = NULL};
    struct lf_splitter splitter;
    struct lanefix_error err;
    uint8_t *buf = NULL;
    size_t cap = 0, have = 0, used = 0;
    size_t off = 0;

    if (!lf_split_kernel_available(kernel)) {
        return;
    }
    lf_splitter_init(&splitter);
    do {
        double since;
        ssize_t n;

        check(lf_grow(&buf, &cap, have + LF_CHUNK_NBYTES, 1, &err), &err);
        n = pread(b->fd, buf + have, LF_CHUNK_NBYTES, (off_t)off);
        if (n < 0) {
            fail(b->path);
        }
        off += (size_t)n;
        have += (size_t)n;
        since = now();
        check(lf_splitter_feed(&splitter, kernel, buf, have, off == b->nbytes, &batch, &used, &err),
              &err);
        lap(b, stage, &since);
        have -= used;
        memmove(buf, buf + used, have);
    } while (off < b->nbytes);
    b->n_events = splitter.n_events;
    lf_split_batch_fini(&batch);
    free(buf);
}

static void tokenize(struct lf_event_reader *r, const struct lf_chunk *chunk)
{
    struct lanefix_error err;

    for (size_t i = 0; i < chunk->batch.n_events; i++) {
        const struct lf_split_event *e = &chunk->batch.events[i];

        check(lf_event_tokenize(r, chunk->buf, e, chunk->batch.nested, chunk->off + e->start, &err),
              &err);
    }
}

/* Everything that pass one does with a chunk's events, a stage at a time. */
static void read_events(struct bench *b)
{
    struct lf_source_options options = {
        .path = b->path, .fd = -1, .name = b->path, .window_log_max = 27};
    struct lf_event_reader jsmn, shapes;
    struct lf_source *source;
    struct lf_feed feed;
    struct lf_chunk chunk = {.buf = NULL};
    struct lf_tracks tracks;
    struct lf_track_hints hints = {{{0, 0}}};
    struct lf_event *events = NULL;
    size_t cap = 0;
    struct lanefix_error err;
    bool end = false;

    check(lf_source_open(&source, &options, &err), &err);
    check(lf_event_reader_init(&jsmn, 1, false, false, &err), &err);
    check(lf_event_reader_init(&shapes, 1, true, false, &err), &err);
    lf_feed_init(&feed, source);
    lf_tracks_init(&tracks, 1);
    while (check(lf_feed_next(&feed, &chunk, &end, &err), &err), !end) {
        const struct lf_split_batch *batch = &chunk.batch;
        double since;

        check(chunk.fault, &chunk.fault_err);
        check(lf_grow(&events, &cap, batch->n_events, sizeof *events, &err), &err);
        since = now();
        tokenize(&jsmn, &chunk);
        lap(b, TOKENIZE_JSMN, &since);
        tokenize(&shapes, &chunk);
        lap(b, TOKENIZE_SHAPES, &since);
        for (size_t i = 0; i < batch->n_events; i++) {
            check(lf_event_read(&shapes, chunk.buf, &batch->events[i], batch->nested,
                                chunk.off + batch->events[i].start, &events[i], &err),
                  &err);
        }
        lap(b, DECODE, &since);
        for (size_t i = 0; i < batch->n_events; i++) {
            uint32_t start = batch->events[i].start;

            check(lf_tracks_add(&tracks, &hints, &events[i], chunk.buf + start, chunk.off + start,
                                &err),
                  &err);
        }
        lap(b, TRACKS, &since);
    }
    lf_tracks_fini(&tracks);
    lf_chunk_fini(&chunk);
    lf_feed_fini(&feed);
    lf_event_reader_fini(&jsmn);
    lf_event_reader_fini(&shapes);
    lf_source_close(source);
    free(events);
}

/* A whole run; first: the stage of its pass one. */
static void run_passes(struct bench *b, enum stage first, unsigned threads)
{
    struct lanefix_options options;
    struct lf_source_options in = {
        .path = b->path, .fd = -1, .name = b->path, .window_log_max = 27};
    struct lf_sink_options out = {.path = b->out,
                                  .fd = -1,
                                  .name = b->out,
                                  .form = LANEFIX_FORM_PLAIN,
                                  .level = LF_LEVEL_DEFAULT,
                                  .threads = threads};
    struct lf_run run = {.options = &options, .threads = threads, .seed = lf_hash_seed()};
    struct lanefix_error err;
    double since;

    unlink(b->out);
    lanefix_options_init(&options);
    options.max_lanes = 0;
    lf_tracks_init(&run.tracks, run.seed);
    check(lf_report_create(&run.report, options.max_changes, run.seed, &err), &err);
    check(lf_source_open(&run.source, &in, &err), &err);
    since = now();
    check(lf_pass_one(&run, &err), &err);
    lap(b, first, &since);
    check(lf_plan(&run, &err), &err);
    lap(b, first + 1, &since);
    check(lf_sink_open(&run.sink, &out, &err), &err);
    check(lf_pass_two(&run, &err), &err);
    lap(b, first + 2, &since);
    check(lf_sink_commit(run.sink, &err), &err);
    if (first == PASS_ONE_N) {
        lap(b, COMMIT, &since);
    }
    lanefix_report_destroy(run.report);
    lf_edits_fini(&run.edits);
    lf_layout_fini(&run.layout);
    lf_tracks_fini(&run.tracks);
    lf_bytes_fini(&run.gap);
    lf_cuts_fini(&run.cuts);
    lf_bytes_fini(&run.added);
    lf_bytes_fini(&run.base_time);
    lf_sink_close(run.sink);
    lf_source_close(run.source);
}

static int compare(const void *x, const void *y)
{
    const double *a = x;
    const double *b = y;

    return *a < *b ? -1 : *a > *b;
}

static void print(struct bench *b)
{
    printf("%-32s %9s %9s %11s %9s\n", "stage", "ms", "GB/s", "ns/event", "spread");
    for (int i = 0; i < N_STAGES; i++) {
        double *s = b->seconds[i];
        double median;

        qsort(s, (size_t)b->n_rounds, sizeof *s, compare);
        median = s[b->n_rounds / 2];
        if (median == 0) {
            continue;
        }
        printf("%-32s %9.1f %9.2f %11.1f %8.0f%%\n", stage_names[i], median * 1e3,
               (double)b->nbytes / median * 1e-9, median / (double)b->n_events * 1e9,
               (s[b->n_rounds - 1] - s[0]) / median * 100);
    }
}

int main(int argc, char **argv)
{
    struct bench b = {.fd = -1};
    struct stat st;

    if (argc < 3 || argc > 4) {
        fputs("usage: stages TRACE OUT [ROUNDS]\n", stderr);
        return 2;
    }
    b.path = argv[1];
    b.out = argv[2];
    b.n_rounds = argc > 3 ? atoi(argv[3]) : 5;
    b.n_rounds = b.n_rounds < 1 ? 1 : b.n_rounds > MAX_ROUNDS ? MAX_ROUNDS : b.n_rounds;
    b.fd = open(b.path, O_RDONLY | O_CLOEXEC);
    if (b.fd < 0 || fstat(b.fd, &st) != 0) {
        fail(b.path);
    }
    b.nbytes = (size_t)st.st_size;
    for (b.round = 0; b.round < b.n_rounds; b.round++) {
        read_buffer(&b);
        read_mapped(&b, READ_MAPPED_DROPPED);
        read_mapped(&b, READ_MAPPED);
        split(&b, SPLIT_PORTABLE, LF_SPLIT_PORTABLE);
        split(&b, SPLIT_AVX2, LF_SPLIT_AVX2);
        split(&b, SPLIT_NEON, LF_SPLIT_NEON);
        read_events(&b);
        run_passes(&b, PASS_ONE_1, 1);
        run_passes(&b, PASS_ONE_N, lf_cpu_count());
    }
    close(b.fd);
    print(&b);
    return 0;
}
