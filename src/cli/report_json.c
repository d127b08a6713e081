/* Numbers are exact: integers, times in ns. Members that do not apply are null. */
#include "cli/report_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"

bool cli_changed(const struct lanefix_counters *c)
{
    return c->moved + c->snapped + c->negative + c->unfolded + c->flows_changed + c->lanes != 0 ||
           c->rebased_ns != 0;
}

static void put_control(FILE *to, unsigned char c)
{
    fprintf(to, "\\u%04x", c);
}

/* How long the escape that starts at text[0..n) is; 0: it is none of JSON's. */
static size_t escape_length(const char *text, size_t n)
{
    if (n < 2 || text[1] == '\0' || strchr("\"\\/bfnrtu", text[1]) == NULL) {
        return 0;
    }
    if (text[1] != 'u') {
        return 2;
    }
    for (size_t i = 2; i < 6; i++) {
        if (i >= n || text[i] == '\0' || strchr("0123456789abcdefABCDEF", text[i]) == NULL) {
            return 0;
        }
    }
    return text[2] == 'd' || text[2] == 'D' ? 0 : 6; /* a surrogate: perhaps half of one */
}

/* text[0..n): escaped as it stands in the trace, or (plain) a name of the file system. */
static void put_string(FILE *to, const char *text, size_t n, bool plain)
{
    putc('"', to);
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)text[i];
        size_t len = 1;

        if (c == '\\') {
            len = plain ? 0 : escape_length(text + i, n - i);
            if (len == 0) {
                fputs("\\\\", to);
            }
        } else if (c == '"') {
            fputs("\\\"", to);
            len = 0;
        } else if (c < 0x20 || c == 0x7f) {
            put_control(to, c);
            len = 0;
        } else if (c >= 0x80) {
            len = cli_utf8_length(text + i, n - i);
            if (len == 0) {
                fputs("\xef\xbf\xbd", to);
            }
        }
        fwrite(text + i, 1, len, to);
        i += len != 0 ? len : 1;
    }
    putc('"', to);
}

static void put_text(FILE *to, const char *name, const char *text, bool plain)
{
    fprintf(to, "\"%s\":", name);
    if (text != NULL) {
        put_string(to, text, strlen(text), plain);
    } else {
        fputs("null", to);
    }
}

static void put_offset(FILE *to, const char *name, uint64_t offset)
{
    if (offset == LANEFIX_NO_OFFSET) {
        fprintf(to, ",\"%s\":null", name);
    } else {
        fprintf(to, ",\"%s\":%" PRIu64, name, offset);
    }
}

static void put_error(FILE *to, const struct lanefix_error *e)
{
    if (e == NULL) {
        fputs(",\"error\":null", to);
        return;
    }
    fprintf(to, ",\"error\":{\"status\":%d,\"errno\":%d", (int)e->status, e->sys_errno);
    put_offset(to, "offset", e->offset);
    put_offset(to, "packed_offset", e->packed_offset);
    putc(',', to);
    put_text(to, "message", e->message, true);
    putc('}', to);
}

static void put_counters(FILE *to, const struct lanefix_counters *c)
{
    const struct {
        const char *name;
        uint64_t value;
    } list[] = {
        {"trace_bytes", c->trace_bytes},
        {"events", c->events},
        {"slices", c->slices},
        {"flow_endpoints", c->flow_endpoints},
        {"tracks", c->tracks},
        {"refused", c->refused},
        {"moved", c->moved},
        {"snapped", c->snapped},
        {"negative", c->negative},
        {"start_shift_ns", c->start_shift_ns},
        {"end_shift_ns", c->end_shift_ns},
        {"lanes", c->lanes},
        {"unfolded", c->unfolded},
        {"flows_changed", c->flows_changed},
        {"rebased_ns", (uint64_t)c->rebased_ns},
        {"rounding_only", c->rounding_only},
        {"bad_times", c->bad_times},
        {"crossing_pairs", c->crossing_pairs},
        {"kernels", c->kernels},
        {"kernel_runs", c->kernel_runs},
    };

    fputs(",\"counters\":{", to);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fprintf(to, "%s\"%s\":%" PRIu64, i != 0 ? "," : "", list[i].name, list[i].value);
    }
    fprintf(to, ",\"array_unclosed\":%s,\"event_cut\":%s}", c->array_unclosed ? "true" : "false",
            c->event_cut ? "true" : "false");
    fputs(",\"crossing_sizes\":[", to);
    for (size_t i = 0; i < LANEFIX_N_CROSSING_SIZES; i++) {
        fprintf(to, "%s%" PRIu64, i != 0 ? "," : "", c->crossing_sizes[i]);
    }
    putc(']', to);
}

