/* A line of progress: pass, bar, percent, speed, time left; at most five times a second, from one
 * second on, cleared at the end.
 *
 * Signals: while nothing is written a signal ends the program at once; later it makes the library
 * stop, which removes its temporary file, and main raises it again. The library calls progress()
 * from one thread at a time and orders the calls, so the state needs no lock of its own. */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER_S 1.0
#define EVERY_S       0.2
#define BAR_WIDTH     24

static struct {
    bool show;
    double begun, pass_begun, drawn;
    int pass;
    bool on_screen;
    volatile uint64_t *done_bytes; /* NULL: nobody asks */
    uint64_t size;
} state;

static volatile sig_atomic_t caught;
static volatile sig_atomic_t writing; /* pass two: there may be something to clean up */

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_signal(int number)
{
    caught = number;
    if (!writing) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static void draw(const struct lanefix_progress *p, double now)
{
    double elapsed = now - state.pass_begun;
    double speed = elapsed > 0 ? (double)p->trace_bytes / elapsed / 1e6 : 0;
    char bar[BAR_WIDTH + 1];

    if (p->input_size == 0) {
        fprintf(stderr, "\r\033[Kpass %d/2  %.0f MB  %.0f MB/s", p->pass,
                (double)p->trace_bytes / 1e6, speed);
    } else {
        double part = (double)p->input_bytes / (double)p->input_size;
        int filled = (int)(fmin(part, 1.0) * BAR_WIDTH);

        memset(bar, '-', BAR_WIDTH);
        memset(bar, '#', (size_t)filled);
        bar[BAR_WIDTH] = '\0';
        fprintf(stderr, "\r\033[Kpass %d/2 [%s] %3.0f%%  %.0f MB/s  %.0f s left", p->pass, bar,
                fmin(part, 1.0) * 100, speed, part > 0 ? elapsed / part - elapsed : 0);
    }
    fflush(stderr);
    state.on_screen = true;
    state.drawn = now;
}

static int on_progress(void *arg, const struct lanefix_progress *p)
{
    (void)arg;
    writing = p->pass == 2;
    if (state.done_bytes != NULL) {
        uint64_t half = p->input_bytes / 2;

        *state.done_bytes =
            (p->pass == 2 ? state.size / 2 : 0) + (half < state.size / 2 ? half : state.size / 2);
    }
    if (state.show) {
        double now = now_s();

        if (p->pass != state.pass) {
            state.pass = p->pass;
            state.pass_begun = now;
        }
        if (now - state.begun >= FIRST_AFTER_S && now - state.drawn >= EVERY_S) {
            draw(p, now);
        }
    }
    return caught != 0;
}

void cli_progress_begin(struct cli_options *o)
{
    struct sigaction action;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    state.show = o->progress == 1 || (o->progress == -1 && !o->quiet && isatty(STDERR_FILENO));
    state.begun = now_s();
    o->run.progress = on_progress;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old;

        /* what the parent chose to ignore (nohup) stays ignored */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

void cli_progress_begin_child(struct cli_options *o, volatile uint64_t *done_bytes, uint64_t size)
{
    o->progress = 0;
    state.done_bytes = done_bytes;
    state.size = size;
    cli_progress_begin(o);
}

int cli_progress_end(void)
{
    if (state.on_screen) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    writing = 0;
    return caught;
}
