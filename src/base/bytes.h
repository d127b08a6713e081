/* A growable run of bytes. Zero-initialise; release with lf_bytes_fini. */
#ifndef LF_BASE_BYTES_H
#define LF_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct lf_bytes {
    char *data;
    size_t n, cap;
};

enum lanefix_status lf_bytes_append(struct lf_bytes *b, const void *data, size_t n,
                                    struct lanefix_error *err) LF_MUST_USE;

/* printf to the end; what is written must be shorter than 128 bytes. */
enum lanefix_status lf_bytes_printf(struct lf_bytes *b, struct lanefix_error *err,
                                    const char *format, ...) LF_MUST_USE
    __attribute__((format(printf, 3, 4)));

void lf_bytes_fini(struct lf_bytes *b);

#endif
