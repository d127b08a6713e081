/* A whole run over any bytes: where it succeeds, Perfetto refuses nothing of the result, fixing the
 * result again changes nothing, and undoing it gives back the input. The first byte chooses
 * options. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lanefix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int memory_file(const void *data, size_t n)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);

    assert(fd >= 0);
    for (size_t done = 0; done < n;) {
        ssize_t k = write(fd, (const char *)data + done, n - done);

        assert(k > 0);
        done += (size_t)k;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static char *content(int fd, size_t *n)
{
    struct stat st;
    char *bytes;

    assert(fstat(fd, &st) == 0);
    *n = (size_t)st.st_size;
    bytes = malloc(*n + 1);
    assert(bytes != NULL && pread(fd, bytes, *n, 0) == (ssize_t)*n);
    lseek(fd, 0, SEEK_SET);
    return bytes;
}

static enum lanefix_status fix(int in_fd, const struct lanefix_options *o, int *out_fd)
{
    struct lanefix_input in = {.fd = in_fd, .name = "input"};
    struct lanefix_output out = {.fd = -1, .name = "output", .level = LANEFIX_LEVEL_DEFAULT};
    struct lanefix_report *report = NULL;
    struct lanefix_error err;
    enum lanefix_status status;

    *out_fd = out.fd = memory_file("", 0);
    status = lanefix_fix(&in, &out, o, &report, &err);
    assert(status == LANEFIX_OK ? report != NULL : err.message[0] != '\0');
    lanefix_report_destroy(report);
    return status;
}

static void check_result(int fd, const struct lanefix_options *o)
{
    struct lanefix_input in = {.fd = fd, .name = "result"};
    struct lanefix_report *report = NULL;
    struct lanefix_error err;
    char *first, *second;
    size_t n_first, n_second;
    int again;

    first = content(fd, &n_first);
    assert(lanefix_check(&in, o, &report, &err) == LANEFIX_OK);
    assert(lanefix_report_counters(report)->refused == 0);
    lanefix_report_destroy(report);
    lseek(fd, 0, SEEK_SET);
    assert(fix(fd, o, &again) == LANEFIX_OK);
    second = content(again, &n_second);
    assert(n_first == n_second && memcmp(first, second, n_first) == 0);
    free(first);
    free(second);
    close(again);
}

/* An input that holds what looks like a note may be undone to something else, or not at all: what
 * stood there before a run of which nothing is known. */
static void check_undo(int in_fd, int fixed_fd, const struct lanefix_options *o)
{
    struct lanefix_input in = {.fd = fixed_fd, .name = "result"};
    struct lanefix_output out = {.fd = -1, .name = "undone", .level = LANEFIX_LEVEL_DEFAULT};
    struct lanefix_error err;
    size_t n_before, n_fixed, n_back;
    char *before = content(in_fd, &n_before);
    char *fixed = content(fixed_fd, &n_fixed);
    char *back;
    enum lanefix_status status;

    if ((n_before == n_fixed && memcmp(before, fixed, n_fixed) == 0) ||
        (unsigned char)before[0] == 0x1f || (unsigned char)before[0] == 0x28 ||
        memmem(before, n_before, "lanefix", 7) != NULL) {
        free(before);
        free(fixed);
        return;
    }
    out.fd = memory_file("", 0);
    status = lanefix_undo(&in, &out, o, NULL, &err);
    back = content(out.fd, &n_back);
    assert(status == LANEFIX_OK && n_back == n_before && memcmp(before, back, n_back) == 0);
    free(before);
    free(fixed);
    free(back);
    close(out.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct lanefix_options o;
    int in, out;

    if (n < 2) {
        return 0;
    }
    lanefix_options_init(&o);
    o.threads = 1 + (data[0] & 1);
    o.unfold = !(data[0] & 2);
    o.snap_threshold_ns = data[0] & 4 ? 0 : 5000;
    o.rebase = data[0] & 8 ? LANEFIX_REBASE_ALWAYS : LANEFIX_REBASE_NEVER;
    o.annotate = !(data[0] & 16);
    o.max_lanes = 0;
    in = memory_file(data + 1, n - 1);
    if (fix(in, &o, &out) == LANEFIX_OK && n > 1) {
        struct stat st;

        if (fstat(out, &st) == 0 && st.st_size > 0) {
            check_result(out, &o);
            if (o.annotate) {
                check_undo(in, out, &o);
            }
        }
    }
    close(in);
    close(out);
    return 0;
}
