/* The program: arguments in, one library call, report out. Sees only lanefix.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report_text.h"
#include "cli/text.h"

enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_USAGE = 2, EXIT_INPUT = 3, EXIT_SYSTEM = 4 };

static int exit_status_of(enum lanefix_status status)
{
    switch (status) {
    case LANEFIX_OK:
        return EXIT_DONE;
    case LANEFIX_ERR_ARGUMENT:
        return EXIT_USAGE;
    case LANEFIX_ERR_INPUT:
    case LANEFIX_ERR_LIMIT:
        return EXIT_INPUT;
    case LANEFIX_ERR_IO:
    case LANEFIX_ERR_MEMORY:
    case LANEFIX_ERR_CANCELLED:
        break;
    }
    return EXIT_SYSTEM;
}

static int usage_fault(const char *message)
{
    char safe[512];

    fprintf(stderr, "lanefix: %s (lanefix --help shows all)\n",
            cli_safe(safe, sizeof safe, message, strlen(message)));
    return EXIT_USAGE;
}

/* "dir/trace.json.gz" -> "dir/trace.fixed.json.gz": the extension is .json with what follows it, or
 * the last one. The caller frees it; NULL: no memory. */
static char *default_output(const char *input)
{
    const char *slash = strrchr(input, '/');
    const char *base = slash != NULL ? slash + 1 : input;
    size_t n = strlen(base);
    size_t cut = n;
    char *out = malloc(strlen(input) + sizeof ".fixed");
    static const char *const packed[] = {".gz", ".zst"};

    if (out == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(packed[i]);

        if (n > len && strcmp(base + n - len, packed[i]) == 0) {
            cut = n - len;
        }
    }
    for (size_t i = cut; i > 1; i--) {
        if (base[i - 1] == '.') {
            cut = i - 1;
            break;
        }
    }
    cut += (size_t)(base - input);
    memcpy(out, input, cut);
    memcpy(out + cut, ".fixed", 6);
    strcpy(out + cut + 6, input + cut);
    return out;
}

static int report_fault(const char *name)
{
    int failed = errno;
    char safe[512];

    fprintf(stderr, "lanefix: %s: cannot be written: %s\n",
            cli_safe(safe, sizeof safe, name, strlen(name)), strerror(failed));
    return EXIT_SYSTEM;
}

/* Opened before the run, so that a report that cannot be written is known before the work is done. */
static FILE *open_report(const struct cli_options *o)
{
    return fopen(o->report, "ae");
}

static int write_report_file(FILE *to, const struct lanefix_report *report,
                             const struct cli_options *o, const char *output)
{
    bool failed = ftruncate(fileno(to), 0) != 0 && errno != EINVAL; /* EINVAL: a pipe */

    cli_report_write(to, report, o, output);
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
    return exit_status_of(err->status);
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
            return usage_fault("standard input is a terminal: expected a trace from a file or pipe");
        }
    }
    if (output != NULL && strcmp(output, "-") == 0) {
        out.path = NULL;
        out.fd = STDOUT_FILENO;
        out.name = "standard output";
        if (o->form != LANEFIX_FORM_AUTO && o->form != LANEFIX_FORM_PLAIN &&
            isatty(STDOUT_FILENO)) {
            return usage_fault("standard output is a terminal: compressed data is not written to it");
        }
    }
    if (o->report != NULL && (report_file = open_report(o)) == NULL) {
        return report_fault(o->report);
    }
    o->run.in_place = o->in_place;
    o->run.max_changes = o->verbose ? SIZE_MAX : LIST_LINES;
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
    if (!o->quiet) {
        cli_report_write(stderr, report, o, output);
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

/* A standard descriptor that is closed would be the next file that is opened, and take what is meant
 * for it. It gets one that can be neither read nor written. */
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
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is a failed write, told as any other */
    output = o.output;
    if (!o.check && output == NULL) {
        made = o.in_place || strcmp(o.input, "-") == 0 ? strdup(o.input) : default_output(o.input);
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
