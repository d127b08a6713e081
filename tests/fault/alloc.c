/* Every allocation of a run fails once, and at another time it and all that follow: a status of
 * LANEFIX_ERR_MEMORY with a message, nothing leaked (blocks, mappings, descriptors, temporary files),
 * what stood at the output still there; or, where the run could do without, the whole result.
 *
 * The functions of the C library are replaced by ones of the same name here, which count, refuse the
 * n-th call made while armed, and keep the balance. Under AddressSanitizer, whose allocator is not to
 * be replaced, only the runs without a fault are made. Runs with several threads have no balance of
 * blocks: the C library keeps the stacks of threads that ended. And where libzstd has workers small
 * blocks are not refused: it dies of that (codec_zstd.c sees to it that there are some). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lanefix.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_REFUSE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAN_REFUSE 0
#endif
#endif
#if !defined(CAN_REFUSE)
#define CAN_REFUSE 1
#endif

static struct {
    bool armed, from_there_on;
    long refuse; /* the call of this number, from 1; 0: none */
    size_t spared; /* smaller blocks are not refused */
    long calls, refused;
    long blocks, mapped; /* living: of any time */
} heap;

#if CAN_REFUSE
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

static bool refuse(size_t nbytes)
{
    long n;

    if (!heap.armed || nbytes < heap.spared) {
        return false;
    }
    n = __atomic_add_fetch(&heap.calls, 1, __ATOMIC_SEQ_CST);
    if (heap.refuse == 0 || (heap.from_there_on ? n < heap.refuse : n != heap.refuse)) {
        return false;
    }
    __atomic_add_fetch(&heap.refused, 1, __ATOMIC_SEQ_CST);
    errno = ENOMEM;
    return true;
}

static void *counted(void *p)
{
    __atomic_add_fetch(&heap.blocks, p != NULL, __ATOMIC_SEQ_CST);
    return p;
}

LANEFIX_API void *malloc(size_t n)
{
    return refuse(n) ? NULL : counted(__libc_malloc(n));
}

LANEFIX_API void *calloc(size_t n, size_t size)
{
    return refuse(n * size) ? NULL : counted(__libc_calloc(n, size));
}

LANEFIX_API void *realloc(void *p, size_t n)
{
    void *moved;

    if (refuse(n)) {
        return NULL;
    }
    moved = __libc_realloc(p, n);
    return p == NULL ? counted(moved) : moved;
}

LANEFIX_API void *aligned_alloc(size_t align, size_t n)
{
    return refuse(n) ? NULL : counted(__libc_memalign(align, n));
}

LANEFIX_API int posix_memalign(void **out, size_t align, size_t n)
{
    void *p = refuse(n) ? NULL : counted(__libc_memalign(align, n));

    if (p == NULL) {
        return ENOMEM;
    }
    *out = p;
    return 0;
}

LANEFIX_API void free(void *p)
{
    __atomic_sub_fetch(&heap.blocks, p != NULL, __ATOMIC_SEQ_CST);
    __libc_free(p);
}

LANEFIX_API void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
    void *p = refuse(n) ? MAP_FAILED : (void *)syscall(SYS_mmap, at, n, prot, flags, fd, off);

    __atomic_add_fetch(&heap.mapped, p != MAP_FAILED, __ATOMIC_SEQ_CST);
    return p;
}

LANEFIX_API int munmap(void *p, size_t n)
{
    __atomic_sub_fetch(&heap.mapped, 1, __ATOMIC_SEQ_CST);
    return (int)syscall(SYS_munmap, p, n);
}
#endif

