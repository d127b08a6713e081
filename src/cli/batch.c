/* Every file is a process of its own, so many at a time: one that dies takes no other along, and
 * memory is given back with it. What a child has to say it writes into its slot of a shared page; a
 * report line goes to the report file in one write.
 *
 * The largest files go first. A file that needs more than its share of the memory limit is tried
 * once more at the end, alone. */
#include "cli/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/batch_text.h"
#include "cli/exit.h"
#include "cli/file_list.h"
#include "cli/progress.h"
#include "cli/report_json.h"
#include "cli/stamp.h"

struct batch {
    struct cli_options *o;
    struct cli_files files;
    struct cli_slot *slots; /* one a file, shared with the children */
    pid_t *pids;            /* of the file that runs, else 0 */
    size_t *again;          /* files to be tried once more, alone */
    size_t n_again;
    size_t next, n_running;
    unsigned jobs, threads; /* threads: of all jobs together */
    int report_fd;          /* -1: no report */
    int caught;             /* the signal that ends the batch */
    bool stopped;           /* no more files are begun */
    struct cli_batch_view view;
};

/* One write, so that lines of several processes don't mix. */
static bool write_report(int fd, const struct cli_outcome *outcome)
{
    char *line = NULL;
    size_t n = 0;
    FILE *memory;
    bool good;

    if (fd < 0) {
        return true;
    }
    memory = open_memstream(&line, &n);
    if (memory == NULL) {
        return false;
    }
    cli_report_json(memory, outcome);
    good = fclose(memory) == 0 && write(fd, line, n) == (ssize_t)n;
    free(line);
    return good;
}

/* "a/b/c.json": makes a and a/b. */
static void make_folders(const char *path)
{
    char *copy = strdup(path);

    for (char *slash = copy != NULL ? strchr(copy + 1, '/') : NULL; slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777); /* where it fails, opening the file tells why */
        *slash = '/';
    }
    free(copy);
}

static void fill_slot(struct cli_slot *slot, enum lanefix_status status,
                      const struct lanefix_error *err, const struct lanefix_report *report,
                      const struct cli_options *o)
{
    slot->status = status;
    if (status != LANEFIX_OK) {
        slot->error = *err;
        slot->outcome = CLI_FAILED;
        return;
    }
    slot->counters = *lanefix_report_counters(report);
    slot->outcome = o->check ? CLI_CHECKED : cli_changed(&slot->counters) ? CLI_FIXED : CLI_CLEAN;
}

/* The child's life. */
static int fix_one(const struct batch *b, size_t i, unsigned threads, uint64_t memory)
{
    struct cli_options o = *b->o;
    const struct cli_file *file = &b->files.list[i];
    struct cli_slot *slot = &b->slots[i];
    struct lanefix_input in = {.path = file->input, .fd = -1};
    struct lanefix_output out = {.path = file->output, .fd = -1, .form = o.form, .level = o.level};
    struct lanefix_report *report = NULL;
    struct lanefix_error err;
    enum lanefix_status status;
    struct cli_outcome outcome = {.input = file->input, .output = file->output};

    o.run.threads = threads;
    o.run.max_memory = memory;
    o.run.in_place = o.in_place;
    o.run.max_changes = b->report_fd >= 0 ? SIZE_MAX : 0;
    cli_progress_begin_child(&o, &slot->done_bytes, file->size);
    if (file->output != NULL) {
        make_folders(file->output);
    }
    status = o.check ? lanefix_check(&in, &o.run, &report, &err)
                     : lanefix_fix(&in, &out, &o.run, &report, &err);
    if (cli_progress_end() != 0) {
        return EXIT_SYSTEM;
    }
    fill_slot(slot, status, &err, report, &o);
    if (status == LANEFIX_ERR_MEMORY && memory != b->o->run.max_memory) {
        return EXIT_SYSTEM; /* it will be tried once more */
    }
    if (status == LANEFIX_OK && file->stamp != NULL) {
        make_folders(file->stamp);
        cli_stamp_write(file, &o);
    }
    outcome.status = cli_outcome_names[slot->outcome];
    outcome.error = status != LANEFIX_OK ? &err : NULL;
    outcome.report = report;
    slot->unreported = !write_report(b->report_fd, &outcome);
    lanefix_report_destroy(report);
    return cli_exit_status(status);
}

/* What the parent itself knows of a file: that it was passed by, or that its process died. */
static void report_for(struct batch *b, size_t i)
{
    const struct cli_file *file = &b->files.list[i];
    struct cli_slot *slot = &b->slots[i];
    struct cli_outcome outcome = {.input = file->input,
                                  .output = file->output,
                                  .status = cli_outcome_names[slot->outcome],
                                  .error = slot->outcome == CLI_FAILED ? &slot->error : NULL};

    slot->unreported = !write_report(b->report_fd, &outcome);
}

