/* Temporary files are named ".<name>.lanefix-<host>-<pid>-<random>" and locked while they are written.
 * A later run onto the same name removes those whose process is gone or that nobody holds locked (the
 * process may be a zombie, its number another's by now), which can be known only on the same host (and
 * in the same container), and others' that nobody has written to for a day. */
#include "io/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"

#define TAG ".lanefix-"
#define NAME_KEPT 180 /* of the name, so that the temporary one stays below 255 bytes */
#define DAY_SECONDS (24 * 60 * 60)

/* Where pids mean what they mean here: the host's name and the pid namespace. */
static uint32_t host_tag(void)
{
    char host[256] = "";
    struct stat space;
    uint64_t seed = 0x6c616e65666978u;

    gethostname(host, sizeof host - 1);
    if (stat("/proc/self/ns/pid", &space) == 0) {
        seed ^= (uint64_t)space.st_ino << 32;
    }
    return (uint32_t)lf_hash_bytes(seed, host, strlen(host));
}

static char *format(const char *pattern, const char *dir, int n_dir, const char *base)
{
    char *text = NULL;

    return asprintf(&text, pattern, n_dir, dir, NAME_KEPT, base) < 0 ? NULL : text;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* What path names in the end. A link to nothing is followed too, so that its target is made. */
static char *resolve(const char *path)
{
    char *current = strdup(path);
    char link[4096];

    for (int depth = 0; current != NULL && depth < 40; depth++) {
        ssize_t n = readlink(current, link, sizeof link - 1);
        char *next;

        if (n < 0) {
            return current;
        }
        link[n] = '\0';
        if (link[0] == '/') {
            next = strdup(link);
        } else if (asprintf(&next, "%.*s%s", (int)(base_of(current) - current), current, link) < 0) {
            next = NULL;
        }
        free(current);
        current = next;
    }
    return current;
}

/* Whether nobody holds the lock of file fd; it is then held by us, until fd is closed. */
static bool take_lock(int fd, int wait)
{
    int result;

    do {
        result = flock(fd, LOCK_EX | wait);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Removes the temporary file called name, whose tag ends at rest, if it is nobody's any more. */
static void remove_leftover(int dir, const char *name, const char *rest)
{
    struct stat file;
    unsigned host = 0;
    int pid = 0;
    int fd;

    if (sscanf(rest, "%8x-%d-", &host, &pid) != 2 || pid <= 0 ||
        fstatat(dir, name, &file, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file.st_mode)) {
        return;
    }
    if (host != host_tag()) {
        if (file.st_mtime < time(NULL) - DAY_SECONDS) {
            unlinkat(dir, name, 0);
        }
        return;
    }
    if (kill(pid, 0) != 0 && errno == ESRCH) {
        unlinkat(dir, name, 0);
        return;
    }
    fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && take_lock(fd, LOCK_NB)) {
        unlinkat(dir, name, 0); /* under the lock: one who made it just now and waits will see */
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void remove_leftovers(const struct lf_target *t)
{
    const char *base = base_of(t->final);
    char *dir_path = strndup(t->final, (size_t)(base - t->final));
    char *prefix = format("%.*s.%.*s" TAG, "", 0, base);
    DIR *dir;
    struct dirent *entry;

    dir = dir_path != NULL ? opendir(*dir_path != '\0' ? dir_path : ".") : NULL;
    while (dir != NULL && prefix != NULL && (entry = readdir(dir)) != NULL) {
        size_t n = strlen(prefix);

        if (strncmp(entry->d_name, prefix, n) == 0) {
            remove_leftover(dirfd(dir), entry->d_name, entry->d_name + n);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    free(dir_path);
    free(prefix);
}

/* Only root can keep another's ownership, and only members a group; others get a file of their own,
 * without the bits that would mean another owner or group now. */
static enum lanefix_status keep_mode(int fd, const struct stat *old, const char *name,
                                     struct lanefix_error *err)
{
    mode_t mode = old->st_mode & 07777;

    if (fchown(fd, old->st_uid, old->st_gid) != 0) {
        mode &= 0777;
        if (fchown(fd, (uid_t)-1, old->st_gid) != 0) {
            mode &= 0707;
        }
    }
    return fchmod(fd, mode) == 0 ? LANEFIX_OK
                                 : lf_fail_errno(err, errno, "%s: its mode cannot be kept", name);
}

/* Makes and locks the file at path; -1 and errno, EEXIST also where another run took it for a leftover
 * before it was locked. Where files cannot be locked, it is known by its process alone. */
static int create_locked(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct stat file;

    if (fd >= 0 && take_lock(fd, 0) && fstat(fd, &file) == 0 && file.st_nlink == 0) {
        close(fd);
        errno = EEXIST;
        return -1;
    }
    return fd;
}

/* Opens the temporary file; its mode is that of the file it replaces, or what the umask leaves. */
static enum lanefix_status open_temp(struct lf_target *t, const struct stat *old, const char *name,
                                     struct lanefix_error *err)
{
    const char *base = base_of(t->final);

    for (int tries = 0; tries < 100; tries++) {
        char *head = format("%.*s.%.*s" TAG, t->final, (int)(base - t->final), base);

        if (head == NULL || asprintf(&t->temp, "%s%08x-%d-%08x", head, host_tag(), (int)getpid(),
                                     (unsigned)lf_hash_seed()) < 0) {
            t->temp = NULL;
        }
        free(head);
        if (t->temp == NULL) {
            return lf_fail_memory(err, strlen(t->final) + 64);
        }
        t->fd = create_locked(t->temp);
        if (t->fd >= 0 || (errno != EEXIST && errno != EINTR)) {
            break;
        }
        free(t->temp);
        t->temp = NULL;
    }
    if (t->fd < 0) {
        int failed = errno;

        free(t->temp);
        t->temp = NULL;
        return lf_fail_errno(err, failed, "%s: cannot be made", name);
    }
    return old != NULL ? keep_mode(t->fd, old, name, err) : LANEFIX_OK;
}

enum lanefix_status lf_target_open(struct lf_target *t, const char *path, const char *name,
                                   struct lanefix_error *err)
{
    struct stat old;
    bool exists;
    enum lanefix_status status;

    memset(t, 0, sizeof *t);
    t->fd = -1;
    t->fd = lf_file_dup_named(path);
    if (t->fd >= 0) {
        t->stream = true;
        return LANEFIX_OK;
    }
    exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT) {
        return lf_fail_errno(err, errno, "%s: cannot be written", name);
    }
    if (exists && S_ISDIR(old.st_mode)) {
        return lf_fail_errno(err, EISDIR, "%s: cannot be written", name);
    }
    if (exists && !S_ISREG(old.st_mode)) {
        t->stream = true;
        t->fd = lf_file_open(path, O_WRONLY);
        return t->fd >= 0 ? LANEFIX_OK : lf_fail_errno(err, errno, "%s: cannot be written", name);
    }
    t->final = resolve(path);
    if (t->final == NULL) {
        return lf_fail_memory(err, strlen(path) + 1);
    }
    if (*base_of(t->final) == '\0') {
        lf_target_abandon(t);
        return lf_fail_errno(err, ENOENT, "%s: cannot be made", name);
    }
    remove_leftovers(t);
    status = open_temp(t, exists ? &old : NULL, name, err);
    if (status != LANEFIX_OK) {
        lf_target_abandon(t);
    }
    return status;
}

/* Closes fd, which Linux does also where it says EINTR. */
static int close_interrupted(int fd)
{
    return close(fd) != 0 && errno != EINTR ? -1 : 0;
}

/* 0 also where the file system does not know syncing (EINVAL). */
static int sync_file(int fd)
{
    int result;

    do {
        result = fsync(fd);
    } while (result != 0 && errno == EINTR);
    return result != 0 && errno != EINVAL ? -1 : 0;
}

static void sync_folder(const char *path)
{
    char *dir_path = strndup(path, (size_t)(base_of(path) - path));
    int fd = dir_path != NULL ? open(*dir_path != '\0' ? dir_path : ".", O_RDONLY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd); /* a file system that cannot is no reason to fail: the file is whole */
        close(fd);
    }
    free(dir_path);
}

enum lanefix_status lf_target_commit(struct lf_target *t, const char *name,
                                     struct lanefix_error *err)
{
    int fd = t->fd;

    t->fd = -1;
    if (t->stream) {
        return close_interrupted(fd) == 0
                   ? LANEFIX_OK
                   : lf_fail_errno(err, errno, "%s: cannot be written", name);
    }
    if (sync_file(fd) != 0) {
        int failed = errno;

        close(fd);
        return lf_fail_errno(err, failed, "%s: cannot be written", name);
    }
    if (close_interrupted(fd) != 0) {
        return lf_fail_errno(err, errno, "%s: cannot be written", name);
    }
    if (rename(t->temp, t->final) != 0) {
        return lf_fail_errno(err, errno, "%s: cannot be put in place", name);
    }
    free(t->temp);
    t->temp = NULL;
    sync_folder(t->final);
    lf_target_abandon(t);
    return LANEFIX_OK;
}

void lf_target_abandon(struct lf_target *t)
{
    if (t->fd >= 0) {
        close(t->fd);
    }
    if (t->temp != NULL) {
        unlink(t->temp);
    }
    free(t->temp);
    free(t->final);
    t->temp = NULL;
    t->final = NULL;
    t->fd = -1;
}
