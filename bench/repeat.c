/* repeat TRACE MB: a plain trace's events over and over along the time axis, about MB million bytes
 * on stdout. Each round adds to the whole microseconds of every event's ts; all other bytes stay.
 * A ts that is negative or has an exponent stays too.
 *
 * Owns a reading of JSON just good enough to find the members of events. Memory is that of TRACE.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_NBYTES ((size_t)1 << 20)

/* The whole microseconds of a ts. */
struct number {
    size_t at, n;
    int64_t us;
};

struct trace {
    char *text;
    size_t n;
    size_t first, first_end, second, end; /* of the first event, the second, the last */
    struct number *numbers;
    size_t n_numbers, cap_numbers;
    double least, most; /* us: where slices start and end */
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void load(struct trace *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    long n = -1;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0) {
        fail(path);
    }
    rewind(f);
    t->n = (size_t)n;
    t->text = malloc(t->n + 1);
    if (t->text == NULL || fread(t->text, 1, t->n, f) != t->n) {
        fail(path);
    }
    t->text[t->n] = '\0';
    fclose(f);
}

static size_t skip_space(const struct trace *t, size_t at)
{
    return at + strspn(t->text + at, " \t\r\n");
}

/* Behind the closing quote of the string that opens at at. */
static size_t skip_string(const struct trace *t, size_t at)
{
    for (at++; at < t->n && t->text[at] != '"'; at++) {
        at += t->text[at] == '\\';
    }
    return at < t->n ? at + 1 : t->n;
}

static void add_number(struct trace *t, size_t at)
{
    size_t digits, whole;

    at += t->text[at] == '"';
    digits = strspn(t->text + at, "0123456789");
    whole = at + digits;
    if (t->text[whole] == '.') {
        whole += 1 + strspn(t->text + whole + 1, "0123456789");
    }
    if (digits == 0 || digits > 18 || t->text[whole] == 'e' || t->text[whole] == 'E') {
        return;
    }
    if (t->n_numbers == t->cap_numbers) {
        t->cap_numbers = t->cap_numbers * 2 + 1024;
        t->numbers = realloc(t->numbers, t->cap_numbers * sizeof *t->numbers);
        if (t->numbers == NULL) {
            fail("repeat");
        }
    }
    t->numbers[t->n_numbers++] = (struct number){at, digits, strtoll(t->text + at, NULL, 10)};
}

static double number_at(const struct trace *t, size_t at)
{
    return strtod(t->text + at + (t->text[at] == '"'), NULL);
}

/* The event whose brace opens at at; returns behind its closing one. */
static size_t read_event(struct trace *t, size_t at)
{
    int depth = 0;
    size_t ts = 0, dur = 0;

    for (; at < t->n; at++) {
        char c = t->text[at];

        if (c == '"') {
            size_t key = at;
            size_t colon = skip_space(t, at = skip_string(t, at));

            if (depth == 1 && t->text[colon] == ':') {
                size_t value = skip_space(t, colon + 1);

                if (strncmp(t->text + key, "\"ts\"", 4) == 0) {
                    ts = value;
                } else if (strncmp(t->text + key, "\"dur\"", 5) == 0) {
                    dur = value;
                }
            }
            at--;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            at++;
            break;
        }
    }
    if (ts != 0) {
        add_number(t, ts);
    }
    if (ts != 0 && dur != 0) {
        double start = number_at(t, ts);
        double end = start + number_at(t, dur);

        t->least = start < t->least ? start : t->least;
        t->most = end > t->most ? end : t->most;
    }
    return at;
}

static void read_events(struct trace *t)
{
    size_t at = skip_space(t, 0);
    bool began = false;

    if (t->text[at] == '{') {
        const char *key = strstr(t->text + at, "\"traceEvents\"");

        at = key != NULL ? (size_t)(key - t->text) + strcspn(key, "[") : t->n;
    }
    for (at++; at < t->n && t->text[at] != ']'; at++) {
        if (t->text[at] != '{') {
            continue;
        }
        t->second = t->second == 0 && began ? at : t->second;
        t->first = began ? t->first : at;
        at = t->end = read_event(t, at);
        t->first_end = began ? t->first_end : at;
        began = true;
        at--;
    }
    if (!began || t->most < t->least) {
        fputs("repeat: no slices found\n", stderr);
        exit(1);
    }
}

static uint64_t put(const struct trace *t, size_t from, size_t to)
{
    if (fwrite(t->text + from, 1, to - from, stdout) != to - from) {
        fail("repeat");
    }
    return to - from;
}

static uint64_t put_round(const struct trace *t, int64_t shift)
{
    size_t at = t->first;
    uint64_t n = 0;

    for (size_t i = 0; i < t->n_numbers; i++) {
        const struct number *ts = &t->numbers[i];

        n += put(t, at, ts->at);
        n += (uint64_t)printf("%" PRId64, ts->us + shift);
        at = ts->at + ts->n;
    }
    return n + put(t, at, t->end);
}

int main(int argc, char **argv)
{
    struct trace t = {.least = 1e300, .most = -1e300};
    uint64_t n;
    double mb = argc == 3 ? strtod(argv[2], NULL) : 0;
    int64_t span;

    if (!(mb > 0 && mb < 1e6)) {
        fputs("usage: repeat TRACE MB\n", stderr);
        return 2;
    }
    load(&t, argv[1]);
    read_events(&t);
    span = (int64_t)(t.most - t.least) + 10;
    setvbuf(stdout, NULL, _IOFBF, OUT_NBYTES);
    n = put(&t, 0, t.first);
    for (int64_t round = 0; round == 0 || (double)n < mb * 1e6; round++) {
        if (round != 0 && t.second != 0) {
            n += put(&t, t.first_end, t.second);
        } else if (round != 0) {
            n += (uint64_t)printf(",");
        }
        n += put_round(&t, round * span);
    }
    put(&t, t.end, t.n);
    free(t.numbers);
    free(t.text);
    if (fflush(stdout) != 0) {
        fail("repeat");
    }
    return 0;
}
