/* Temporary files are named ".<name>.lanefix-<host>-<pid>-<random>": a later run onto the same name
 * removes those whose process is gone from this host. */
#include "io/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

#define TAG ".lanefix-"
#define NAME_KEPT 180 /* of the name, so that the temporary one stays below 255 bytes */

static uint32_t host_tag(void)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    return (uint32_t)lf_hash_bytes(0x6c616e65666978u, host, strlen(host));
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

/* Removes leftovers of t's name by processes of this host that are gone. */
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
        unsigned host = 0;
        int pid = 0;

        if (strncmp(entry->d_name, prefix, n) == 0 &&
            sscanf(entry->d_name + n, "%8x-%d-", &host, &pid) == 2 && host == host_tag() &&
            pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) {
            unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    free(dir_path);
    free(prefix);
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
        t->fd = open(t->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (t->fd >= 0 || errno != EEXIST) {
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
    if (old != NULL) {
        if (fchown(t->fd, old->st_uid, old->st_gid) != 0) {
            /* only root can keep another's ownership; others get a file of their own */
        }
        if (fchmod(t->fd, old->st_mode & 07777) != 0) {
            return lf_fail_errno(err, errno, "%s: its mode cannot be kept", name);
        }
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_target_open(struct lf_target *t, const char *path, const char *name,
                                   struct lanefix_error *err)
{
    struct stat old;
    bool exists;
    enum lanefix_status status;

    memset(t, 0, sizeof *t);
    t->fd = -1;
    exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return lf_fail_errno(err, EISDIR, "%s: cannot be written", name);
    }
    if (exists && !S_ISREG(old.st_mode)) {
        t->stream = true;
        t->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return t->fd >= 0 ? LANEFIX_OK : lf_fail_errno(err, errno, "%s: cannot be written", name);
    }
    t->final = resolve(path);
    if (t->final == NULL) {
        return lf_fail_memory(err, strlen(path) + 1);
    }
    remove_leftovers(t);
    status = open_temp(t, exists ? &old : NULL, name, err);
    if (status != LANEFIX_OK) {
        lf_target_abandon(t);
    }
    return status;
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
        return close(fd) == 0 ? LANEFIX_OK
                              : lf_fail_errno(err, errno, "%s: cannot be written", name);
    }
    if (fsync(fd) != 0 && errno != EINVAL) { /* EINVAL: the file system does not know it */
        int failed = errno;

        close(fd);
        return lf_fail_errno(err, failed, "%s: cannot be written", name);
    }
    if (close(fd) != 0) {
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
