/* The shape cache never changes what an event says: every event of the files given (or of made ones,
 * where none is) is read with it and without; all values and all that is decoded must be the same. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/source.h"
#include "run/feed.h"
#include "same_event.h"

static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 16) % n);
}

/* What was said of the event that had an alike number first. */
struct alike {
    uint64_t number;
    char text[LF_N_MEMBERS][64];
};

static struct alike alikes[LF_TOKEN_ALIKE];
static uint64_t n_alike;

static void copy_value(char text[64], const uint8_t *event, const struct lf_value *v)
{
    snprintf(text, 64, "%d:%.*s", (int)v->kind, (int)(v->end - v->start), (const char *)event + v->start);
}

/* Events of one number must have the same texts at the steady members. */
static bool alike_is_true(const struct lf_event_reader *r, const struct lf_event *e, const uint8_t *event)
{
    static const enum lf_member steady[] = {LF_MEMBER_CAT, LF_MEMBER_PH, LF_MEMBER_PID,
                                            LF_MEMBER_TID, LF_MEMBER_BP, LF_MEMBER_SCOPE};
    struct alike *first = &alikes[e->alike % LF_TOKEN_ALIKE];
    bool known = first->number == e->alike;

    if (e->alike == 0) {
        return true;
    }
    n_alike += known;
    first->number = e->alike;
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++) {
        const struct lf_value *v = &r->values[steady[i]];
        char text[64] = "";

        if (v->kind != LF_VALUE_OBJECT && v->kind != LF_VALUE_ARRAY) {
            copy_value(text, event, v);
        }
        if (known && strcmp(text, first->text[steady[i]]) != 0) {
            return false;
        }
        memcpy(first->text[steady[i]], text, sizeof text);
    }
    return true;
}

/* One event by both; false where they differ. A fault of the text must be the same fault. */
static bool compare(struct lf_event_reader *plain, struct lf_event_reader *shaped,
                    const struct lf_chunk *chunk, const struct lf_split_event *e)
{
    uint64_t off = chunk->off + e->start;
    struct lanefix_error err_a = {.message = ""}, err_b = {.message = ""};
    struct lf_event a, b;
    enum lanefix_status status =
        lf_event_read(plain, chunk->buf, e, chunk->batch.nested, off, &a, &err_a);
    bool same = status == lf_event_read(shaped, chunk->buf, e, chunk->batch.nested, off, &b, &err_b);

    if (status != LANEFIX_OK || !same) {
        return same && err_a.offset == err_b.offset && strcmp(err_a.message, err_b.message) == 0;
    }
    for (size_t k = 0; k < LF_N_MEMBERS; k++) {
        same = same && same_value(&plain->values[k], &shaped->values[k]);
    }
    return same && same_event(&a, &b) && alike_is_true(shaped, &b, chunk->buf + e->start);
}

/* Every event of path, or of descriptor fd; the number of events, and of those that differ. */
static enum lanefix_status compare_all(const char *path, int fd, uint64_t *n_events,
                                       uint64_t *n_different, struct lanefix_error *err)
{
    struct lf_source_options o = {.path = path, .fd = fd, .name = path != NULL ? path : "made",
                                  .window_log_max = 27};
    struct lf_event_reader plain = {0}, shaped = {0};
    struct lf_source *source = NULL;
    struct lf_chunk chunk = {0};
    struct lf_feed feed = {0};
    bool end = false;
    enum lanefix_status status = lf_source_open(&source, &o, err);

    if (status == LANEFIX_OK) {
        lf_feed_init(&feed, source);
        status = lf_event_reader_init(&plain, 7, false, false, err);
    }
    if (status == LANEFIX_OK) {
        status = lf_event_reader_init(&shaped, 7, true, false, err);
    }
    while (status == LANEFIX_OK && !end) {
        status = lf_feed_next(&feed, &chunk, &end, err);
        for (size_t i = 0; status == LANEFIX_OK && i < chunk.batch.n_events; i++) {
            ++*n_events;
            if (!compare(&plain, &shaped, &chunk, &chunk.batch.events[i]) && ++*n_different <= 3) {
                const struct lf_split_event *e = &chunk.batch.events[i];

                printf("differs: %.*s\n", (int)(e->end - e->start), chunk.buf + e->start);
            }
        }
    }
    lf_chunk_fini(&chunk);
    lf_feed_fini(&feed);
    lf_event_reader_fini(&plain);
    lf_event_reader_fini(&shaped);
    lf_source_close(source);
    return status;
}

/* Few layouts, many values, now and then something between them that is a little different. */
static int make_trace(int n_events)
{
    static const char *const members[] = {
        "\"ph\":%s", "\"ts\":%s", "\"dur\": %s", "\"pid\":%s", "\"tid\":%s", "\"name\":%s", "\"cat\":%s",
        "\"args\":{\"a\":%s}", "\"args\" : %s", "\"x\\\"y\":%s", "\"ts\":%s ", "\"s\":[%s]"};
    static const char *const values[] = {
        "1", "-1.5", "12345678.125", "1e3", "\"X\"", "\"M\"", "\"s\"", "\"a\\\"b\"", "\"\\\\\"", "\"\"",
        "\"thread_name\"", "null", "true", "NaN", "\"1\"", "{\"name\":\"n\"}", "[{}]", "\"a,b:{c}\"", "0"};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(dup(fd), "w") : NULL;

    if (f == NULL) {
        abort();
    }
    fprintf(f, "[{}");
    for (int i = 0; i < n_events; i++) {
        bool repeats = i % 512 < 256; /* now any values, now each layout a few of its own */
        uint64_t layout = pick(20) == 0 ? pick(1u << 30) : pick(repeats ? 8 : 24);
        uint32_t n = 1 + (uint32_t)layout % 7;

        fprintf(f, ",\n{");
        for (uint32_t k = 0; k < n; k++) {
            const char *member = members[(layout * 7 + k * 5) % (sizeof members / sizeof *members)];
            const char *slot = strstr(member, "%s");
            uint32_t value = repeats ? (uint32_t)layout * 3 + k * 7 + pick(40) / 39 : pick(1000);

            fprintf(f, "%s%.*s%s%s", k == 0 ? "" : pick(40) == 0 ? " , " : ",", (int)(slot - member),
                    member, values[value % (sizeof values / sizeof *values)], slot + 2);
        }
        fprintf(f, "}");
    }
    fprintf(f, "]");
    if (fclose(f) != 0) {
        abort();
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

int main(int argc, char **argv)
{
    int n_passed = 0, n_failed = 0;

    for (int i = 1; i <= (argc > 1 ? argc - 1 : 1); i++) {
        uint64_t n_events = 0, n_different = 0;
        bool any_alike;
        struct lanefix_error err = {.message = ""};
        int fd = argc > 1 ? -1 : make_trace(100000);
        enum lanefix_status status =
            compare_all(argc > 1 ? argv[i] : NULL, fd, &n_events, &n_different, &err);

        memset(alikes, 0, sizeof alikes); /* numbers are of one reader */
        any_alike = n_alike != 0 || argc > 1;
        if (fd >= 0) {
            close(fd);
        }
        if (any_alike && status == LANEFIX_OK && n_different == 0 && n_events != 0) {
            n_passed++;
        } else {
            n_failed++;
            printf("failed: %s: %llu of %llu events differ %s\n", argc > 1 ? argv[i] : "made",
                   (unsigned long long)n_different, (unsigned long long)n_events, err.message);
        }
    }
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed != 0;
}
