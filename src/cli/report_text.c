/* The report, line for line in the order that readers of such reports know. */
#include "cli/report_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

#define NAME_WIDTH 160
#define TIME_WIDTH 40

struct writer {
    FILE *to;
    const struct lanefix_report *report;
    const struct lanefix_counters *c;
    size_t max_lines;
};

static void more(const struct writer *w, uint64_t total, size_t shown)
{
    char text[32];

    if (total > shown) {
        fprintf(w->to, "  \xe2\x80\xa6 and %s more; -v shows all\n",
                cli_count(text, sizeof text, total - shown));
    }
}

static void write_tracks(const struct writer *w)
{
    struct lanefix_track t;
    char pid[NAME_WIDTH], tid[NAME_WIDTH];
    size_t n = 0;
    size_t shown = 0;

    fprintf(w->to, "processing %" PRIu64 " track(s)\n", w->c->tracks);
    for (; lanefix_report_track(w->report, n, &t); n++) {
        if (n >= w->max_lines) {
            continue;
        }
        fprintf(w->to,
                "  pid=%s tid=%s: %" PRIu64 " lane(s), %" PRIu64 " slice(s) moved, %" PRIu64
                " snapped\n",
                cli_safe(pid, sizeof pid, t.pid, strlen(t.pid)),
                cli_safe(tid, sizeof tid, t.tid, strlen(t.tid)), t.lanes + 1, t.moved, t.snapped);
        shown++;
    }
    more(w, n, shown);
}

static void write_unfolded(const struct writer *w)
{
    struct lanefix_unfolded u;
    char a[NAME_WIDTH], b[NAME_WIDTH];
    size_t n = 0;
    size_t shown = 0;

    if (w->c->unfolded == 0) {
        return;
    }
    fprintf(w->to, "unfolded tracks (%" PRIu64 "), which Perfetto would read as one:\n",
            w->c->unfolded);
    for (; lanefix_report_unfolded(w->report, n, &u); n++) {
        if (n >= w->max_lines) {
            continue;
        }
        cli_safe(a, sizeof a, u.pid, strlen(u.pid));
        if (u.tid == NULL) {
            fprintf(w->to, "  pid=%s: now pid %s\n", a, u.new_pid);
        } else {
            fprintf(w->to, "  pid=%s tid=%s: now tid %s\n", a,
                    cli_safe(b, sizeof b, u.tid, strlen(u.tid)), u.new_tid);
        }
        shown++;
    }
    more(w, n, shown);
}

static void write_rebase(const struct writer *w)
{
    if (w->c->rebased_ns != 0) {
        fprintf(w->to, "rebased: %" PRId64 " s taken off every ts\n",
                w->c->rebased_ns / 1000000000);
    }
}

static void write_sums(const struct writer *w, const struct cli_options *o)
{
    char start[TIME_WIDTH], end[TIME_WIDTH], both[TIME_WIDTH], threshold[TIME_WIDTH];
    uint64_t updated = w->c->moved + w->c->snapped + w->c->negative;

    if (w->c->snapped != 0) {
        fprintf(w->to, "snapped %" PRIu64 " sub-%sus crossing(s)\n", w->c->snapped,
                cli_threshold(threshold, sizeof threshold, o->threshold_us));
    }
    if (w->c->negative != 0) {
        fprintf(w->to, "made %" PRIu64 " negative duration(s) 0\n", w->c->negative);
    }
    if (updated != 0) {
        fprintf(w->to,
                "updated %" PRIu64 " slice(s): total |start shift|=%s, total |end shift|=%s, "
                "total |boundary shift|=%s\n",
                updated, cli_time(start, sizeof start, w->c->start_shift_ns),
                cli_time(end, sizeof end, w->c->end_shift_ns),
                cli_time(both, sizeof both, w->c->start_shift_ns + w->c->end_shift_ns));
    }
}

static void write_kernels(const struct writer *w)
{
    struct lanefix_kernel k;
    char name[NAME_WIDTH], start[TIME_WIDTH], end[TIME_WIDTH], both[TIME_WIDTH];
    size_t n = 0;

    if (w->c->kernels == 0) {
        return;
    }
    fprintf(w->to,
            "kernel timing summary (%" PRIu64 " run(s) across %" PRIu64 " kernel name(s)):\n",
            w->c->kernel_runs, w->c->kernels);
    for (; n < w->max_lines && lanefix_report_kernel(w->report, n, &k); n++) {
        fprintf(w->to,
                "  %s: runs=%" PRIu64 ", total delayed=%s, total trimmed=%s, "
                "total boundary shift=%s, moved=%" PRIu64 ", snapped=%" PRIu64 "\n",
                cli_safe(name, sizeof name, k.name, k.name_nbytes), k.runs,
                cli_time(start, sizeof start, k.start_shift_ns),
                cli_time(end, sizeof end, k.end_shift_ns),
                cli_time(both, sizeof both, k.start_shift_ns + k.end_shift_ns), k.moved, k.snapped);
    }
    more(w, w->c->kernels, n);
}

