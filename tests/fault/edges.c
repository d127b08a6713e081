/* Times at every edge of what an int64 of nanoseconds and a double of microseconds hold: every pair
 * of ts and dur, and random traces of such events with pairs, instants and arrows among them. Where a
 * run succeeds Perfetto refuses nothing of its result, fixing that again changes nothing, every slice
 * and endpoint was either placed or counted as left alone, and no sum wrapped. Nothing here may
 * overflow: under UBSan that ends the program. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lanefix.h"

static const char *const edges[] = {
    "0", "-0", "0.0", "-0.0", "1", "-1", "0.0004", "0.0005", "-0.0005", "0.001", "-0.001", "1e-300",
    "511.999", "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740.993",
    "4611686018427387.904", "-4611686018427387.904", "9223372036854774.784", "9223372036854774.9",
    "9223372036854775", "9223372036854775.0", "9223372036854775.807", "9223372036854775.808",
    "9223372036854776", "-9223372036854775", "-9223372036854775.807", "-9223372036854775.808",
    "-9223372036854775.809", "-9223372036854776", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "4294967295", "4294967296", "9.2e15", "9.223372036854775e15", "9.3e15", "-9.2e15", "-9.3e15",
    "1e18", "1e19", "1e300", "-1e300", "1e308", "1e309", "1e400", "1e-400", "1e2147483647",
    "1e2147483648", "1e-2147483648", "1e9223372036854775807", "1e99999999999999999999", "NaN", "inf",
    "-inf", "true", "{}", "[]", "\"\"", "\"x\"", "\"9223372036854775.807\"", "\"-9.2e15\"", "\" 1 \"",
};
enum { N_EDGES = sizeof edges / sizeof edges[0] };

static int n_passed, n_failed;
static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 16) % n);
}

static bool check(bool good, const char *what, const char *message)
{
    n_passed += good;
    n_failed += !good;
    if (!good) {
        printf("failed: %s (%s)\n", what, message);
    }
    return good;
}

struct text {
    char *bytes;
    size_t n, cap;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    if (t->cap - t->n < 400) {
        t->cap = t->cap * 2 + 4096;
        t->bytes = realloc(t->bytes, t->cap);
        if (t->bytes == NULL) {
            abort();
        }
    }
    va_start(args, format);
    n = vsnprintf(t->bytes + t->n, t->cap - t->n, format, args);
    va_end(args);
    t->n += (size_t)n;
}

static int memory_file(const struct text *t)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);

    if (fd < 0 || (t != NULL && write(fd, t->bytes, t->n) != (ssize_t)t->n)) {
        abort();
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static struct text content(int fd)
{
    struct stat st;
    struct text t = {NULL, 0, 0};

    if (fstat(fd, &st) != 0 || (t.bytes = malloc((size_t)st.st_size + 1)) == NULL ||
        pread(fd, t.bytes, (size_t)st.st_size, 0) != st.st_size) {
        abort();
    }
    t.n = (size_t)st.st_size;
    lseek(fd, 0, SEEK_SET);
    return t;
}

static enum lanefix_status fix(int in_fd, int *out_fd, const struct lanefix_options *o,
                               struct lanefix_report **report, struct lanefix_error *err)
{
    struct lanefix_input in = {.fd = in_fd, .name = "input"};
    struct lanefix_output out = {.name = "output", .form = LANEFIX_FORM_PLAIN,
                                 .level = LANEFIX_LEVEL_DEFAULT};

    *out_fd = out.fd = memory_file(NULL);
    return lanefix_fix(&in, &out, o, report, err);
}

static void check_result(int fd, const struct lanefix_options *o, const char *what)
{
    struct lanefix_input in = {.fd = fd, .name = "result"};
    struct lanefix_report *report = NULL;
    struct lanefix_error err = {.message = ""};
    struct text first = content(fd), second;
    int again;

    if (check(lanefix_check(&in, o, &report, &err) == LANEFIX_OK, what, err.message)) {
        check(lanefix_report_counters(report)->refused == 0, what, "Perfetto refuses some of it");
    }
    lanefix_report_destroy(report);
    lseek(fd, 0, SEEK_SET);
    check(fix(fd, &again, o, NULL, &err) == LANEFIX_OK, what, err.message);
    second = content(again);
    check(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0, what,
          "fixing again changes something");
    free(first.bytes);
    free(second.bytes);
    close(again);
}

/* n_timed: complete slices and flow endpoints in the trace. */
static void try_trace(const struct text *t, uint64_t n_timed, const char *what)
{
    struct lanefix_options o;
    struct lanefix_report *report = NULL;
    struct lanefix_error err = {.message = ""};
    int in = memory_file(t), out, failed = n_failed;

    lanefix_options_init(&o);
    o.max_lanes = 0;
    o.threads = 1 + pick(2);
    o.unfold = pick(4) != 0;
    o.snap_threshold_ns = pick(3) == 0 ? INT64_MAX : pick(2) == 0 ? 0 : 5000;
    o.rebase = pick(2) == 0 ? LANEFIX_REBASE_NEVER : (enum lanefix_rebase)pick(3);
    if (check(fix(in, &out, &o, &report, &err) == LANEFIX_OK, what, err.message)) {
        const struct lanefix_counters *c = lanefix_report_counters(report);
        struct lanefix_change change;

        /* B, E and instants are not counted as slices, but as left alone they are */
        check(c->slices + c->flow_endpoints + c->bad_times >= n_timed, what, "an event is not counted");
        check(c->slices + c->flow_endpoints <= n_timed, what, "an event is counted twice");
        for (int kind = LANEFIX_MOVED; kind <= LANEFIX_NEGATIVE; kind++) {
            for (size_t i = 0; lanefix_report_change(report, (enum lanefix_change_kind)kind, i, &change);
                 i++) {
                if (change.start_shift_ns < 0 || change.end_shift_ns < 0 ||
                    (uint64_t)change.start_shift_ns > c->start_shift_ns ||
                    (uint64_t)change.end_shift_ns > c->end_shift_ns) {
                    check(false, what, "a shift wrapped");
                }
            }
        }
        /* what ends beyond an int64 is left alone: rebased, it may be read the next time */
        if (o.rebase == LANEFIX_REBASE_NEVER || c->bad_times == 0) {
            check_result(out, &o, what);
        }
    }
    if (n_failed != failed) {
        printf("threads %u, unfold %d, snap %lld, rebase %d:\n", o.threads, o.unfold,
               (long long)o.snap_threshold_ns, (int)o.rebase);
        printf("%.*s\n", (int)(t->n < 20000 ? t->n : 0), t->bytes);
    }
    lanefix_report_destroy(report);
    close(in);
    close(out);
}

