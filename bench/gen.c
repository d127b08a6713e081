/* Deterministic traces of any size, to standard output; memory does not grow with the size.
 *
 *   gen KIND MB [SEED]      KIND: kineto compact npu tracks one crossing clean
 *   gen repeat TRACE MB     a plain trace's events again and again along the time axis */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t written;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static unsigned below(unsigned n)
{
    return (unsigned)(next_random() >> 33) % n;
}

struct style {
    const char *name;
    bool pretty, string_times, crossings;
    int64_t base_ns;
};

static const struct style styles[] = {
    {"kineto", true, false, true, 4941862405262123},
    {"clean", true, false, false, 4941862405262123},
    {"compact", false, false, true, 4941862405262123},
    {"npu", false, true, true, 1712345678901234000},
};

static bool first_event = true;

static void separate(const struct style *s)
{
    written += (uint64_t)printf("%s%s", first_event ? "" : ",", s->pretty ? "\n  " : "");
    first_event = false;
}

static void put_time(const struct style *s, const char *key, int64_t ns)
{
    const char *quote = s->string_times ? "\"" : "";

    written += (uint64_t)printf(s->pretty ? "\"%s\": %s%" PRId64 ".%03d%s" : "\"%s\":%s%" PRId64 ".%03d%s", key,
                                quote, ns / 1000, (int)(ns % 1000), quote);
}

static void put_slice(const struct style *s, const char *cat, const char *name, unsigned number, int pid, int tid,
                      int64_t ts, int64_t dur, uint64_t id)
{
    separate(s);
    if (s->pretty) {
        written += (uint64_t)printf("{\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s%u\", \"pid\": %d, \"tid\": "
                                    "%d,\n    ", cat, name, number, pid, tid);
    } else {
        written += (uint64_t)printf("{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s%u\",\"pid\":%d,\"tid\":%d,", cat, name,
                                    number, pid, tid);
    }
    put_time(s, "ts", s->base_ns + ts);
    fputs(s->pretty ? ", " : ",", stdout);
    put_time(s, "dur", dur);
    written += (uint64_t)printf(s->pretty ? ",\n    \"args\": {\n      \"External id\": %" PRIu64
                                            ",\"Record function id\": 0, \"Ev Idx\": %" PRIu64 "\n    }\n  }"
                                          : ",\"args\":{\"External id\":%" PRIu64 ",\"Ev Idx\":%" PRIu64 "}}",
                                id, id);
}

static void put_flow(const struct style *s, char ph, int pid, int tid, int64_t ts, uint64_t id)
{
    separate(s);
    written += (uint64_t)printf(s->pretty ? "{\n    \"ph\": \"%c\", \"id\": %" PRIu64 ", \"pid\": %d, \"tid\": %d, "
                                          : "{\"ph\":\"%c\",\"id\":%" PRIu64 ",\"pid\":%d,\"tid\":%d,",
                                ph, id, pid, tid);
    put_time(s, "ts", s->base_ns + ts);
    written += (uint64_t)printf(s->pretty ? ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }"
                                          : ",\"cat\":\"ac2g\",\"name\":\"ac2g\"%s}",
                                ph == 'f' ? ", \"bp\": \"e\"" : "");
}

/* One step of a training loop: nested Python frames, ops, launches, kernels on a stream. */
static void put_step(const struct style *s, int64_t *now, int64_t *gpu, uint64_t *id)
{
    int64_t begin = *now;
    unsigned ops = 40;
    int64_t step_ns = (int64_t)ops * 60000 + 90000;

    put_slice(s, "user_annotation", "ProfilerStep#", (unsigned)*id / 100, 4711, 4711, begin, step_ns, *id);
    for (unsigned depth = 0; depth < 20; depth++) {
        put_slice(s, "python_function", "torch/nn/modules/module.py(1553): _call_impl ", depth, 4711, 4711,
                  begin + 1000 * (depth + 1), step_ns - 2000 * (depth + 1), ++*id);
    }
    for (unsigned i = 0; i < ops; i++) {
        int64_t at = begin + 30000 + (int64_t)i * 60000;
        bool crosses = s->crossings && below(100) == 0;
        int64_t kernel = *gpu > at + 20000 ? *gpu : at + 20000;
        int64_t dur = 20000 + below(60000);

        for (unsigned k = 0; k < 4; k++) {
            put_slice(s, "python_function", "model.py(88): forward ", k, 4711, 4711, at + 500 * k, 52000 - 1000 * k,
                      ++*id);
        }
        put_slice(s, "cpu_op", "aten::linear", i % 7, 4711, 4711, at + 3000, 40000, ++*id);
        put_slice(s, "cuda_runtime", "cudaLaunchKernel", 0, 4711, 4711, at + 8000, 6000, ++*id);
        put_flow(s, 's', 4711, 4711, at + 8000, *id);
        kernel -= crosses ? (below(40) == 0 ? 9000 : 300 + below(900)) : 0;
        put_slice(s, "kernel", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn_", i % 13, 0, 7, kernel,
                  dur, *id);
        put_flow(s, 'f', 0, 7, kernel, *id);
        *gpu = kernel + dur;
    }
    *now = begin + step_ns + 10000;
}

