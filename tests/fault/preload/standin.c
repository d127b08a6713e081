/* A stand-in for the C library's system calls and allocations, loaded by LD_PRELOAD: it makes chosen
 * calls go wrong. LF_FAULT holds "CALL:WHICH:WHAT", several separated by spaces:
 *
 *   CALL   a name of the table below; alloc: malloc and all its kin, mmap
 *   WHICH  n: the n-th such call; n+: it and all that follow; odd: the first, third, ...
 *   WHAT   a number: errno of the failure; short: one byte is moved, no more; kill: SIGKILL;
 *          tmpfile: fails with EOPNOTSUPP where O_TMPFILE is asked for (open only);
 *          cut, grow, touch: the file is cut to half, gets 4096 bytes more, gets another time,
 *          before the call is made
 *
 * Every fault that happened is a line in the file LF_FAULT_LOG, so that a test can tell a fault that
 * was survived from one that never came. Only calls that lanefix makes itself are seen: the C
 * library's own (stdio, opendir) do not come by here. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum call {
    OPEN, READ, PREAD, WRITE, FSYNC, CLOSE, RENAME, COPY, FCHMOD, FCHOWN, ALLOC, N_CALLS
};
enum what { NOTHING, FAIL, SHORT, KILL, TMPFILE, CUT, GROW, TOUCH };

static const char *const call_names[N_CALLS] = {"open",  "read",   "pread", "write",
                                                "fsync", "close",  "rename", "copy_file_range",
                                                "fchmod", "fchown", "alloc"};

struct fault {
    long n;
    bool on, odd;
    enum what what;
    int failure; /* errno */
};

static struct fault faults[N_CALLS];
static long counts[N_CALLS];
static bool armed;

static void log_hit(enum call call)
{
    const char *path = getenv("LF_FAULT_LOG");
    long fd = path != NULL ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600)
                           : -1;

    if (fd >= 0) {
        (void)syscall(SYS_write, fd, call_names[call], strlen(call_names[call]));
        (void)syscall(SYS_write, fd, "\n", 1);
        syscall(SYS_close, fd);
    }
}

static const char *parse_what(const char *s, struct fault *f)
{
    static const char *const names[] = {"short", "kill", "tmpfile", "cut", "grow", "touch"};

    for (int i = 0; i < 6; i++) {
        size_t n = strlen(names[i]);

        if (strncmp(s, names[i], n) == 0) {
            f->what = (enum what)(SHORT + i);
            return s + n;
        }
    }
    f->what = FAIL;
    f->failure = (int)strtol(s, (char **)&s, 10);
    return s;
}

__attribute__((constructor)) static void arm(void)
{
    const char *s = getenv("LF_FAULT");

    while (s != NULL && *s != '\0') {
        const char *colon = strchr(s, ':');
        struct fault f = {0, false, false, NOTHING, 0};
        int call = 0;

        while (colon != NULL && call < N_CALLS &&
               (strncmp(s, call_names[call], (size_t)(colon - s)) != 0 ||
                call_names[call][colon - s] != '\0')) {
            call++;
        }
        if (colon == NULL || call == N_CALLS) {
            abort();
        }
        s = colon + 1;
        if (strncmp(s, "odd", 3) == 0) {
            f.odd = true;
            s += 3;
        } else {
            f.n = strtol(s, (char **)&s, 10);
            f.on = *s == '+';
            s += f.on;
        }
        s = parse_what(s + 1, &f);
        faults[call] = f;
        s += strspn(s, " ");
    }
    armed = true;
}

/* What is to happen to this call. Counting is atomic: calls come from any thread. */
static enum what strike(enum call call)
{
    const struct fault *f = &faults[call];
    long n;

    if (!armed || f->what == NOTHING) {
        return NOTHING;
    }
    n = __atomic_add_fetch(&counts[call], 1, __ATOMIC_SEQ_CST);
    if (f->odd ? n % 2 == 0 : f->on ? n < f->n : n != f->n) {
        return NOTHING;
    }
    if (f->what == KILL) {
        log_hit(call);
        kill(getpid(), SIGKILL);
    }
    if (f->what != TMPFILE) {
        log_hit(call);
    }
    errno = f->what == FAIL ? f->failure : errno;
    return f->what;
}

