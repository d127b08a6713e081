/* gen KIND[:N] MB [SEED]: a trace of about MB million bytes on stdout, the same for the same
 * arguments on every machine.
 *
 *   kineto      as PyTorch prints it: operators, then Python stacks, then runtime calls, arrows and
 *               kernels; 1 slice in 500 crosses another by some 100 ns, 1 in 20000 by far more
 *   clean       the same without crossings
 *   compact     kineto on one line, without spaces
 *   npu         kineto as torch_npu writes: an array on one line, ts and dur as strings, epoch
 *   tracks[:N]  disjoint slices over N tracks; without N each slice has a track of its own
 *   one         one track
 *   crossing[:N] one track; runs of N slices (without N: one run) that each cross the next by 1 us
 *
 * Memory does not grow with MB: the three parts of a Kineto trace are the same simulation run three
 * times, each printing its part. So no draw may depend on what is printed. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "writer.h"

#define OUT_NBYTES    ((size_t)1 << 20)
#define EVENT_NBYTES  4096
#define STEP_NS       2000000
#define N_BASE_FRAMES 12
#define MAX_LEVEL     58
#define N_STREAMS     4

enum part { PART_OPS = 1, PART_PYTHON = 2, PART_DEVICE = 4, PART_ALL = 7 };

enum { PID = 425, TID = 425, DEVICE_PID = 0 };

struct gen {
    struct writer w;
    bool crossings;
    unsigned parts; /* that are printed */
    int64_t base;   /* ns */
    /* the simulation; begins anew with each part: */
    uint64_t random;
    long python_id, external_id, correlation;
    int64_t cpu_cross, gpu_cross; /* the next crossing that is due, ns; 0: none */
    int64_t stream_free[N_STREAMS];
};

/* xorshift64* */
static uint64_t draw(struct gen *g, uint64_t n)
{
    g->random ^= g->random >> 12;
    g->random ^= g->random << 25;
    g->random ^= g->random >> 27;
    return (g->random * UINT64_C(2685821657736338717) >> 33) % n;
}

static int64_t draw_ns(struct gen *g, int64_t from, int64_t to)
{
    return from + (int64_t)draw(g, (uint64_t)(to - from));
}

static const char *pick(struct gen *g, const char *const *names, size_t n)
{
    return names[draw(g, n)];
}

static void put_event(struct gen *g, enum part part, const char *format, ...)
{
    static const char *const between[] = {",\n  ", ",", ", "};
    static const char *const before[] = {"\n  ", "", ""};
    const char *gap = (g->w.began ? between : before)[g->w.style];
    va_list ap;

    if ((g->parts & part) == 0) {
        return;
    }
    put_text(&g->w, gap, strlen(gap));
    g->w.began = true;
    va_start(ap, format);
    put(&g->w, format, ap);
    va_end(ap);
}

static void put_slice(struct gen *g, enum part part, const char *cat, const char *name, int pid,
                      uint32_t tid, int64_t start, int64_t dur, const char *args)
{
    if ((g->parts & part) == 0) {
        return;
    }
    put_event(g, part,
              "{\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %u,\n"
              "    \"ts\": %s, \"dur\": %s,\n    \"args\": {\n      %s\n    }\n  }",
              cat, name, pid, tid, us(&g->w, start).text, us(&g->w, dur).text, args);
}

static void put_arrow(struct gen *g, char ph, int pid, int tid, int64_t ts)
{
    put_event(g, PART_DEVICE,
              "{\n    \"ph\": \"%c\", \"id\": %ld, \"pid\": %d, \"tid\": %d, \"ts\": %s,\n"
              "    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }",
              ph, g->correlation, pid, tid, us(&g->w, ts).text, ph == 'f' ? ", \"bp\": \"e\"" : "");
}

/* Whether a slice is to cross another, and by how much. */
static void draw_crossing(struct gen *g, int64_t *due)
{
    uint64_t n = draw(g, 500);
    int64_t by = draw_ns(g, 50, 250);

    if (n == 0 && g->crossings) {
        *due = by;
    }
}

/* launched: when the runtime call began. */
static void kernel(struct gen *g, int64_t launched)
{
    static const int stream_tids[N_STREAMS] = {7, 13, 17, 21};
    size_t stream = draw(g, N_STREAMS);
    int tid = stream_tids[stream];
    int64_t start = launched + draw_ns(g, 4000, 9000);
    int64_t dur = draw_ns(g, 1200, 20000);
    const char *name = pick(g, kernel_names, N_KERNEL_NAMES);
    unsigned grid = (unsigned)draw(g, 4096) + 1;
    char args[EVENT_NBYTES / 4];

    draw_crossing(g, &g->gpu_cross);
    if (start < g->stream_free[stream]) {
        start = g->stream_free[stream] - g->gpu_cross;
        g->gpu_cross = 0;
        if (start > launched + 60000) { /* the stream must not fall behind for ever */
            dur = draw_ns(g, 1200, 2000);
        }
    }
    g->stream_free[stream] = start + dur;
    snprintf(args, sizeof args, KERNEL_ARGS, g->external_id, tid, g->correlation, grid,
             (double)grid / 132);
    put_slice(g, PART_DEVICE, "kernel", name, DEVICE_PID, (uint32_t)tid, start, dur, args);
    put_arrow(g, 'f', DEVICE_PID, tid, start);
}