static void add_event(struct text *t, char ph, const char *ts, const char *dur, uint32_t tid)
{
    add(t, ",\n{\"ph\":\"%c\",\"cat\":\"kernel\",\"name\":\"a\",\"id\":1,\"pid\":1,\"tid\":%u,\"ts\":%s", ph,
        tid, ts);
    add(t, ph == 'X' ? ",\"dur\":%s}" : ph == 'f' ? ",\"bp\":\"e\"}%.0s" : "}%.0s", dur);
}

static void try_pairs(bool one_track)
{
    struct text t = {NULL, 0, 0};
    uint64_t n = 0;

    add(&t, "[{}");
    for (size_t i = 0; i < N_EDGES; i++) {
        for (size_t k = 0; k < N_EDGES; k++) {
            add_event(&t, 'X', edges[i], edges[k], one_track ? 1 : (uint32_t)n + 1);
            n++;
        }
    }
    add(&t, "]");
    try_trace(&t, n, one_track ? "every pair on one track" : "every pair on a track of its own");
    free(t.bytes);
}

static void try_random(void)
{
    static const char phases[] = "XXXXXXXXBEisftf";
    struct text t = {NULL, 0, 0};
    uint64_t n_timed = 0;
    uint32_t n = 1 + pick(40);
    uint32_t few = 2 + pick(N_EDGES - 1); /* of few times, so that they meet */
    uint32_t from = pick(N_EDGES);

    add(&t, "[{}");
    for (uint32_t i = 0; i < n; i++) {
        char ph = phases[pick(sizeof phases - 1)];

        n_timed += strchr("Xstf", ph) != NULL;
        add_event(&t, ph, edges[(from + pick(few)) % N_EDGES], edges[(from + pick(few)) % N_EDGES],
                  1 + pick(3));
    }
    add(&t, "]");
    try_trace(&t, n_timed, "random events at the edges");
    free(t.bytes);
}

int main(int argc, char **argv)
{
    int rounds = getenv("LF_FULL") != NULL ? 200000 : 3000;

    if (argc > 1) {
        seed = strtoull(argv[1], NULL, 10) * 2 + 1;
    }
    for (int i = 0; i < 4; i++) {
        try_pairs(false);
        try_pairs(true);
    }
    for (int i = 0; i < rounds && n_failed < 5; i++) {
        try_random();
    }
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed != 0;
}