static void write_change(const struct writer *w, const struct lanefix_change *c)
{
    char name[NAME_WIDTH], pid[NAME_WIDTH], tid[NAME_WIDTH], other[NAME_WIDTH];

    cli_safe(name, sizeof name, c->name != NULL ? c->name : "", c->name_nbytes);
    cli_safe(pid, sizeof pid, c->pid, strlen(c->pid));
    cli_safe(tid, sizeof tid, c->tid, strlen(c->tid));
    if (c->kind == LANEFIX_MOVED) {
        fprintf(w->to, "  %s pid=%s: moved to lane %" PRIu32 " (tid %s -> %s)\n", name, pid,
                c->lane, tid, cli_safe(other, sizeof other, c->new_tid, strlen(c->new_tid)));
        return;
    }
    fprintf(w->to, "  %s pid=%s tid=%s: ", name, pid, tid);
    if (c->start_shift_ns != 0) {
        fprintf(w->to, "start delayed by %s",
                cli_time(other, sizeof other, (uint64_t)c->start_shift_ns));
    }
    if (c->end_shift_ns != 0) {
        fprintf(w->to, "%send trimmed by %s", c->start_shift_ns != 0 ? ", " : "",
                cli_time(other, sizeof other, (uint64_t)c->end_shift_ns));
    }
    fputc('\n', w->to);
}

static void write_changes(const struct writer *w, enum lanefix_change_kind kind, const char *title,
                          uint64_t total)
{
    struct lanefix_change c;
    size_t n = 0;

    if (total == 0) {
        return;
    }
    fprintf(w->to, "%s (%" PRIu64 "):\n", title, total);
    for (; n < w->max_lines && lanefix_report_change(w->report, kind, n, &c); n++) {
        write_change(w, &c);
    }
    more(w, total, n);
}

static void write_warnings(const struct writer *w)
{
    if (w->c->rounding_only != 0) {
        fprintf(w->to,
                "note: %" PRIu64 " of %" PRIu64
                " crossing(s) come from rounding alone: Perfetto loses the "
                "nanoseconds of timestamps this large; --rebase keeps them\n",
                w->c->rounding_only, w->c->refused);
    }
    if (w->c->bad_times != 0) {
        fprintf(w->to,
                "warning: %" PRIu64 " event(s) without readable ts or dur left as they are; "
                "Perfetto does not show them\n",
                w->c->bad_times);
    }
    if (w->c->crossing_pairs != 0) {
        fprintf(w->to,
                "warning: %" PRIu64 " B/E pair(s) end inside one another and are left as they are; "
                "Perfetto cuts them\n",
                w->c->crossing_pairs);
    }
    if (w->c->array_unclosed) {
        fprintf(w->to, "warning: the array is not closed%s\n",
                w->c->event_cut ? " and its last event is cut short; Perfetto leaves that out"
                                : "");
    }
}

void cli_report_write(FILE *to, const struct lanefix_report *report, const struct cli_options *o,
                      const char *output)
{
    struct writer w = {to, report, lanefix_report_counters(report),
                       o->verbose ? SIZE_MAX : LIST_LINES};
    char name[NAME_WIDTH * 4];

    write_tracks(&w);
    write_unfolded(&w);
    write_rebase(&w);
    write_sums(&w, o);
    write_kernels(&w);
    write_changes(&w, LANEFIX_MOVED, "moved slices", w.c->moved);
    write_changes(&w, LANEFIX_SNAPPED, "snapped slices", w.c->snapped);
    if (w.c->flows_changed != 0) {
        fprintf(to, "rewrote %" PRIu64 " flow endpoint(s) onto rewritten slice starts/lanes\n",
                w.c->flows_changed);
    }
    write_warnings(&w);
    if (output == NULL) {
        fprintf(to, "%s: Perfetto refuses %" PRIu64 " of %" PRIu64 " slices\n",
                cli_safe(name, sizeof name, o->input, strlen(o->input)), w.c->refused, w.c->slices);
    } else {
        fprintf(to, "wrote %s: %" PRIu64 " slices, %" PRIu64 " new lanes\n",
                cli_safe(name, sizeof name, output, strlen(output)), w.c->slices, w.c->lanes);
    }
}