static void put_loop(const struct style *s, uint64_t nbytes)
{
    int64_t now = 0;
    int64_t gpu = 0;
    uint64_t id = 0;

    while (written < nbytes) {
        put_step(s, &now, &gpu, &id);
    }
}

static void put_simple(const char *kind, uint64_t nbytes)
{
    const struct style s = {kind, true, false, false, 1000000};
    bool tracks = strcmp(kind, "tracks") == 0;
    int64_t dur = strcmp(kind, "crossing") == 0 ? 11000 : 9000;

    for (uint64_t i = 0; written < nbytes; i++) {
        put_slice(&s, "cpu_op", "aten::op", (unsigned)(i % 11), 4711, tracks ? (int)(i % 2000000000) + 1 : 4711,
                  (int64_t)i * 10000, dur, i);
    }
}

/* ---- repeat ---- */

static const char *after_ts(const char *p, const char *end)
{
    p = memmem(p, (size_t)(end - p), "\"ts\":", 5);
    if (p == NULL) {
        return NULL;
    }
    for (p += 5; p < end && *p == ' '; p++) {
    }
    return p < end && *p >= '0' && *p <= '9' ? p : after_ts(p, end);
}

static int repeat(const char *path, uint64_t nbytes)
{
    FILE *f = fopen(path, "rb");
    char *text;
    long n;
    const char *begin, *end, *p;
    uint64_t low = UINT64_MAX, high = 0;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) <= 0 || (text = malloc((size_t)n + 1)) == NULL) {
        perror(path);
        return 1;
    }
    rewind(f);
    if (fread(text, 1, (size_t)n, f) != (size_t)n) {
        perror(path);
        return 1;
    }
    text[n] = '\0';
    fclose(f);
    begin = strstr(text, "\"traceEvents\"");
    begin = begin != NULL ? strchr(begin, '[') : NULL;
    end = begin;
    for (p = begin; p != NULL && (p = strchr(p, ']')) != NULL; p++) {
        const char *q = p + 1 + strspn(p + 1, " \n\r\t");

        if ((*q == ',' && strstr(q, "\"ph\"") == NULL) || *q == '}') {
            if (strstr(p, "\"ph\"") == NULL) {
                end = p;
                break;
            }
        }
    }
    if (begin == NULL || end == begin) {
        fprintf(stderr, "%s: no traceEvents found\n", path);
        return 1;
    }
    begin++;
    for (p = begin; (p = after_ts(p, end)) != NULL; p++) {
        uint64_t ts = strtoull(p, NULL, 10);

        low = ts != 0 && ts < low ? ts : low;
        high = ts > high ? ts : high;
    }
    fwrite(text, 1, (size_t)(begin - text), stdout);
    for (uint64_t round = 0; written < nbytes; round++) {
        const char *from = begin;

        written += (uint64_t)printf("%s", round != 0 ? "," : "");
        while ((p = after_ts(from, end)) != NULL) {
            char *rest;
            uint64_t ts = strtoull(p, &rest, 10);

            written += fwrite(from, 1, (size_t)(p - from), stdout);
            written += (uint64_t)printf("%" PRIu64, ts + round * (high - low + 1000000));
            from = rest;
        }
        written += fwrite(from, 1, (size_t)(end - from), stdout);
    }
    fwrite(end, 1, (size_t)(text + n - end), stdout);
    free(text);
    return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    static char buffer[1 << 20];
    uint64_t nbytes;

    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    if (argc == 4 && strcmp(argv[1], "repeat") == 0) {
        return repeat(argv[2], strtoull(argv[3], NULL, 10) * 1000000);
    }
    if (argc < 3) {
        fprintf(stderr, "usage: gen kineto|clean|compact|npu|tracks|one|crossing MB [SEED]; gen repeat TRACE MB\n");
        return 2;
    }
    nbytes = strtoull(argv[2], NULL, 10) * 1000000;
    state ^= argc > 3 ? strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15u : 0;
    fputs("{\"schemaVersion\": 1, \"traceEvents\": [", stdout);
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        if (strcmp(argv[1], styles[i].name) == 0) {
            put_loop(&styles[i], nbytes);
        }
    }
    if (first_event) {
        put_simple(argv[1], nbytes);
    }
    puts("\n], \"traceName\": \"generated\"}");
    return fflush(stdout) != 0;
}
