/* Packed records in blocks that double up to a bound, so that neither a million tracks of one slice
 * nor one track of millions wastes much. A record never straddles blocks. */
#include "trace/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK_MIN 64u
#define BLOCK_MAX (256u << 10) /* such blocks are pages of their own: a track that is taken out
                                   shrinks while its records grow */
#define RECORD_MAX 30u /* three numbers of at most ten bytes */

struct lf_record_block {
    struct lf_record_block *next;
    uint32_t n;
    uint32_t cap : 31;
    uint32_t later : 1; /* not the list's first */
    uint8_t bytes[];
};

static uint8_t *put_number(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static const uint8_t *get_number(const uint8_t *p, uint64_t *v)
{
    uint64_t value = 0;
    unsigned shift = 0;

    for (; *p >= 0x80; p++, shift += 7) {
        value |= (uint64_t)(*p & 0x7f) << shift;
    }
    *v = value | (uint64_t)*p << shift;
    return p + 1;
}

/* Small differences of either sign become small numbers. All of it wraps, and back again. */
static uint64_t fold_sign(uint64_t v)
{
    return v << 1 ^ (0 - (v >> 63));
}

static uint64_t unfold_sign(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

static enum lanefix_status block_create(struct lf_record_block **out, uint32_t nbytes,
                                        struct lanefix_error *err)
{
    if (nbytes == BLOCK_MAX) {
        LF_TRY(lf_pages_alloc(out, nbytes, err));
    } else {
        LF_TRY(lf_alloc(out, nbytes, 1, err));
    }
    (*out)->next = NULL;
    (*out)->n = 0;
    (*out)->cap = (nbytes - (uint32_t)sizeof **out) & 0x7fffffff;
    (*out)->later = 0;
    return LANEFIX_OK;
}

static void block_destroy(struct lf_record_block *b)
{
    if (b->cap == BLOCK_MAX - sizeof *b) {
        lf_pages_free(b, BLOCK_MAX);
    } else {
        free(b);
    }
}

static enum lanefix_status reserve(struct lf_records *list, struct lanefix_error *err)
{
    struct lf_record_block *b = list->last;
    struct lf_record_block *fresh;
    uint32_t nbytes = BLOCK_MIN;

    if (b != NULL && b->cap - b->n >= RECORD_MAX) {
        return LANEFIX_OK;
    }
    if (b != NULL) {
        nbytes = (b->cap + (uint32_t)sizeof *b) * 2;
        nbytes = nbytes < BLOCK_MAX ? nbytes : BLOCK_MAX;
    }
    LF_TRY(block_create(&fresh, nbytes, err));
    if (b == NULL) {
        list->first = fresh;
    } else {
        b->next = fresh;
        fresh->later = 1;
    }
    list->last = fresh;
    return LANEFIX_OK;
}

/* Every record begins with the difference of offsets, the kind in its low bits, and that of times. */
static uint8_t *begin_record(struct lf_records *list, uint64_t off, unsigned kind, int64_t ts)
{
    uint8_t *p = list->last->bytes + list->last->n;

    p = put_number(p, (off - list->prev_off) << 2 | kind);
    p = put_number(p, fold_sign((uint64_t)ts - (uint64_t)list->prev_ts));
    if (list->n == 0 || ts > list->max_ts) {
        list->max_ts = ts;
    } else {
        int64_t back;

        if (__builtin_sub_overflow(list->max_ts, ts, &back)) {
            back = INT64_MAX;
        }
        list->backstep = back > list->backstep ? back : list->backstep;
    }
    list->prev_off = off;
    list->prev_ts = ts;
    list->n++;
    return p;
}

enum lanefix_status lf_records_add_slice(struct lf_records *list, const struct lf_slice *s,
                                         struct lanefix_error *err)
{
    uint8_t *p;

    LF_TRY(reserve(list, err));
    p = begin_record(list, s->off, (unsigned)s->kind, s->ts);
    if (s->kind == LF_SLICE_COMPLETE) {
        p = put_number(p, fold_sign((uint64_t)s->u.dur));
    } else if (s->kind != LF_SLICE_INSTANT) {
        memcpy(p, &s->u.name_hash, sizeof s->u.name_hash);
        p += sizeof s->u.name_hash;
    }
    list->last->n = (uint32_t)(p - list->last->bytes);
    return LANEFIX_OK;
}

enum lanefix_status lf_records_add_flow(struct lf_records *list, const struct lf_flow *f,
                                        struct lanefix_error *err)
{
    LF_TRY(reserve(list, err));
    list->last->n =
        (uint32_t)(begin_record(list, f->off, (unsigned)f->kind, f->ts) - list->last->bytes);
    return LANEFIX_OK;
}

/* Reads the two numbers that every record begins with. */
static const uint8_t *take_begin(struct lf_records *list, const uint8_t *p, unsigned *kind)
{
    uint64_t v;

    p = get_number(p, &v);
    *kind = v & 3;
    list->prev_off += v >> 2;
    p = get_number(p, &v);
    list->prev_ts = (int64_t)((uint64_t)list->prev_ts + unfold_sign(v));
    return p;
}

/* The next record's bytes, NULL behind the last one. keep: blocks that are read are not released. */
static const uint8_t *next_record(struct lf_records *list, bool keep)
{
    struct lf_record_block *b = list->first;

    if (b != NULL && list->taken == 0 && !b->later) {
        list->prev_ts = 0; /* from here on of the record taken last */
        list->prev_off = 0;
    }
    if (b != NULL && list->taken == b->n) {
        list->first = b->next;
        list->taken = 0;
        if (!keep) {
            block_destroy(b);
        }
        b = list->first;
    }
    if (b == NULL) {
        list->last = NULL;
        return NULL;
    }
    return b->bytes + list->taken;
}

static void took(struct lf_records *list, const uint8_t *end)
{
    list->taken = (uint32_t)(end - list->first->bytes);
    list->n--;
}

static size_t read_slices(struct lf_records *list, struct lf_slice *out, size_t max,
                          unsigned member, bool keep)
{
    size_t n = 0;

    for (const uint8_t *p; n < max && (p = next_record(list, keep)) != NULL; n++) {
        unsigned kind;
        uint64_t v;

        p = take_begin(list, p, &kind);
        out[n] = (struct lf_slice){.ts = list->prev_ts,
                                   .off = list->prev_off & ((UINT64_C(1) << LF_OFF_BITS) - 1),
                                   .kind = kind & 3,
                                   .member = member & 0x3fff};
        if (kind == LF_SLICE_COMPLETE) {
            p = get_number(p, &v);
            out[n].u.dur = (int64_t)unfold_sign(v);
        } else if (kind != LF_SLICE_INSTANT) {
            memcpy(&out[n].u.name_hash, p, sizeof out[n].u.name_hash);
            p += sizeof out[n].u.name_hash;
        }
        took(list, p);
    }
    return n;
}

size_t lf_records_take_slices(struct lf_records *list, struct lf_slice *out, size_t max,
                              unsigned member)
{
    return read_slices(list, out, max, member, false);
}

size_t lf_records_copy_slices(const struct lf_records *list, struct lf_slice *out, unsigned member)
{
    struct lf_records walk = *list;

    return read_slices(&walk, out, list->n, member, true);
}

size_t lf_records_take_flows(struct lf_records *list, struct lf_flow *out, size_t max,
                             unsigned member)
{
    size_t n = 0;

    for (const uint8_t *p; n < max && (p = next_record(list, false)) != NULL; n++) {
        unsigned kind;

        p = take_begin(list, p, &kind);
        out[n] = (struct lf_flow){.ts = list->prev_ts,
                                  .off = list->prev_off & ((UINT64_C(1) << LF_OFF_BITS) - 1),
                                  .kind = kind & 3,
                                  .member = member & 0x3fff};
        took(list, p);
    }
    return n;
}

void lf_records_fini(struct lf_records *list)
{
    while (list->first != NULL) {
        struct lf_record_block *next = list->first->next;

        block_destroy(list->first);
        list->first = next;
    }
    memset(list, 0, sizeof *list);
}
