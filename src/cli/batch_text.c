/* Lines go to stderr as files end; a table of checks comes at the end, in order of names. */
#include "cli/batch_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/exit.h"
#include "cli/text.h"

#define FIRST_AFTER_S 1.0
#define EVERY_S       0.2
#define NAME_WIDTH    400

const char *const cli_outcome_names[] = {"pending", "fixed",   "clean",
                                         "checked", "skipped", "failed"};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void waited_for(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

void cli_batch_begin(struct cli_batch_view *v, const struct cli_options *o,
                     const struct cli_files *files, struct cli_slot *slots)
{
    *v = (struct cli_batch_view){.o = o, .files = files, .slots = slots, .begun = now_s()};
    for (size_t i = 0; i < files->n; i++) {
        v->total_bytes += files->list[i].size;
    }
    v->show = o->progress == 1 || (o->progress == -1 && !o->quiet && isatty(STDERR_FILENO));
    waited_for(&v->signals);
    sigprocmask(SIG_BLOCK, &v->signals, &v->before);
}

void cli_batch_unblock(void)
{
    sigset_t set;

    waited_for(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void clear_line(struct cli_batch_view *v)
{
    if (v->on_screen) {
        fputs("\r\033[K", stderr);
        v->on_screen = false;
    }
}

static const char *safe_name(char *out, const char *name)
{
    return cli_safe(out, NAME_WIDTH, name, strlen(name));
}

void cli_batch_tell(struct cli_batch_view *v, size_t i)
{
    const struct cli_file *file = &v->files->list[i];
    struct cli_slot *slot = &v->slots[i];
    const struct lanefix_counters *c = &slot->counters;
    char input[NAME_WIDTH], output[NAME_WIDTH];

    slot->done_bytes = file->size;
    if (v->o->quiet && slot->outcome != CLI_FAILED) {
        return;
    }
    clear_line(v);
    safe_name(input, file->input);
    safe_name(output, file->output != NULL ? file->output : "");
    switch (slot->outcome) {
    case CLI_FIXED:
        fprintf(stderr, "%s: %" PRIu64 " moved, %" PRIu64 " snapped -> %s\n", input, c->moved,
                c->snapped, output);
        break;
    case CLI_CLEAN:
        fprintf(stderr, "%s: nothing to fix -> %s\n", input, output);
        break;
    case CLI_SKIPPED:
        fprintf(stderr, "%s: done already -> %s\n", input, output);
        break;
    case CLI_FAILED:
        fprintf(stderr, "failed: %s\n", slot->error.message);
        break;
    case CLI_CHECKED: /* in the table */
    case CLI_PENDING:
        break;
    }
}

void cli_batch_progress(struct cli_batch_view *v)
{
    double now = now_s();
    double part, elapsed = now - v->begun;
    uint64_t done = 0;
    size_t n_done = 0;

    if (!v->show || elapsed < FIRST_AFTER_S || now - v->drawn < EVERY_S) {
        return;
    }
    for (size_t i = 0; i < v->files->n; i++) {
        done += v->slots[i].done_bytes;
        n_done += v->slots[i].outcome != CLI_PENDING;
    }
    part = v->total_bytes != 0 ? (double)done / (double)v->total_bytes : 0;
    fprintf(stderr, "\r\033[K%zu/%zu files  %3.0f%%  %.0f MB/s  %.0f s left", n_done, v->files->n,
            part * 100, (double)done / elapsed / 1e6, part > 0 ? elapsed / part - elapsed : 0);
    fflush(stderr);
    v->on_screen = true;
    v->drawn = now;
}

static int by_name(const void *x, const void *y)
{
    const struct cli_file *const *a = x;
    const struct cli_file *const *b = y;

    return strcmp((*a)->input, (*b)->input);
}

static void print_table(const struct cli_batch_view *v)
{
    const struct cli_file **sorted = malloc((v->files->n + 1) * sizeof *sorted);
    char name[NAME_WIDTH];

    if (sorted == NULL) {
        return; /* the summary says the sums */
    }
    for (size_t i = 0; i < v->files->n; i++) {
        sorted[i] = &v->files->list[i];
    }
    qsort(sorted, v->files->n, sizeof *sorted, by_name);
    fprintf(stderr, "%12s %12s %12s %12s  %s\n", "refused", "moved", "snapped", "slices", "file");
    for (size_t i = 0; i < v->files->n; i++) {
        const struct cli_slot *slot = &v->slots[sorted[i] - v->files->list];
        const struct lanefix_counters *c = &slot->counters;

        safe_name(name, sorted[i]->input);
        if (slot->outcome == CLI_CHECKED) {
            fprintf(stderr, "%12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  %s\n",
                    c->refused, c->moved, c->snapped, c->slices, name);
        } else {
            fprintf(stderr, "%12s %12s %12s %12s  %s\n", cli_outcome_names[slot->outcome], "-", "-",
                    "-", name);
        }
    }
    free(sorted);
}

static void print_summary(const struct cli_batch_view *v, const size_t *n_of)
{
    struct lanefix_counters sum = {.slices = 0};
    double elapsed = now_s() - v->begun;

    for (size_t i = 0; i < v->files->n; i++) {
        const struct lanefix_counters *c = &v->slots[i].counters;

        sum.slices += c->slices;
        sum.moved += c->moved;
        sum.snapped += c->snapped;
        sum.refused += c->refused;
        sum.trace_bytes += c->trace_bytes;
    }
    fprintf(stderr, "%zu file(s): %zu %s, %zu %s, %zu failed", v->files->n,
            n_of[v->o->check ? CLI_CHECKED : CLI_FIXED],
            cli_outcome_names[v->o->check ? CLI_CHECKED : CLI_FIXED], n_of[CLI_CLEAN], "clean",
            n_of[CLI_FAILED]);
    if (n_of[CLI_SKIPPED] != 0) {
        fprintf(stderr, ", %zu done before", n_of[CLI_SKIPPED]);
    }
    if (n_of[CLI_PENDING] != 0) {
        fprintf(stderr, ", %zu not begun", n_of[CLI_PENDING]);
    }
    fprintf(stderr,
            "; %" PRIu64 " slices, %" PRIu64 " refused, %" PRIu64 " moved, %" PRIu64
            " snapped; %.1f MB in %.1f s, %.0f MB/s\n",
            sum.slices, sum.refused, sum.moved, sum.snapped, (double)sum.trace_bytes / 1e6, elapsed,
            elapsed > 0 ? (double)sum.trace_bytes / elapsed / 1e6 : 0);
}

int cli_batch_end(struct cli_batch_view *v, bool interrupted)
{
    size_t n_of[CLI_FAILED + 1] = {0};
    int worst = EXIT_DONE;

    for (size_t i = 0; i < v->files->n; i++) {
        const struct cli_slot *slot = &v->slots[i];
        int status = slot->outcome == CLI_FAILED ? cli_exit_status(slot->status)
                     : slot->outcome == CLI_CHECKED && slot->counters.refused != 0 ? EXIT_FOUND
                                                                                   : EXIT_DONE;

        n_of[slot->outcome]++;
        worst = status > worst ? status : worst;
        if (slot->unreported) {
            worst = EXIT_SYSTEM;
        }
    }
    clear_line(v);
    if (!interrupted && !v->o->quiet) {
        if (v->o->check) {
            print_table(v);
        }
        print_summary(v, n_of);
    }
    for (size_t i = 0; i < v->files->n; i++) {
        if (v->slots[i].unreported) {
            fprintf(stderr, "lanefix: the report lacks lines: it could not be written\n");
            break;
        }
    }
    sigprocmask(SIG_SETMASK, &v->before, NULL);
    return worst;
}

struct lanefix_error cli_batch_error(const char *input, const char *what, int sys_errno)
{
    struct lanefix_error e = {.status = LANEFIX_ERR_IO,
                              .sys_errno = sys_errno,
                              .offset = LANEFIX_NO_OFFSET,
                              .packed_offset = LANEFIX_NO_OFFSET};
    char name[NAME_WIDTH / 2];

    snprintf(e.message, sizeof e.message, "%s: %s%s%s",
             cli_safe(name, sizeof name, input, strlen(input)), what, sys_errno != 0 ? ": " : "",
             sys_errno != 0 ? strerror(sys_errno) : "");
    return e;
}