static void put_tracks(FILE *to, const struct lanefix_report *report)
{
    struct lanefix_track t;

    fputs(",\"tracks\":[", to);
    for (size_t i = 0; lanefix_report_track(report, i, &t); i++) {
        fputs(i != 0 ? ",{" : "{", to);
        put_text(to, "pid", t.pid, false);
        putc(',', to);
        put_text(to, "tid", t.tid, false);
        fprintf(to,
                ",\"lanes\":%" PRIu64 ",\"moved\":%" PRIu64 ",\"snapped\":%" PRIu64
                ",\"negative\":%" PRIu64 "}",
                t.lanes, t.moved, t.snapped, t.negative);
    }
    putc(']', to);
}

static void put_unfolded(FILE *to, const struct lanefix_report *report)
{
    struct lanefix_unfolded u;

    fputs(",\"unfolded\":[", to);
    for (size_t i = 0; lanefix_report_unfolded(report, i, &u); i++) {
        fputs(i != 0 ? ",{" : "{", to);
        put_text(to, "pid", u.pid, false);
        putc(',', to);
        put_text(to, "tid", u.tid, false);
        putc(',', to);
        put_text(to, "new_pid", u.new_pid, false);
        putc(',', to);
        put_text(to, "new_tid", u.new_tid, false);
        putc('}', to);
    }
    putc(']', to);
}

static void put_kernels(FILE *to, const struct lanefix_report *report)
{
    struct lanefix_kernel k;

    fputs(",\"kernels\":[", to);
    for (size_t i = 0; lanefix_report_kernel(report, i, &k); i++) {
        fputs(i != 0 ? ",{\"name\":" : "{\"name\":", to);
        put_string(to, k.name, k.name_nbytes, false);
        fprintf(to,
                ",\"runs\":%" PRIu64 ",\"moved\":%" PRIu64 ",\"snapped\":%" PRIu64
                ",\"start_shift_ns\":%" PRIu64 ",\"end_shift_ns\":%" PRIu64 "}",
                k.runs, k.moved, k.snapped, k.start_shift_ns, k.end_shift_ns);
    }
    putc(']', to);
}

/* The CLI_TOP_CROSSINGS changes that crossed by most, largest first; of equal ones the first. */
static size_t find_top(const struct lanefix_report *report, struct lanefix_change *top)
{
    struct lanefix_change c;
    size_t n = 0;

    for (int kind = LANEFIX_MOVED; kind <= LANEFIX_SNAPPED; kind++) {
        for (size_t i = 0; lanefix_report_change(report, (enum lanefix_change_kind)kind, i, &c);
             i++) {
            size_t at = n;

            if (c.crossing_ns == 0 ||
                (n == CLI_TOP_CROSSINGS && c.crossing_ns <= top[n - 1].crossing_ns)) {
                continue;
            }
            at = n < CLI_TOP_CROSSINGS ? n++ : n - 1;
            for (; at > 0 && top[at - 1].crossing_ns < c.crossing_ns; at--) {
                top[at] = top[at - 1];
            }
            top[at] = c;
        }
    }
    return n;
}

static void put_top(FILE *to, const struct lanefix_report *report)
{
    static const char *const kinds[] = {"moved", "snapped", "negative"};
    struct lanefix_change top[CLI_TOP_CROSSINGS];
    size_t n = find_top(report, top);

    fputs(",\"top_crossings\":[", to);
    for (size_t i = 0; i < n; i++) {
        fprintf(to,
                "%s{\"crossing_ns\":%" PRId64 ",\"change\":\"%s\",\"offset\":%" PRIu64 ",\"name\":",
                i != 0 ? "," : "", top[i].crossing_ns, kinds[top[i].kind], top[i].offset);
        put_string(to, top[i].name != NULL ? top[i].name : "", top[i].name_nbytes, false);
        putc(',', to);
        put_text(to, "pid", top[i].pid, false);
        putc(',', to);
        put_text(to, "tid", top[i].tid, false);
        putc(',', to);
        put_text(to, "new_tid", top[i].new_tid, false);
        fprintf(to, ",\"start_shift_ns\":%" PRId64 ",\"end_shift_ns\":%" PRId64 "}",
                top[i].start_shift_ns, top[i].end_shift_ns);
    }
    putc(']', to);
}

void cli_report_json(FILE *to, const struct cli_outcome *outcome)
{
    fprintf(to, "{\"schema\":\"lanefix-report-1\",\"version\":\"%s\",", lanefix_version());
    put_text(to, "input", outcome->input, true);
    putc(',', to);
    put_text(to, "output", outcome->output, true);
    putc(',', to);
    put_text(to, "status", outcome->status, true);
    put_error(to, outcome->error);
    if (outcome->report != NULL) {
        put_counters(to, lanefix_report_counters(outcome->report));
        put_tracks(to, outcome->report);
        put_unfolded(to, outcome->report);
        put_kernels(to, outcome->report);
        put_top(to, outcome->report);
    } else {
        fputs(",\"counters\":null,\"crossing_sizes\":null,\"tracks\":null,\"unfolded\":null,"
              "\"kernels\":null,\"top_crossings\":null",
              to);
    }
    fputs("}\n", to);
}
