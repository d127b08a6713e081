/* How a generated trace is printed: pretty as PyTorch does, or squeezed from that. Header of gen.c
 * only. A failed write ends the program. */
#ifndef LF_BENCH_WRITER_H
#define LF_BENCH_WRITER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EVENT_NBYTES 4096

enum style { STYLE_PRETTY, STYLE_COMPACT, STYLE_NPU };

struct writer {
    FILE *out;
    uint64_t nbytes; /* printed */
    enum style style;
    bool began; /* an event was printed */
};

/* A time as the style writes it. */
struct us {
    char text[32];
};

/* Takes white space outside strings away; torch_npu keeps one space behind commas and colons. */
static size_t squeeze(char *text, size_t n, enum style style)
{
    size_t to = 0;
    bool in_string = false;

    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && (text[i] == ' ' || text[i] == '\n')) {
            if (style == STYLE_COMPACT || to == 0 || (text[to - 1] != ',' && text[to - 1] != ':')) {
                continue;
            }
            text[to++] = ' ';
            continue;
        }
        text[to++] = text[i];
    }
    return to;
}

static void put_text(struct writer *w, const char *text, size_t n)
{
    w->nbytes += n;
    if (fwrite(text, 1, n, w->out) != n) {
        perror("gen");
        exit(1);
    }
}

/* One event, or what stands around them. */
static void put(struct writer *w, const char *format, va_list ap)
{
    char text[EVENT_NBYTES];
    int n = vsnprintf(text, sizeof text, format, ap);
    size_t length = (size_t)n;

    if (n < 0 || length >= sizeof text) {
        fputs("gen: an event is too long\n", stderr);
        exit(1);
    }
    if (w->style != STYLE_PRETTY) {
        length = squeeze(text, length, w->style);
    }
    put_text(w, text, length);
}

static void put_frame(struct writer *w, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    put(w, format, ap);
    va_end(ap);
}

static struct us us(const struct writer *w, int64_t ns)
{
    const char *quote = w->style == STYLE_NPU ? "\"" : "";
    struct us t;

    snprintf(t.text, sizeof t.text, "%s%lld.%03d%s", quote, (long long)(ns / 1000),
             (int)(ns % 1000), quote);
    return t;
}

#endif
