/* The largest file first, each to the part that has least to do so far; parts with as much to do
 * are taken in an order that depends on the file's name, so that equal files spread. */
#include "cli/shard.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file_list.h"

#define PARTS_MAX 1000000ul
/* What a file costs beside its bytes: opening, syncing, renaming. */
#define FILE_COST ((uint64_t)1 << 20)

static bool number(const char *text, const char *end, unsigned long max, unsigned long *out)
{
    char *stop = NULL;

    if (text == NULL || *text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *out = strtoul(text, &stop, 10);
    return errno == 0 && stop == (end != NULL ? end : text + strlen(text)) && *out <= max;
}

static bool variable(const char *name, unsigned long *out)
{
    return number(getenv(name), NULL, UINT32_MAX, out);
}

/* A Slurm array may begin anywhere and step over ids. */
static bool from_slurm(struct cli_shard *shard)
{
    unsigned long id, n, min = 0;
    unsigned long step = 1;

    if (!variable("SLURM_ARRAY_TASK_ID", &id) || !variable("SLURM_ARRAY_TASK_COUNT", &n)) {
        return false;
    }
    (void)variable("SLURM_ARRAY_TASK_MIN", &min);
    (void)variable("SLURM_ARRAY_TASK_STEP", &step);
    *shard = (struct cli_shard){step != 0 && id >= min ? (id - min) / step : n, n};
    return true;
}

/* Kubernetes tells an indexed job's pods their index, the job's own file the number of completions.
 */
static bool from_kubernetes(struct cli_shard *shard)
{
    return variable("JOB_COMPLETION_INDEX", &shard->index) &&
           variable("JOB_COMPLETIONS", &shard->n);
}

bool cli_shard_read(struct cli_shard *shard, const char *text, char *message, size_t n_message)
{
    const char *slash = text != NULL ? strchr(text, '/') : NULL;

    *shard = (struct cli_shard){0, 1};
    if (text == NULL) {
        return true;
    }
    if (strcmp(text, "auto") == 0) {
        if (!from_slurm(shard) && !from_kubernetes(shard)) {
            snprintf(message, n_message,
                     "--shard auto: expected SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT, or "
                     "JOB_COMPLETION_INDEX and JOB_COMPLETIONS, in the environment");
            return false;
        }
    } else if (slash == NULL || !number(text, slash, PARTS_MAX, &shard->index) ||
               !number(slash + 1, NULL, PARTS_MAX, &shard->n) || shard->index == 0) {
        snprintf(message, n_message, "--shard \"%.40s\": expected I/N with I from 1 to N, or auto",
                 text);
        return false;
    } else {
        shard->index--;
    }
    if (shard->n == 0 || shard->n > PARTS_MAX || shard->index >= shard->n) {
        snprintf(message, n_message, "--shard: part %lu of %lu: expected one of them",
                 shard->index + 1, shard->n);
        return false;
    }
    return true;
}

/* FNV-1a: the same on every machine. */
static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; text++) {
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return h;
}

bool cli_shard_take(const struct cli_shard *shard, struct cli_files *files)
{
    uint64_t *load;
    size_t kept = 0;

    if (shard->n == 1) {
        return true;
    }
    load = calloc(shard->n, sizeof *load);
    if (load == NULL) {
        return false;
    }
    for (size_t i = 0; i < files->n; i++) {
        struct cli_file file = files->list[i];
        size_t first = (size_t)(hash(file.input) % shard->n);
        size_t least = first;

        for (size_t k = 1; k < shard->n; k++) {
            size_t part = (first + k) % shard->n;

            least = load[part] < load[least] ? part : least;
        }
        load[least] += file.size + FILE_COST;
        if (least == shard->index) {
            files->list[kept++] = file;
        } else {
            free(file.input);
            free(file.output);
            free(file.stamp);
        }
    }
    files->n_others = files->n - kept;
    files->n = kept;
    free(load);
    return true;
}