/* The same, where a file can be changed under the program's feet. */
static enum what strike_fd(enum call call, int fd)
{
    static char more[4096];
    enum what what = strike(call);
    char path[64] = "/proc/self/fd/";
    char digits[16];
    struct stat st;
    int n = 0, other;
    size_t at = strlen(path);

    if (what != CUT && what != GROW && what != TOUCH) {
        return what;
    }
    for (int v = fd; n == 0 || v > 0; v /= 10) {
        digits[n++] = (char)('0' + v % 10);
    }
    while (n > 0) {
        path[at++] = digits[--n];
    }
    other = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND, 0);
    if (fstat(other, &st) == 0 && what == CUT) {
        (void)!ftruncate(other, st.st_size / 2);
    } else if (what == GROW) {
        memset(more, ' ', sizeof more);
        (void)syscall(SYS_write, other, more, sizeof more);
    } else if (what == TOUCH) {
        struct timespec times[2] = {{1, 0}, {1, 0}};

        futimens(other, times);
    }
    syscall(SYS_close, other);
    return NOTHING;
}

int open(const char *path, int flags, ...)
{
    enum what what = strike(OPEN);
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        mode = (mode_t)va_arg(args, int);
    }
    va_end(args);
    if (what == TMPFILE && (flags & O_TMPFILE) == O_TMPFILE) {
        log_hit(OPEN);
        errno = EOPNOTSUPP;
        return -1;
    }
    return what == FAIL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t read(int fd, void *buf, size_t n)
{
    enum what what = strike_fd(READ, fd);

    return what == FAIL ? -1 : syscall(SYS_read, fd, buf, what == SHORT && n > 1 ? 1 : n);
}

ssize_t pread(int fd, void *buf, size_t n, off_t off)
{
    enum what what = strike_fd(PREAD, fd);

    return what == FAIL ? -1 : syscall(SYS_pread64, fd, buf, what == SHORT && n > 1 ? 1 : n, off);
}

ssize_t write(int fd, const void *buf, size_t n)
{
    enum what what = strike(WRITE);

    return what == FAIL ? -1 : syscall(SYS_write, fd, buf, what == SHORT && n > 1 ? 1 : n);
}

ssize_t copy_file_range(int from, off_t *from_off, int to, off_t *to_off, size_t n, unsigned flags)
{
    enum what what = strike_fd(COPY, from);

    return what == FAIL ? -1
                        : syscall(SYS_copy_file_range, from, from_off, to, to_off,
                                  what == SHORT && n > 1 ? 1 : n, flags);
}

int fsync(int fd)
{
    return strike(FSYNC) == FAIL ? -1 : (int)syscall(SYS_fsync, fd);
}

/* The descriptor is closed even so, as Linux does. */
int close(int fd)
{
    enum what what = strike(CLOSE);
    int failure = errno;
    int result = (int)syscall(SYS_close, fd);

    if (what == FAIL) {
        errno = failure;
        return -1;
    }
    return result;
}

int rename(const char *from, const char *to)
{
    return strike(RENAME) == FAIL ? -1
                                  : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fchmod(int fd, mode_t mode)
{
    return strike(FCHMOD) == FAIL ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int fchown(int fd, uid_t owner, gid_t group)
{
    return strike(FCHOWN) == FAIL ? -1 : (int)syscall(SYS_fchown, fd, owner, group);
}

#ifndef LF_NO_ALLOC /* AddressSanitizer has an allocator of its own */

/* The C library's own names for its functions: they serve from the first call on. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);

static bool refused(void)
{
    if (strike(ALLOC) == FAIL) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *malloc(size_t n)
{
    return refused() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return refused() ? NULL : __libc_realloc(p, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    if (refused()) {
        return ENOMEM;
    }
    *out = __libc_memalign(align, n);
    return *out != NULL ? 0 : ENOMEM;
}

void *aligned_alloc(size_t align, size_t n)
{
    return refused() ? NULL : __libc_memalign(align, n);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
    if (refused()) {
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, off);
}

#endif
