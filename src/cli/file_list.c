/* Folders are walked without following links to folders; what begins with a dot, the output folder
 * and what an earlier run wrote beside its input are passed by. */
#include "cli/file_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/shard.h"
#include "cli/text.h"

struct collector {
    struct cli_files *files;
    const struct cli_options *o;
    struct stat output_dir; /* st_ino 0: there is none yet */
    char *message;
    size_t n_message;
};

static bool fail(struct collector *c, const char *name, const char *why)
{
    char safe[200];

    snprintf(c->message, c->n_message, "%s: %s", cli_safe(safe, sizeof safe, name, strlen(name)),
             why);
    return false;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool ends_with(const char *text, size_t n, const char *end)
{
    size_t n_end = strlen(end);

    return n >= n_end && memcmp(text + n - n_end, end, n_end) == 0;
}

/* Where the extension of base begins: .json with what follows it, or the last one. */
static size_t extension_of(const char *base)
{
    size_t n = strlen(base);
    size_t cut = ends_with(base, n, ".gz") ? n - 3 : ends_with(base, n, ".zst") ? n - 4 : n;

    for (size_t i = cut; i > 1; i--) {
        if (base[i - 1] == '.') {
            return i - 1;
        }
    }
    return cut;
}

char *cli_suffixed(const char *path, const char *suffix)
{
    size_t cut = (size_t)(base_of(path) - path) + extension_of(base_of(path));
    char *out = NULL;

    return asprintf(&out, "%.*s%s%s", (int)cut, path, suffix, path + cut) < 0 ? NULL : out;
}

static char *joined(const char *dir, const char *name)
{
    size_t n = strlen(dir);
    char *out = NULL;

    return asprintf(&out, "%s%s%s", dir, n > 0 && dir[n - 1] != '/' ? "/" : "", name) < 0 ? NULL
                                                                                          : out;
}

/* rel: the input's name below the folder that it was found in, or its last part. */
static bool set_names(struct collector *c, struct cli_file *file, const char *rel)
{
    const struct cli_options *o = c->o;
    const char *suffix = o->suffix != NULL ? o->suffix : o->output_dir == NULL ? ".fixed" : "";
    char *name;

    if (o->check) {
        return true;
    }
    if (o->in_place) {
        file->output = strdup(file->input);
        return file->output != NULL || fail(c, rel, "out of memory");
    }
    name = cli_suffixed(o->output_dir != NULL ? rel : file->input, suffix);
    if (name != NULL && o->output_dir != NULL) {
        file->output = joined(o->output_dir, name);
        if (asprintf(&file->stamp, "%s/.lanefix/%s.done", o->output_dir, name) < 0) {
            file->stamp = NULL;
        }
        free(name);
    } else {
        file->output = name;
    }
    return (file->output != NULL && (o->output_dir == NULL || file->stamp != NULL)) ||
           fail(c, rel, "out of memory");
}

static bool add(struct collector *c, const char *input, const char *rel, uint64_t size)
{
    struct cli_files *files = c->files;
    struct cli_file *file;

    if (files->n == files->cap) {
        size_t cap = files->cap != 0 ? files->cap * 2 : 64;
        struct cli_file *list = realloc(files->list, cap * sizeof *list);

        if (list == NULL) {
            return fail(c, input, "out of memory");
        }
        files->list = list;
        files->cap = cap;
    }
    file = &files->list[files->n++];
    *file = (struct cli_file){.input = strdup(input), .size = size};
    return file->input != NULL ? set_names(c, file, rel) : fail(c, input, "out of memory");
}

static bool is_trace_name(const struct collector *c, const char *name)
{
    size_t n = strlen(name);
    bool trace = ends_with(name, n, ".json") || ends_with(name, n, ".json.gz") ||
                 ends_with(name, n, ".json.zst") || strstr(name, ".pt.trace.") != NULL;

    if (trace && c->o->output_dir == NULL && !c->o->in_place) {
        const char *suffix = c->o->suffix != NULL ? c->o->suffix : ".fixed";

        return !ends_with(name, extension_of(name), suffix);
    }
    return trace;
}

static bool walk(struct collector *c, const char *path, const char *rel);

static bool walk_entry(struct collector *c, const char *path, const char *rel, const char *name)
{
    char *below = joined(path, name);
    char *below_rel = *rel != '\0' ? joined(rel, name) : strdup(name);
    struct stat st;
    bool good = below != NULL && below_rel != NULL;

    if (!good) {
        fail(c, path, "out of memory");
    } else if (lstat(below, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (st.st_dev != c->output_dir.st_dev || st.st_ino != c->output_dir.st_ino) {
            good = walk(c, below, below_rel);
        }
    } else if (is_trace_name(c, name) && stat(below, &st) == 0 && S_ISREG(st.st_mode)) {
        good = add(c, below, below_rel, (uint64_t)st.st_size);
    }
    free(below);
    free(below_rel);
    return good;
}

static bool walk(struct collector *c, const char *path, const char *rel)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool good = true;

    if (dir == NULL) {
        return fail(c, path, strerror(errno));
    }
    while (good && (entry = readdir(dir)) != NULL) {
        good = entry->d_name[0] == '.' || walk_entry(c, path, rel, entry->d_name);
    }
    closedir(dir);
    return good;
}

/* A name that was given: a file (also one that is not there: its own failure), or a folder. */
static bool add_named(struct collector *c, const char *name)
{
    struct stat st;
    bool exists = stat(name, &st) == 0;

    if (exists && S_ISDIR(st.st_mode)) {
        return c->o->recursive ? walk(c, name, "")
                               : fail(c, name, "is a folder: -r takes what is in it");
    }
    if (strcmp(name, "-") == 0) {
        return fail(c, name, "standard input is no part of a batch");
    }
    return add(c, name, base_of(name), exists && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
}

/* Names, one a line, or ended by NUL bytes where there is one. */
static bool add_listed(struct collector *c, const char *from)
{
    FILE *list = strcmp(from, "-") == 0 ? stdin : fopen(from, "re");
    char *text = NULL;
    size_t n = 0;
    size_t cap = 0;
    bool good = list != NULL || fail(c, from, strerror(errno));
    int end = '\n';

    while (good && !feof(list) && !ferror(list)) {
        if (cap - n < 65536) {
            char *more = realloc(text, cap + 65537 + cap / 2);

            good = more != NULL || fail(c, from, "out of memory");
            text = good ? more : text;
            cap += good ? 65536 + cap / 2 : 0;
        }
        n += good ? fread(text + n, 1, cap - n, list) : 0;
    }
    if (good && ferror(list)) {
        good = fail(c, from, "cannot be read");
    }
    if (good && memchr(text, '\0', n) != NULL) {
        end = '\0';
    }
    for (char *name = text, *stop; good && name < text + n; name = stop + 1) {
        stop = memchr(name, end, (size_t)(text + n - name));
        stop = stop != NULL ? stop : text + n;
        *stop = '\0';
        good = *name == '\0' || add_named(c, name);
    }
    free(text);
    if (list != NULL && list != stdin) {
        fclose(list);
    }
    return good;
}

static int by_size(const void *x, const void *y)
{
    const struct cli_file *a = x;
    const struct cli_file *b = y;

    return a->size != b->size ? (a->size > b->size ? -1 : 1) : strcmp(a->input, b->input);
}

static int by_output(const void *x, const void *y)
{
    const struct cli_file *const *a = x;
    const struct cli_file *const *b = y;

    return strcmp((*a)->output, (*b)->output);
}

/* Two inputs must not have one output. */
static bool check_outputs(struct collector *c)
{
    const struct cli_files *files = c->files;
    const struct cli_file **sorted;
    bool good = true;

    if (c->o->check || files->n < 2) {
        return true;
    }
    sorted = malloc(files->n * sizeof *sorted);
    if (sorted == NULL) {
        return fail(c, files->list[0].input, "out of memory");
    }
    for (size_t i = 0; i < files->n; i++) {
        sorted[i] = &files->list[i];
    }
    qsort(sorted, files->n, sizeof *sorted, by_output);
    for (size_t i = 1; good && i < files->n; i++) {
        if (by_output(&sorted[i - 1], &sorted[i]) == 0) {
            char a[120], b[120];

            snprintf(c->message, c->n_message, "%s and %s would have one output",
                     cli_safe(a, sizeof a, sorted[i - 1]->input, strlen(sorted[i - 1]->input)),
                     cli_safe(b, sizeof b, sorted[i]->input, strlen(sorted[i]->input)));
            good = false;
        }
    }
    free(sorted);
    return good;
}

bool cli_files_collect(struct cli_files *files, const struct cli_options *o, char *message,
                       size_t n_message)
{
    struct collector c = {.files = files, .o = o, .message = message, .n_message = n_message};
    struct cli_shard shard;
    bool good = cli_shard_read(&shard, o->shard, message, n_message);

    memset(files, 0, sizeof *files);
    if (o->output_dir == NULL || stat(o->output_dir, &c.output_dir) != 0) {
        memset(&c.output_dir, 0, sizeof c.output_dir);
    }
    for (size_t i = 0; good && i < o->n_names; i++) {
        good = add_named(&c, o->names[i]);
    }
    if (good && o->files_from != NULL) {
        good = add_listed(&c, o->files_from);
    }
    if (good && files->n != 0) {
        qsort(files->list, files->n, sizeof *files->list, by_size);
        good = check_outputs(&c) &&
               (cli_shard_take(&shard, files) || fail(&c, "batch", "out of memory"));
    }
    return good;
}

void cli_files_fini(struct cli_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->list[i].input);
        free(files->list[i].output);
        free(files->list[i].stamp);
    }
    free(files->list);
    memset(files, 0, sizeof *files);
}