static void begin(struct batch *b, size_t i, bool alone)
{
    size_t left = b->files.n - b->next + b->n_running + 1;
    size_t at_once = alone ? 1 : left < b->jobs ? left : b->jobs;
    unsigned threads = b->threads / (unsigned)at_once;
    uint64_t memory = alone ? b->o->run.max_memory : b->o->run.max_memory / b->jobs;
    pid_t parent = getpid();
    pid_t pid;

    if (b->o->resume && cli_stamp_fits(&b->files.list[i], b->o)) {
        b->slots[i].outcome = CLI_SKIPPED;
        report_for(b, i);
        cli_batch_tell(&b->view, i);
        return;
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        cli_batch_unblock();
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) {
            _exit(EXIT_SYSTEM);
        }
        _exit(fix_one(b, i, threads > 0 ? threads : 1, memory));
    }
    if (pid < 0) {
        b->slots[i].outcome = CLI_FAILED;
        b->slots[i].status = LANEFIX_ERR_IO;
        b->slots[i].error =
            cli_batch_error(b->files.list[i].input, "no process can be made", errno);
        report_for(b, i);
        cli_batch_tell(&b->view, i);
        return;
    }
    b->pids[i] = pid;
    b->n_running++;
}

static void finished(struct batch *b, size_t i, int status)
{
    struct cli_slot *slot = &b->slots[i];
    bool tried_with_all = b->jobs == 1 || b->next > b->files.n;

    b->pids[i] = 0;
    b->n_running--;
    if (b->caught != 0) {
        return;
    }
    if (WIFSIGNALED(status) || slot->outcome == CLI_PENDING) {
        slot->outcome = CLI_FAILED;
        slot->status = LANEFIX_ERR_IO;
        slot->error =
            cli_batch_error(b->files.list[i].input, "its process was ended by a signal", 0);
        report_for(b, i);
    } else if (slot->status == LANEFIX_ERR_MEMORY && b->o->run.max_memory != 0 && !tried_with_all) {
        slot->outcome = CLI_PENDING;
        b->again[b->n_again++] = i;
        return;
    }
    cli_batch_tell(&b->view, i);
    if (slot->outcome == CLI_FAILED && b->o->fail_fast) {
        b->stopped = true;
    }
}

/* Waits until a child ends, a signal comes or it is time to show progress. */
static void wait_some(struct batch *b)
{
    struct timespec wait = {0, 200000000};
    int number = sigtimedwait(&b->view.signals, NULL, &wait);
    int status;
    pid_t pid;

    if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
        b->caught = number;
        b->stopped = true;
        for (size_t i = 0; i < b->files.n; i++) {
            if (b->pids[i] != 0) {
                kill(b->pids[i], SIGTERM);
            }
        }
    }
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < b->files.n; i++) {
            if (b->pids[i] == pid) {
                finished(b, i, status);
                break;
            }
        }
    }
    cli_batch_progress(&b->view);
}

static void run_all(struct batch *b)
{
    while ((b->next < b->files.n && !b->stopped) || b->n_running > 0) {
        while (b->next < b->files.n && b->n_running < b->jobs && !b->stopped) {
            size_t i = b->next++;

            begin(b, i, false);
        }
        if (b->n_running > 0) {
            wait_some(b);
        }
    }
    b->next = b->files.n + 1; /* from here on each is alone */
    for (size_t k = 0; k < b->n_again && !b->stopped; k++) {
        begin(b, b->again[k], true);
        while (b->n_running > 0) {
            wait_some(b);
        }
    }
}

static bool set_up(struct batch *b)
{
    size_t n = b->files.n;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    b->threads = b->o->run.threads != 0 ? b->o->run.threads : cpus > 0 ? (unsigned)cpus : 1;
    b->jobs = b->o->jobs != 0 ? b->o->jobs : b->threads;
    b->jobs = b->jobs > n ? (unsigned)(n != 0 ? n : 1) : b->jobs;
    b->pids = calloc(n + 1, sizeof *b->pids);
    b->again = calloc(n + 1, sizeof *b->again);
    b->slots = mmap(NULL, (n + 1) * sizeof *b->slots, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b->slots == MAP_FAILED) {
        b->slots = NULL;
    }
    return b->pids != NULL && b->again != NULL && b->slots != NULL;
}

static int report_fault(const char *name)
{
    int failed = errno;

    fprintf(stderr, "lanefix: %s: cannot be written: %s\n", name, strerror(failed));
    return EXIT_SYSTEM;
}

static int run_batch(struct batch *b)
{
    int result;

    if (!set_up(b)) {
        fprintf(stderr, "lanefix: out of memory\n");
        return EXIT_SYSTEM;
    }
    if (b->o->report != NULL) {
        b->report_fd =
            open(b->o->report, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (b->report_fd < 0) {
            return report_fault(b->o->report);
        }
    }
    cli_batch_begin(&b->view, b->o, &b->files, b->slots);
    run_all(b);
    result = cli_batch_end(&b->view, b->caught != 0);
    if (b->report_fd >= 0 && close(b->report_fd) != 0) {
        result = report_fault(b->o->report);
    }
    return result;
}

int cli_batch_run(struct cli_options *o)
{
    struct batch b = {.o = o, .report_fd = -1};
    char message[512] = "";
    int result;

    if (cli_files_collect(&b.files, o, message, sizeof message)) {
        result = run_batch(&b);
    } else {
        fprintf(stderr, "lanefix: %s\n", message);
        result = EXIT_USAGE;
    }
    if (b.slots != NULL) {
        munmap(b.slots, (b.files.n + 1) * sizeof *b.slots);
    }
    free(b.pids);
    free(b.again);
    cli_files_fini(&b.files);
    if (b.caught != 0) {
        signal(b.caught, SIG_DFL);
        raise(b.caught);
    }
    return result;
}
