/* trace-lanefix: the arguments, defaults and exit statuses of the Python tool of that name, so that
 * scripts made for it run unchanged; the work is lanefix's. Everything else is left to lanefix
 * itself.
 *
 * As there: names are files only, INPUT may be OUTPUT, lanes have no limit, the report is whole and
 * goes to stdout. Options may be shortened. 0 done, 1 failed, 2 usage. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report_text.h"
#include "cli/text.h"
#include "lanefix.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define THRESHOLD "--snap-threshold-us"
#define USAGE     "usage: trace-lanefix [-h] [" THRESHOLD " US] [input] [output]\n"

static const char help[] =
    USAGE "\n"
          "Rewrites a Chrome trace so that Perfetto shows every slice: tiny crossings are\n"
          "snapped, others move to lanes. lanefix has more options.\n"
          "\n"
          "input defaults to trace.json, output to trace.fixed.json.\n"
          "\n"
          "  -h, --help                     show this\n"
          "      " THRESHOLD " US     snap crossings where no boundary moves by US or more;\n"
          "                                 0: none (5.0)\n";

static int usage_fault(const char *what, const char *value)
{
    char safe[512];

    fprintf(stderr, USAGE "trace-lanefix: error: %s%s\n", what,
            cli_safe(safe, sizeof safe, value, strlen(value)));
    return EXIT_USAGE;
}

static bool read_threshold(struct cli_options *o, const char *value)
{
    char *end = NULL;
    double us = strtod(value, &end);

    if (end == value || *end != '\0' || strpbrk(value, "xXpP") != NULL || !isfinite(us) || us < 0 ||
        us > 1e12) {
        return false;
    }
    o->threshold_us = us;
    o->run.snap_threshold_ns = llround(us * 1000.0);
    return true;
}

/* Whether argument, up to an "=", is the option called name or a beginning of that. */
static bool is_option(const char *argument, const char *name)
{
    size_t n = strcspn(argument, "=");

    return n > 2 && strncmp(argument, name, n) == 0;
}

static int read_arguments(struct cli_options *o, int argc, char **argv)
{
    static const char fault[] = "argument " THRESHOLD ": expected microseconds, 0 or more: ";
    const char *names[2] = {NULL, NULL};
    size_t n_names = 0;
    bool names_only = false;

    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];

        if (names_only || a[0] != '-' || a[1] == '\0') {
            if (n_names == 2) {
                return usage_fault("unrecognized argument: ", a);
            }
            names[n_names++] = a;
        } else if (strcmp(a, "--") == 0) {
            names_only = true;
        } else if (strcmp(a, "-h") == 0 || (is_option(a, "--help") && strchr(a, '=') == NULL)) {
            o->help = true;
            return EXIT_DONE;
        } else if (is_option(a, THRESHOLD)) {
            const char *equals = strchr(a, '=');
            const char *value = equals != NULL ? equals + 1 : argv[++i];

            if (value == NULL || !read_threshold(o, value)) {
                return usage_fault(fault, value != NULL ? value : "none given");
            }
        } else {
            return usage_fault("unrecognized argument: ", a);
        }
    }
    o->input = names[0] != NULL ? names[0] : "trace.json";
    o->output = names[1] != NULL ? names[1] : "trace.fixed.json";
    return EXIT_DONE;
}

static int run(struct cli_options *o)
{
    struct lanefix_report *report = NULL;
    struct lanefix_error err;
    enum lanefix_status status;
    int caught;

    cli_progress_begin(o);
    status = lanefix_fix_file(o->input, o->output, &o->run, &report, &err);
    caught = cli_progress_end();
    if (status != LANEFIX_OK) {
        if (caught != 0) {
            signal(caught, SIG_DFL);
            raise(caught);
        }
        fprintf(stderr, "trace-lanefix: %s\n", err.message);
        return status == LANEFIX_ERR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    cli_report_write(stdout, report, o, o->output);
    lanefix_report_destroy(report);
    if (ferror(stdout) != 0 || fflush(stdout) != 0) {
        fprintf(stderr, "trace-lanefix: standard output: cannot be written: %s\n", strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct cli_options o;
    int result;

    memset(&o, 0, sizeof o);
    lanefix_options_init(&o.run);
    o.threshold_us = (double)o.run.snap_threshold_ns / 1000.0;
    o.run.max_lanes = 0;
    o.run.annotate = 0;
    o.run.indent = 2; /* as that tool writes */
    o.run.in_place = 1;
    o.verbose = true;
    result = read_arguments(&o, argc, argv);
    if (result != EXIT_DONE) {
        return result;
    }
    if (o.help) {
        fputs(help, stdout);
        return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
    }
    return run(&o);
}
