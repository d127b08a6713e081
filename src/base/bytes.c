/* Growable bytes. */
#include "base/bytes.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum lanefix_status lf_bytes_append(struct lf_bytes *b, const void *data, size_t n,
                                    struct lanefix_error *err)
{
    if (n == 0) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_grow(&b->data, &b->cap, b->n + n, 1, err));
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return LANEFIX_OK;
}

enum lanefix_status lf_bytes_printf(struct lf_bytes *b, struct lanefix_error *err,
                                    const char *format, ...)
{
    char text[128];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < sizeof text);
    return lf_bytes_append(b, text, (size_t)n, err);
}

void lf_bytes_fini(struct lf_bytes *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}