/* A runtime call that starts one kernel, or a graph of them. */
static void launch(struct gen *g, int64_t start, int64_t dur)
{
    bool graph = draw(g, 16) == 0;
    size_t n_kernels = graph ? 20 : 1;
    char args[EVENT_NBYTES / 4];

    g->correlation++;
    snprintf(args, sizeof args, "\"External id\": %ld, \"cbid\": 211, \"correlation\": %ld",
             g->external_id, g->correlation);
    put_slice(g, PART_DEVICE, "cuda_runtime", graph ? "cudaGraphLaunch" : "cudaLaunchKernel", PID,
              TID, start, dur, args);
    put_arrow(g, 's', PID, TID, start);
    for (size_t i = 0; i < n_kernels; i++) {
        kernel(g, start);
    }
}

static void operator(struct gen *g, int64_t start, int64_t end)
{
    const char *name = pick(g, op_names, N_OP_NAMES);
    const char *shape = pick(g, op_args, N_OP_ARGS);
    char args[EVENT_NBYTES / 4];

    g->external_id++;
    snprintf(args, sizeof args,
             "\"External id\": %ld,\"Record function id\": 0, %s, \"Ev Idx\": %ld", g->external_id,
             shape, g->external_id - 1);
    put_slice(g, PART_OPS, "cpu_op", name, PID, TID, start, end - start, args);
    if (end - start > 4000 && draw(g, 2) == 0) {
        operator(g, start + 600, end - 300);
    } else if (end - start > 2500) {
        launch(g, start + 800, draw_ns(g, 1000, 1500));
    }
}

/* One Python frame; what happens in it stays inside, but for crossings that are due. */
static void python(struct gen *g, int level, long parent, int64_t start, int64_t end)
{
    const char *name = pick(g, frame_names, N_FRAME_NAMES);
    long id = ++g->python_id;
    int64_t at = start + draw_ns(g, 300, 900);
    bool wraps = draw(g, 2) == 0;
    char args[128];

    snprintf(args, sizeof args, "\"Python parent id\": %ld, \"Python id\": %ld, \"Ev Idx\": %ld",
             parent, id, id + 100000);
    put_slice(g, PART_PYTHON, "python_function", name, PID, TID, start, end - start, args);
    while (at + 600 < end && level < MAX_LEVEL) {
        int64_t left = end - at - 200;
        int64_t dur = draw_ns(g, 400, 2000);

        draw_crossing(g, &g->cpu_cross);
        if (level < N_BASE_FRAMES + 24 || wraps) {
            dur = left;
            wraps = left > 20000;
        } else if (left > 8000 && draw(g, 3) == 0) {
            dur = left / 4 + draw_ns(g, 0, left / 2);
        } else if (dur > left || (g->cpu_cross != 0 && left < 20000)) {
            dur = g->cpu_cross != 0 ? end - at + g->cpu_cross : left;
            g->cpu_cross = 0;
        }
        if (dur > 1500 && dur < 30000 && draw(g, 9) == 0) {
            operator(g, at, at + dur);
        } else {
            python(g, level + 1, id, at, at + dur);
        }
        at += dur + draw_ns(g, 150, 700);
    }
}

/* A training step under an annotation; every tenth annotation ends inside the stack. */
static void step(struct gen *g, long number, int64_t start)
{
    int64_t end = start + STEP_NS - 200;
    int64_t cut = draw_ns(g, STEP_NS / 4, STEP_NS / 2);
    char name[48], args[96];

    g->external_id++;
    snprintf(name, sizeof name, "ProfilerStep#%ld", number);
    snprintf(args, sizeof args, "\"External id\": %ld,\"Record function id\": 0, \"Ev Idx\": %ld",
             g->external_id, g->external_id - 1);
    put_slice(g, PART_OPS, "user_annotation", name, PID, TID, start,
              g->crossings && number % 10 == 3 ? cut : end - start, args);
    python(g, N_BASE_FRAMES, N_BASE_FRAMES, start + 300, end - 300);
}

static void simulate(struct gen *g, unsigned parts, long n_steps)
{
    struct gen pass = *g;
    char args[96];

    pass.parts = parts;
    for (int i = 0; i < N_BASE_FRAMES; i++) {
        pass.python_id++;
        snprintf(args, sizeof args, "\"Python parent id\": %d, \"Python id\": %d, \"Ev Idx\": %d",
                 i, i + 1, i + 100000);
        put_slice(&pass, PART_PYTHON, "python_function", frame_names[i], PID, TID,
                  pass.base + i * 900, n_steps * STEP_NS + 40000 - i * 1800, args);
    }
    for (long i = 0; i < n_steps; i++) {
        step(&pass, i, pass.base + 20000 + i * STEP_NS);
    }
    g->w.nbytes = pass.w.nbytes;
    g->w.began = pass.w.began;
}

