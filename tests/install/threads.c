/* Runs on separate handles at the same time, through the installed library: every thread fixes the
 * trace argv[1] into a file of its own, again and again, checks it, and cancels a run in between.
 * Ends with "N passed, N failed". */
#include <lanefix.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N_THREADS = 6, N_ROUNDS = 5 };

struct job {
    pthread_t thread;
    const char *trace;
    char output[64];
    unsigned number;
    unsigned passed, failed;
};

static int cancel(void *arg, const struct lanefix_progress *progress)
{
    (void)arg;
    (void)progress;
    return 1;
}

static void expect(struct job *job, int good, const char *what, const struct lanefix_error *err)
{
    job->passed += good != 0;
    job->failed += good == 0;
    if (!good) {
        printf("failed: thread %u: %s: %s\n", job->number, what, err->message);
    }
}

static void *work(void *arg)
{
    struct job *job = arg;
    uint64_t moved = 0;

    for (int round = 0; round < N_ROUNDS; round++) {
        struct lanefix_options options;
        struct lanefix_input in = {.path = job->trace, .fd = -1};
        struct lanefix_report *report = NULL;
        struct lanefix_track track;
        struct lanefix_error err = {.message = ""};

        lanefix_options_init(&options);
        options.threads = 1 + job->number % 3;
        expect(job,
               lanefix_fix_file(job->trace, job->output, &options, &report, &err) == LANEFIX_OK,
               "fix", &err);
        if (report == NULL) {
            continue;
        }
        if (round > 0) {
            expect(job, lanefix_report_counters(report)->moved == moved, "the same report", &err);
        }
        moved = lanefix_report_counters(report)->moved;
        expect(job, moved != 0 && lanefix_report_track(report, 0, &track), "a report of its own",
               &err);
        lanefix_report_destroy(report);

        options.progress = cancel;
        expect(job, lanefix_check(&in, &options, NULL, &err) == LANEFIX_ERR_CANCELLED, "cancel",
               &err);
        in.path = "missing.json";
        options.progress = NULL;
        expect(job,
               lanefix_check(&in, &options, NULL, &err) == LANEFIX_ERR_IO &&
                   strstr(err.message, "missing.json") != NULL,
               "an error of its own", &err);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct job jobs[N_THREADS];
    unsigned passed = 0;
    unsigned failed = 0;

    if (argc != 2) {
        return 2;
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        jobs[i] = (struct job){.trace = argv[1], .number = i};
        snprintf(jobs[i].output, sizeof jobs[i].output, "thread.%u.json", i);
        if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]) != 0) {
            return 2;
        }
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        pthread_join(jobs[i].thread, NULL);
        passed += jobs[i].passed;
        failed += jobs[i].failed;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
