/* What the tests of source, sink and codecs share: bytes, files in a folder of their own, gzip
 * members made by hand. */
#ifndef TESTS_UNIT_IO_SUPPORT_H
#define TESTS_UNIT_IO_SUPPORT_H

#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "io/sink.h"
#include "io/source.h"

struct blob {
    uint8_t *data;
    size_t n;
};

/* Before the data of every blob that grew: what a test does not free itself, free_blobs does. */
struct blob_header {
    _Alignas(16) struct blob_header *next, *prev;
    size_t cap;
};

static struct blob_header blobs = {&blobs, &blobs, 0};

static char folder[64];

static inline void make_folder(void)
{
    strcpy(folder, "/tmp/lanefix-io-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

/* The path of a file in the test's folder; a few live at a time. */
static inline const char *in_folder(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* How many files are there, and removes them where told. */
static inline size_t count_files(bool remove_them)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    size_t n = 0;

    cr_assert_not_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            n++;
            if (remove_them) {
                unlinkat(dirfd(dir), entry->d_name, 0);
            }
        }
    }
    closedir(dir);
    return n;
}

static inline void blob_free(struct blob b)
{
    struct blob_header *h = (struct blob_header *)(void *)b.data;

    if (h != NULL) {
        h--;
        h->next->prev = h->prev;
        h->prev->next = h->next;
        free(h);
    }
}

static inline void clean_up(void)
{
    while (blobs.next != &blobs) {
        blob_free((struct blob){(uint8_t *)(blobs.next + 1), 0});
    }
    count_files(true);
    rmdir(folder);
}

static inline void append(struct blob *b, const void *data, size_t n)
{
    struct blob_header *h = (struct blob_header *)(void *)b->data;
    size_t cap = h != NULL ? h[-1].cap : 0;

    if (h == NULL || b->n + n > cap) {
        cap = cap + cap / 2 > b->n + n ? cap + cap / 2 : b->n + n;
        h = realloc(h != NULL ? h - 1 : NULL, sizeof *h + cap);
        if (b->data == NULL) {
            h->next = blobs.next;
            h->prev = &blobs;
        }
        h->cap = cap;
        h->next->prev = h;
        h->prev->next = h;
        b->data = (uint8_t *)(h + 1);
    }
    if (n != 0) {
        memcpy(b->data + b->n, data, n);
    }
    b->n += n;
}

static inline void append_blob(struct blob *b, struct blob more)
{
    append(b, more.data, more.n);
}

static inline void append_le(struct blob *b, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));

        append(b, &byte, 1);
    }
}

static inline bool same(struct blob a, struct blob b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.data, b.data, a.n) == 0);
}

/* n bytes that look like a trace: some repeat, some don't. */
static inline struct blob trace_text(size_t n)
{
    struct blob b = {NULL, 0};
    uint64_t x = 88172645463325252u;
    char line[128];

    append(&b, "[", 1);
    while (b.n < n) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        append(&b, line,
               (size_t)snprintf(line, sizeof line, "{\"ph\":\"X\",\"ts\":%llu,\"dur\":%u},\n",
                                (unsigned long long)(x >> 20), (unsigned)(x & 1023)));
    }
    b.n = n;
    return b;
}

static inline uint32_t crc32_of(struct blob b)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < b.n; i++) {
        crc ^= b.data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
        }
    }
    return ~crc;
}

#define GZ_HCRC    2
#define GZ_EXTRA   4
#define GZ_NAME    8
#define GZ_COMMENT 16

/* A gzip member of stored blocks, with the header fields that flags name. */
static inline struct blob gzip_stored(struct blob text, unsigned flags)
{
    struct blob b = {NULL, 0};
    size_t at = 0;

    append_le(&b, 0x00088b1f | (uint64_t)flags << 24, 4);
    append_le(&b, 0x030012345678, 6);
    if (flags & GZ_EXTRA) {
        append_le(&b, 9, 2);
        append(&b, "AB\5\0hello", 9);
    }
    if (flags & GZ_NAME) {
        append(&b, "trace of a run.json", 20);
    }
    if (flags & GZ_COMMENT) {
        append(&b, "a comment", 10);
    }
    if (flags & GZ_HCRC) {
        append_le(&b, crc32_of(b) & 0xffff, 2);
    }
    do {
        size_t n = text.n - at < 1000 ? text.n - at : 1000;

        append_le(&b, at + n == text.n, 1);
        append_le(&b, n, 2);
        append_le(&b, ~n, 2);
        if (n != 0) {
            append(&b, text.data + at, n);
        }
        at += n;
    } while (at < text.n);
    append_le(&b, crc32_of(text), 4);
    append_le(&b, text.n, 4);
    return b;
}

static inline void write_file(const char *path, struct blob b)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(b.data, 1, b.n, file), b.n);
    cr_assert_eq(fclose(file), 0);
}

static inline struct blob read_stream(FILE *file)
{
    struct blob b = {NULL, 0};
    char buf[4096];
    size_t n;

    cr_assert_not_null(file);
    while ((n = fread(buf, 1, sizeof buf, file)) != 0) {
        append(&b, buf, n);
    }
    return b;
}

static inline struct blob read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct blob b = read_stream(file);

    fclose(file);
    return b;
}

/* text as a sink writes it in one piece. */
static inline struct blob packed(enum lanefix_form form, struct blob text, int level,
                                 unsigned threads)
{
    const char *path = in_folder("packed");
    struct lf_sink_options options = {.path = path,
                                      .fd = -1,
                                      .name = "packed",
                                      .form = form,
                                      .level = level,
                                      .threads = threads};
    struct lanefix_error err;
    struct lf_sink *sink;
    struct blob b;

    lf_error_init(&err);
    cr_assert_eq(lf_sink_open(&sink, &options, &err), LANEFIX_OK, "%s", err.message);
    cr_assert_eq(lf_sink_write(sink, text.data, text.n, &err), LANEFIX_OK, "%s", err.message);
    cr_assert_eq(lf_sink_commit(sink, &err), LANEFIX_OK, "%s", err.message);
    b = read_file(path);
    cr_assert_eq(lf_sink_bytes_written(sink), b.n);
    lf_sink_close(sink);
    unlink(path);
    return b;
}

/* Reads a source to its end by step bytes. */
static inline enum lanefix_status read_all(struct lf_source *source, size_t step, struct blob *out,
                                           struct lanefix_error *err)
{
    uint8_t *buf = malloc(step);
    enum lanefix_status status;
    size_t n;

    out->data = NULL;
    out->n = 0;
    lf_error_init(err);
    do {
        n = 0;
        status = lf_source_read(source, buf, step, &n, err);
        append(out, buf, status == LANEFIX_OK ? n : 0);
    } while (status == LANEFIX_OK && n == step);
    free(buf);
    return status;
}

/* A child that writes b to fd and ends; wait_child collects it. */
static inline pid_t write_in_child(int fd, struct blob b, size_t step, useconds_t pause)
{
    pid_t pid = fork();

    if (pid == 0) {
        for (size_t at = 0; at < b.n; at += step) {
            size_t n = b.n - at < step ? b.n - at : step;

            if (write(fd, b.data + at, n) != (ssize_t)n) {
                _exit(1);
            }
            if (pause != 0) {
                usleep(pause);
            }
        }
        _exit(0);
    }
    return pid;
}

static inline void wait_child(pid_t pid)
{
    int status = -1;

    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
}

#endif