/* How many steps make nbytes: by trying some. */
static long count_steps(const struct gen *g, uint64_t nbytes)
{
    struct gen trial = *g;
    long n = 16;

    trial.w.out = fopen("/dev/null", "w");
    if (trial.w.out == NULL) {
        perror("/dev/null");
        exit(1);
    }
    trial.w.nbytes = 0;
    simulate(&trial, PART_ALL, n);
    fclose(trial.w.out);
    n = (long)(nbytes / (trial.w.nbytes / (uint64_t)n));
    return n > 0 ? n : 1;
}

static void plain_slices(struct gen *g, const char *kind, uint64_t group, uint64_t nbytes)
{
    bool one = strcmp(kind, "one") == 0;
    bool crossing = strcmp(kind, "crossing") == 0;
    char args[96];

    for (uint64_t i = 0; g->w.nbytes < nbytes; i++) {
        uint64_t tid = one || crossing ? TID : 1 + (group != 0 ? i % group : i);
        bool last = group != 0 && i % group == group - 1;
        int64_t dur = crossing ? (last ? 9000 : 11000) : one && i % 2 == 0 ? 19000 : 8000;

        snprintf(args, sizeof args, "\"Python parent id\": 12, \"Python id\": %llu, \"Ev Idx\": 7",
                 (unsigned long long)i);
        put_slice(g, PART_PYTHON, "python_function", pick(g, frame_names, N_FRAME_NAMES), PID,
                  (uint32_t)tid, g->base + (int64_t)i * 10000, dur, args);
    }
}

static void put_metadata(struct gen *g, const char *format)
{
    char text[EVENT_NBYTES / 4];
    const char *value = strstr(format, "%s");

    snprintf(text, sizeof text, "%.*s%s%s", (int)(value - format), format, us(&g->w, g->base).text,
             value + 2);
    put_event(g, PART_ALL, "%s", text);
}

static bool is_kineto(const char *kind)
{
    static const char *const kinds[] = {"kineto", "clean", "compact", "npu"};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void generate(struct gen *g, const char *kind, uint64_t group, uint64_t nbytes)
{
    long n_steps;

    if (g->w.style == STYLE_NPU) {
        put_text(&g->w, "[", 1);
    } else {
        put_frame(&g->w, "%s", trace_head);
    }
    if (is_kineto(kind)) {
        n_steps = count_steps(g, nbytes);
        simulate(g, PART_OPS, n_steps);
        simulate(g, PART_PYTHON, n_steps);
        simulate(g, PART_DEVICE, n_steps);
    } else {
        plain_slices(g, kind, group, nbytes);
    }
    for (size_t i = 0; i < N_METADATA; i++) {
        put_metadata(g, metadata[i]);
    }
    if (g->w.style == STYLE_NPU) {
        put_text(&g->w, "]", 1);
    } else {
        put_frame(&g->w, "%s", trace_tail);
    }
}

static int usage(void)
{
    fputs("usage: gen KIND[:N] MB [SEED]\n"
          "kinds: kineto clean compact npu tracks[:N] one crossing[:N]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const char *const plain_kinds[] = {"tracks", "one", "crossing"};
    char kind[16];
    char *colon;
    double mb;
    bool known = false;
    struct gen g = {.w.out = stdout, .parts = PART_ALL, .base = INT64_C(3520313156560070)};

    if (argc < 3 || argc > 4 || strlen(argv[1]) >= sizeof kind + 10) {
        return usage();
    }
    colon = strchr(argv[1], ':');
    snprintf(kind, sizeof kind, "%.*s",
             (int)(colon != NULL ? (size_t)(colon - argv[1]) : strlen(argv[1])), argv[1]);
    for (size_t i = 0; i < sizeof plain_kinds / sizeof plain_kinds[0]; i++) {
        known = known || strcmp(kind, plain_kinds[i]) == 0;
    }
    mb = strtod(argv[2], NULL);
    if ((!known && (!is_kineto(kind) || colon != NULL)) || !(mb > 0 && mb < 1e6)) {
        return usage();
    }
    g.crossings = strcmp(kind, "clean") != 0;
    if (strcmp(kind, "npu") == 0) {
        g.w.style = STYLE_NPU;
        g.base = INT64_C(1719385823012345678);
    } else if (strcmp(kind, "compact") == 0) {
        g.w.style = STYLE_COMPACT;
    }
    g.random = (argc > 3 ? strtoull(argv[3], NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    setvbuf(stdout, NULL, _IOFBF, OUT_NBYTES);
    generate(&g, kind, colon != NULL ? strtoull(colon + 1, NULL, 10) : 0, (uint64_t)(mb * 1e6));
    if (fflush(stdout) != 0) {
        perror("gen");
        return 1;
    }
    return 0;
}
