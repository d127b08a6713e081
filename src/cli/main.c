/* The program: arguments in, one library call, report out. Sees only lanefix.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch.h"
#include "cli/exit.h"
#include "cli/file_list.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/text.h"

static int usage_fault(const char *message)
{
    char safe[512];

    fprintf(stderr, "lanefix: %s (lanefix --help shows all)\n",
            cli_safe(safe, sizeof safe, message, strlen(message)));
    return EXIT_USAGE;
}

static int report_fault(const char *name)
{
    int failed = errno;
    char safe[512];

    fprintf(stderr, "lanefix: %s: cannot be written: %s\n",
            cli_safe(safe, sizeof safe, name, strlen(name)), strerror(failed));
    return EXIT_SYSTEM;
}

/* Opened before the run, so that a report that cannot be written is known before the work is done.
 */
static FILE *open_report(const struct cli_options *o)
{
    return fopen(o->report, "ae");
}

static void write_report(FILE *to, const struct lanefix_report *report, const struct cli_options *o,
                         const char *output)
{
    const struct lanefix_counters *c = lanefix_report_counters(report);
    struct cli_outcome outcome = {.input = o->input,
                                  .output = output,
                                  .status = o->check         ? "checked"
                                            : cli_changed(c) ? "fixed"
                                                             : "clean",
                                  .report = report};

    if (o->json) {
        cli_report_json(to, &outcome);
    } else {
        cli_report_write(to, report, o, output);
    }
}

static int write_report_file(FILE *to, const struct lanefix_report *report,
                             const struct cli_options *o, const char *output)
{
    bool failed = ftruncate(fileno(to), 0) != 0 && errno != EINVAL; /* EINVAL: a pipe */

    write_report(to, report, o, output);
    failed = ferror(to) != 0 || failed;
    return fclose(to) != 0 || failed ? report_fault(o->report) : EXIT_DONE;
}

static int fail(const struct lanefix_error *err, int progress_signal)
{
    if (progress_signal != 0) {
        signal(progress_signal, SIG_DFL);
        raise(progress_signal);
    }
    if (err->status == LANEFIX_ERR_IO && err->sys_errno == EPIPE) {
        signal(SIGPIPE, SIG_DFL); /* the reader has left: a quiet end, as of any filter */
        raise(SIGPIPE);
    }
    fprintf(stderr, "lanefix: %s\n", err->message);
    return cli_exit_status(err->status);
}

static int run(struct cli_options *o, const char *output)
{
    struct lanefix_input in = {.path = o->input, .fd = -1};
    uint64_t restored = 0;
    struct lanefix_output out = {.path = output, .fd = -1, .form = o->form, .level = o->level};
    struct lanefix_report *report = NULL;
    struct lanefix_error err;
    enum lanefix_status status;
    FILE *report_file = NULL;
    int result = EXIT_DONE;
    int caught;

    if (strcmp(o->input, "-") == 0) {
        in = (struct lanefix_input){.fd = STDIN_FILENO, .name = "standard input"};
        if (isatty(STDIN_FILENO)) {
            return usage_fault(
                "standard input is a terminal: expected a trace from a file or pipe");
        }
    }
    if (output != NULL && strcmp(output, "-") == 0) {
        out.path = NULL;
        out.fd = STDOUT_FILENO;
        out.name = "standard output";
        if (o->form != LANEFIX_FORM_AUTO && o->form != LANEFIX_FORM_PLAIN &&
            isatty(STDOUT_FILENO)) {
            return usage_fault(
                "standard output is a terminal: compressed data is not written to it");
        }
    }
    if (o->report != NULL && (report_file = open_report(o)) == NULL) {
        return report_fault(o->report);
    }
    o->run.in_place = o->in_place;
    o->run.max_changes = o->verbose || o->json ? SIZE_MAX : LIST_LINES;
    cli_progress_begin(o);
    status = o->check  ? lanefix_check(&in, &o->run, &report, &err)
             : o->undo ? lanefix_undo(&in, &out, &o->run, &restored, &err)
                       : lanefix_fix(&in, &out, &o->run, &report, &err);
    caught = cli_progress_end();
    if (status != LANEFIX_OK) {
        if (report_file != NULL) {
            fclose(report_file);
        }
        return fail(&err, caught);
    }
    if (o->undo) {
        if (!o->quiet) {
            fprintf(stderr, "lanefix: undone: %llu events are as they were\n",
                    (unsigned long long)restored);
        }
        return EXIT_DONE;
    }
    if (!o->quiet && (!o->json || report_file == NULL)) {
        write_report(stderr, report, o, output);
    }
    if (report_file != NULL) {
        result = write_report_file(report_file, report, o, output);
    }
    if (result == EXIT_DONE && o->check && lanefix_report_counters(report)->refused != 0) {
        result = EXIT_FOUND;
    }
    lanefix_report_destroy(report);
    return result;
}

static int print_and_exit(const struct cli_options *o)
{
    if (o->help) {
        cli_options_help(stdout);
    } else {
        printf("lanefix %s\n", lanefix_version());
    }
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_SYSTEM;
}

/* A standard descriptor that is closed would be the next file that is opened, and take what is
 * meant for it. It gets one that can be neither read nor written. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_PATH) < 0) {
            return;
        }
    }
}

int main(int argc, char **argv)
{
    struct cli_options o;
    char message[256] = "";
    char *made = NULL;
    const char *output;
    int result;

    fill_standard_descriptors();
    if (!cli_options_read(&o, argc, argv, message, sizeof message)) {
        return usage_fault(message);
    }
    if (o.help || o.version) {
        return print_and_exit(&o);
    }
    signal(SIGPIPE, SIG_IGN);
    if (o.batch) {
        return cli_batch_run(&o);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is a failed write, told as any other */
    output = o.output;
    if (!o.check && output == NULL) {
        made = o.in_place || strcmp(o.input, "-") == 0 ? strdup(o.input)
                                                       : cli_suffixed(o.input, ".fixed");
        output = made;
        if (made == NULL) {
            fprintf(stderr, "lanefix: out of memory\n");
            return EXIT_SYSTEM;
        }
    }
    result = run(&o, output);
    free(made);
    return result;
}
