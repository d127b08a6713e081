/* A pool of texts, each kept once and known by a small number. Owns the bytes. */
#ifndef LF_TRACE_NAMES_H
#define LF_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define LF_NO_NAME UINT32_MAX

struct lf_names {
    char *bytes;
    size_t n_bytes, cap_bytes;
    struct lf_name_entry {
        uint64_t hash;
        size_t start;
        uint32_t len;
        uint32_t tag;
    } *entries;
    size_t n_entries, cap_entries;
    uint32_t *slots; /* of a power of two: entry + 1, 0 where free */
    size_t n_slots;
    uint64_t seed;
};

void lf_names_init(struct lf_names *names, uint64_t seed);
void lf_names_fini(struct lf_names *names);

/* *id = the number of text[0..n) under tag; texts with different tags are different. Numbers count
 * up from 0. n < 4 GiB. LANEFIX_ERR_MEMORY. */
enum lanefix_status lf_names_intern(struct lf_names *names, uint32_t tag, const char *text,
                                    size_t n, uint32_t *id, struct lanefix_error *err) LF_MUST_USE;

/* The number of text[0..n) under tag, LF_NO_NAME where it was never interned. */
uint32_t lf_names_find(const struct lf_names *names, uint32_t tag, const char *text, size_t n);

/* The text of id; not terminated, valid until the next intern. */
const char *lf_names_text(const struct lf_names *names, uint32_t id, size_t *n);

#endif