/* The compiler takes it that malloc and free change nothing of ours: so it has to be told. */
static long now(const long *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static int n_passed, n_failed;

static bool check(bool good, const char *what, const char *form, long n, const char *message)
{
    n_passed += good;
    n_failed += !good;
    if (!good) {
        printf("failed: %s: allocation %ld: %s (%s)\n", form, n, what, message);
    }
    return good;
}

static int entries_of(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;

    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

static void write_file(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");

    if (f == NULL || fwrite(text, 1, n, f) != n || fclose(f) != 0) {
        abort();
    }
}

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    char *text;

    if (f == NULL || fstat(fileno(f), &st) != 0 || (text = malloc((size_t)st.st_size + 1)) == NULL) {
        abort();
    }
    *n = fread(text, 1, (size_t)st.st_size, f);
    fclose(f);
    return text;
}

/* A trace with all that makes lanefix allocate: lanes, snaps, arrows, tracks that fold, names, pairs
 * that cross, kernels, a sort index, metadata, timestamps that lose nanoseconds. */
static size_t make_trace(char *to, size_t size, int n_events)
{
    size_t n = (size_t)snprintf(to, size, "{\"baseTimeNanoseconds\":7,\"traceEvents\":[\n");

    for (int i = 0; i < n_events; i++) {
        int tid = i % 5 == 4 ? -1 : i % 5;
        const char *quote = i % 5 == 3 ? "\"" : "";

        n += (size_t)snprintf(
            to + n, size - n,
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":%d,\"tid\":%s%d%s,\"ts\":"
            "17000000000%05d.125,\"dur\":%d.5,\"args\":{\"a\":[%d]}},\n",
            i % 97, i % 3, quote, tid, quote, i * 3, i % 11 == 0 ? 90 : 10, i);
        if (i % 7 == 0) {
            n += (size_t)snprintf(to + n, size - n,
                                  "{\"ph\":\"f\",\"bp\":\"e\",\"id\":%d,\"pid\":%d,\"tid\":%s%d%s,"
                                  "\"ts\":17000000000%05d.125,\"name\":\"a\"},\n",
                                  i, i % 3, quote, tid, quote, i * 3);
        }
        if (i % 50 == 0) {
            n += (size_t)snprintf(to + n, size - n,
                                  "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,"
                                  "\"args\":{\"name\":\"t%d\"}},\n{\"ph\":\"B\",\"name\":\"b\",\"pid\":"
                                  "9,\"tid\":9,\"ts\":%d},\n{\"ph\":\"E\",\"name\":\"b\",\"pid\":9,"
                                  "\"tid\":9,\"ts\":%d},\n",
                                  i % 3, tid, i, i * 9, i * 9 + 20);
        }
    }
    return n + (size_t)snprintf(to + n, size - n, "{}]}\n");
}

struct form {
    const char *name, *in, *out;
    bool piped;
    unsigned threads;
    enum lanefix_rebase rebase;
    bool only_check;
};

static struct lanefix_options options_of(const struct form *f)
{
    struct lanefix_options o;

    lanefix_options_init(&o);
    o.threads = f->threads;
    o.rebase = f->rebase;
    o.max_lanes = 0;
    o.spool_dir = ".";
    o.spool_memory = f->piped ? 1000 : 0;
    return o;
}

/* One run; a piped one reads a descriptor that is not at its first byte. */
static enum lanefix_status run(const struct form *f, struct lanefix_error *err)
{
    struct lanefix_options o = options_of(f);
    struct lanefix_input in = {.path = f->in, .fd = -1};
    struct lanefix_output out = {.path = f->out, .fd = -1, .level = LANEFIX_LEVEL_DEFAULT};
    struct lanefix_report *report = NULL;
    enum lanefix_status status;

    if (f->piped) {
        in.path = NULL;
        in.fd = open(f->in, O_RDONLY);
        lseek(in.fd, 1, SEEK_SET); /* a space stands before the trace */
    }
    heap.calls = heap.refused = 0;
    heap.spared = f->threads > 1 && strstr(f->out, ".zst") != NULL ? 16384 : 0;
    heap.armed = true;
    status = f->only_check ? lanefix_check(&in, &o, &report, err)
                           : lanefix_fix(&in, &out, &o, &report, err);
    lanefix_report_destroy(report);
    heap.armed = false;
    heap.refuse = 0;
    if (f->piped) {
        close(in.fd);
    }
    return status;
}

static bool holds(const char *path, const char *text, size_t n)
{
    size_t n_there;
    char *there = read_file(path, &n_there);
    bool same = n == n_there && memcmp(text, there, n) == 0;

    free(there);
    return same;
}

/* Refuses call n of a run. Returns whether there was one. */
static bool refuse_one(const struct form *f, long n, bool from_there_on, const char *want,
                       size_t n_want)
{
    struct lanefix_error err = {.message = ""};
    long blocks, mapped;
    int n_fds = entries_of("/proc/self/fd");
    int n_files = entries_of(".");
    enum lanefix_status status;

    if (!f->only_check) {
        write_file(f->out, "old\n", 4);
    }
    blocks = now(&heap.blocks);
    mapped = now(&heap.mapped);
    heap.refuse = n;
    heap.from_there_on = from_there_on;
    status = run(f, &err);
    if (now(&heap.refused) == 0) {
        return false;
    }
    check(f->threads > 1 || now(&heap.blocks) == blocks, "blocks leaked", f->name, n, err.message);
    check(f->threads > 1 || now(&heap.mapped) == mapped, "mappings leaked", f->name, n, err.message);
    check(entries_of("/proc/self/fd") == n_fds, "descriptors leaked", f->name, n, err.message);
    check(entries_of(".") == n_files, "files left behind", f->name, n, err.message);
    check(status == LANEFIX_OK || (status == LANEFIX_ERR_MEMORY && err.message[0] != '\0'),
          "neither done nor out of memory", f->name, n, err.message);
    if (!f->only_check) {
        check(status == LANEFIX_OK ? holds(f->out, want, n_want) : holds(f->out, "old\n", 4),
              "the wrong thing stands at the output", f->name, n, err.message);
    }
    return true;
}

static void try_form(const struct form *f)
{
    struct lanefix_error err = {.message = ""};
    size_t n_want = 0;
    char *want = NULL;
    long n = 0, n_calls;

    if (!check(run(f, &err) == LANEFIX_OK, "a run without a fault", f->name, 0, err.message)) {
        return;
    }
    n_calls = now(&heap.calls);
    if (!f->only_check) {
        want = read_file(f->out, &n_want);
    }
    for (int all = 0; CAN_REFUSE && all < 2; all++) {
        /* with threads the order of calls differs from run to run: some are made, not all */
        for (n = 1; refuse_one(f, n, all != 0, want, n_want); n += f->threads > 1 ? 3 : 1) {
        }
    }
    printf("%-40s %5ld allocations\n", f->name, n_calls);
    free(want);
}

int main(void)
{
    static const struct form forms[] = {
        {"plain file", "in.json", "out.json", false, 1, LANEFIX_REBASE_NEVER, false},
        {"plain pipe to zstd", "piped.json", "out.json.zst", true, 1, LANEFIX_REBASE_NEVER, false},
        {"zstd to gzip", "out.json.zst", "out.json.gz", false, 1, LANEFIX_REBASE_NEVER, false},
        {"gzip to plain", "out.json.gz", "out.json", false, 1, LANEFIX_REBASE_NEVER, false},
        {"rebased", "in.json", "rebased.json", false, 1, LANEFIX_REBASE_AUTO, false},
        {"check", "in.json", NULL, false, 1, LANEFIX_REBASE_NEVER, true},
        {"two threads", "in.json", "out.json", false, 2, LANEFIX_REBASE_NEVER, false},
        {"two threads, piped, to zstd", "piped.json", "two.json.zst", true, 2, LANEFIX_REBASE_NEVER,
         false},
    };
    static char trace[1 << 20];
    char in_memory[] = "/dev/shm/lanefix-alloc-XXXXXX"; /* syncing some thousand times is free here */
    char on_disk[] = "/tmp/lanefix-alloc-XXXXXX";
    char *folder = mkdtemp(in_memory) != NULL ? in_memory : mkdtemp(on_disk);
    char command[64];
    size_t n;

    if (folder == NULL || chdir(folder) != 0) {
        return 2;
    }
    trace[0] = ' ';
    n = 1 + make_trace(trace + 1, sizeof trace - 1, 400);
    write_file("piped.json", trace, n);
    write_file("in.json", trace + 1, n - 1);
    if (!CAN_REFUSE) {
        printf("skipped: the sanitizer's allocator is not to be replaced\n");
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        try_form(&forms[i]);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) {
        return 2;
    }
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed != 0;
}
