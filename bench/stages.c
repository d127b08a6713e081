/* Stages of a run on one core, on one plain trace: reading through a mapping and by read, splitting with
 * every kernel, tokenizing with and without shapes.
 *
 *   stages TRACE */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json/split.h"
#include "run/feed.h"
#include "trace/event.h"

enum { ROUNDS = 5 };

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Touches every cache line, as a scan does. */
static uint64_t touch(const uint8_t *p, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i += 64) {
        sum += p[i];
    }
    return sum;
}

static double read_mapped(int fd, size_t n)
{
    uint8_t *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    double begin = now_s();
    volatile uint64_t sum = 0;

    if (p == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    for (size_t off = 0; off < n; off += LF_CHUNK_NBYTES) {
        size_t len = n - off < LF_CHUNK_NBYTES ? n - off : LF_CHUNK_NBYTES;

        sum += touch(p + off, len);
        madvise(p + off, len, MADV_DONTNEED);
    }
    munmap(p, n);
    return now_s() - begin;
}

static double read_copied(int fd, size_t n, uint8_t *buf)
{
    double begin = now_s();
    volatile uint64_t sum = 0;

    for (size_t off = 0; off < n;) {
        ssize_t k = pread(fd, buf, LF_CHUNK_NBYTES, (off_t)off);

        if (k <= 0) {
            perror("pread");
            exit(2);
        }
        sum += touch(buf, (size_t)k);
        off += (size_t)k;
    }
    return now_s() - begin;
}

static void check(enum lanefix_status status, const struct lanefix_error *err)
{
    if (status != LANEFIX_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit(2);
    }
}

/* Splits data in chunks; with a reader, tokenizes and decodes every event too. */
static double pass(const uint8_t *data, size_t n, enum lf_split_kernel kernel,
                   struct lf_event_reader *reader, uint64_t *n_events)
{
    struct lf_split_batch batch = {.events = NULL};
    struct lf_splitter s;
    struct lanefix_error err;
    double begin = now_s();
    size_t at = 0;
    size_t shown = 0;

    lf_splitter_init(&s);
    while (s.place != LF_SPLIT_DONE && at < n) {
        size_t used = 0;

        shown += LF_CHUNK_NBYTES;
        shown = shown < n - at ? shown : n - at;
        check(lf_splitter_feed(&s, kernel, data + at, shown, shown == n - at, &batch, &used, &err), &err);
        for (size_t i = 0; reader != NULL && i < batch.n_events; i++) {
            struct lf_event e;

            check(lf_event_read(reader, data + at, &batch.events[i], batch.nested,
                                at + batch.events[i].start, &e, &err), &err);
        }
        at += used;
        shown -= used;
    }
    *n_events = s.n_events;
    lf_split_batch_fini(&batch);
    return now_s() - begin;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void print(const char *name, double *times, size_t n, uint64_t n_events)
{
    double t;

    qsort(times, ROUNDS, sizeof *times, compare);
    t = times[ROUNDS / 2];
    printf("  %-34s %8.3f s  %6.2f GB/s", name, t, (double)n / t / 1e9);
    if (n_events != 0) {
        printf("  %6.0f ns an event", t / (double)n_events * 1e9);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum lf_split_kernel kernel;
    } kernels[] = {{"split, portable", LF_SPLIT_PORTABLE},
                   {"split, AVX2", LF_SPLIT_AVX2},
                   {"split, NEON", LF_SPLIT_NEON}};
    double times[4][ROUNDS];
    struct lanefix_error err;
    struct lf_event_reader plain, shapes;
    struct stat st;
    uint8_t *data;
    uint64_t n_events;
    size_t n;
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0 || fstat(fd, &st) != 0 || (data = malloc((size_t)st.st_size + LF_CHUNK_NBYTES)) == NULL) {
        fprintf(stderr, "usage: stages TRACE\n");
        return 2;
    }
    n = (size_t)st.st_size;
    for (int i = 0; i < ROUNDS; i++) {
        times[0][i] = read_mapped(fd, n);
        times[1][i] = read_copied(fd, n, data);
    }
    print("reading through a mapping", times[0], n, 0);
    print("reading into a buffer", times[1], n, 0);
    for (size_t off = 0; off < n;) {
        ssize_t k = pread(fd, data + off, n - off, (off_t)off);

        if (k <= 0) {
            return 2;
        }
        off += (size_t)k;
    }
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        for (int i = 0; lf_split_kernel_available(kernels[k].kernel) && i < ROUNDS; i++) {
            times[0][i] = pass(data, n, kernels[k].kernel, NULL, &n_events);
        }
        if (lf_split_kernel_available(kernels[k].kernel)) {
            print(kernels[k].name, times[0], n, 0);
        }
    }
    check(lf_event_reader_init(&plain, 1, false, false, &err), &err);
    check(lf_event_reader_init(&shapes, 1, true, false, &err), &err);
    for (int i = 0; i < ROUNDS; i++) {
        times[0][i] = pass(data, n, LF_SPLIT_AUTO, &plain, &n_events);
        times[1][i] = pass(data, n, LF_SPLIT_AUTO, &shapes, &n_events);
    }
    print("split and decode, jsmn alone", times[0], n, n_events);
    print("split and decode, with shapes", times[1], n, n_events);
    lf_event_reader_fini(&plain);
    lf_event_reader_fini(&shapes);
    free(data);
    close(fd);
    return 0;
}
