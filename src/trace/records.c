/* Packed records in blocks that double up to a bound, so that neither many tracks of some slices
 * nor one track of millions wastes much. A record never straddles blocks. The first block stands
 * behind the list's own state. */
#include "trace/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/packing.h"

#define BLOCK_MIN 96u
/* Blocks of this size are pages of their own: a track that is taken out shrinks while its records
 * grow. */
#define BLOCK_MAX (256u << 10)

struct lf_record_block {
    struct lf_record_block *next;
    uint32_t n, cap; /* of bytes */
    uint8_t bytes[];
};

struct lf_record_list {
    struct lf_record_block *last;
    struct lf_packing prev; /* the record added last */
    struct lf_record_cursor taken;
    int64_t least_ts; /* of the first chunk; of the others: */
    struct lf_record_mark *marks;
    size_t n_marks, cap_marks;
};

static struct lf_record_block *first_block(struct lf_record_list *list)
{
    return (void *)(list + 1);
}

static uint32_t block_nbytes(const struct lf_record_block *b)
{
    return b->cap + (uint32_t)sizeof *b;
}

static void block_init(struct lf_record_block *b, uint32_t nbytes)
{
    b->next = NULL;
    b->n = 0;
    b->cap = nbytes - (uint32_t)sizeof *b;
}

static void block_destroy(struct lf_record_list *list, struct lf_record_block *b)
{
    if (b == first_block(list)) {
        return;
    }
    if (block_nbytes(b) == BLOCK_MAX) {
        lf_pages_free(b, BLOCK_MAX);
    } else {
        free(b);
    }
}

/* What is in u is given up: the first block has room for it. */
static enum lanefix_status become_packed(struct lf_records *list, struct lanefix_error *err)
{
    struct lf_record_list *packed;

    LF_TRY(lf_alloc(&packed, sizeof *packed + BLOCK_MIN, 1, err));
    memset(packed, 0, sizeof *packed);
    packed->least_ts = INT64_MAX;
    packed->last = packed->taken.block = first_block(packed);
    block_init(packed->last, BLOCK_MIN);
    list->u.list = packed;
    list->packed = true;
    return LANEFIX_OK;
}

static enum lanefix_status add_block(struct lf_record_list *list, struct lanefix_error *err)
{
    struct lf_record_block *b = list->last;
    struct lf_record_block *fresh;
    uint32_t nbytes = block_nbytes(b) * 2 < BLOCK_MAX ? block_nbytes(b) * 2 : BLOCK_MAX;

    if (nbytes == BLOCK_MAX) {
        LF_TRY(lf_pages_alloc(&fresh, nbytes, err));
    } else {
        LF_TRY(lf_alloc(&fresh, nbytes, 1, err));
    }
    block_init(fresh, nbytes);
    b->next = fresh;
    list->last = fresh;
    return LANEFIX_OK;
}

/* Room for one more record at the end of the last block. */
static inline enum lanefix_status reserve(struct lf_record_list *list, struct lanefix_error *err)
{
    const struct lf_record_block *b = list->last;

    return b->cap - b->n >= LF_PACKED_MAX + LF_PACKED_SLACK ? LANEFIX_OK : add_block(list, err);
}

static inline enum lanefix_status pack_slice(struct lf_record_list *list, const struct lf_slice *s,
                                             struct lanefix_error *err)
{
    struct lf_record_block *b;

    LF_TRY(reserve(list, err));
    b = list->last;
    b->n = (uint32_t)(lf_pack_slice(b->bytes + b->n, &list->prev, s) - b->bytes);
    return LANEFIX_OK;
}

static enum lanefix_status pack_flow(struct lf_record_list *list, const struct lf_flow *f,
                                     struct lanefix_error *err)
{
    struct lf_record_block *b;

    LF_TRY(reserve(list, err));
    b = list->last;
    b->n = (uint32_t)(lf_pack_flow(b->bytes + b->n, &list->prev, f) - b->bytes);
    return LANEFIX_OK;
}

/* Before slice n is packed. */
static enum lanefix_status note_chunk(struct lf_record_list *list, uint32_t n, int64_t ts,
                                      struct lanefix_error *err)
{
    int64_t *least;

    if (n != 0 && n % LF_RECORD_CHUNK == 0) {
        LF_TRY(reserve(list, err));
        LF_TRY(
            lf_grow(&list->marks, &list->cap_marks, list->n_marks + 1, sizeof *list->marks, err));
        list->marks[list->n_marks++] = (struct lf_record_mark){
            {list->last, list->last->n, list->prev.ts, list->prev.off}, INT64_MAX};
    }
    least = list->n_marks != 0 ? &list->marks[list->n_marks - 1].least_ts : &list->least_ts;
    *least = ts < *least ? ts : *least;
    return LANEFIX_OK;
}

enum lanefix_status lf_records_add_slice(struct lf_records *list, const struct lf_slice *s,
                                         struct lanefix_error *err)
{
    if (list->n == 0) {
        list->u.slice = *s;
    } else {
        if (!list->packed) {
            struct lf_slice only = list->u.slice;

            LF_TRY(become_packed(list, err));
            LF_TRY(note_chunk(list->u.list, 0, only.ts, err));
            LF_TRY(pack_slice(list->u.list, &only, err));
        }
        LF_TRY(note_chunk(list->u.list, list->n, s->ts, err));
        LF_TRY(pack_slice(list->u.list, s, err));
    }
    list->n++;
    return LANEFIX_OK;
}

enum lanefix_status lf_records_add_flow(struct lf_records *list, const struct lf_flow *f,
                                        struct lanefix_error *err)
{
    if (list->n == 0) {
        list->u.flow = *f;
    } else {
        if (!list->packed) {
            struct lf_flow only = list->u.flow;

            LF_TRY(become_packed(list, err));
            LF_TRY(pack_flow(list->u.list, &only, err));
        }
        LF_TRY(pack_flow(list->u.list, f, err));
    }
    list->n++;
    return LANEFIX_OK;
}

/* Goes on to the next block where the cursor's is at its end; release: that one is not needed any
 * more. False at the end of the list. */
static bool at_record(struct lf_record_list *list, struct lf_record_cursor *at, bool release)
{
    struct lf_record_block *b = at->block;

    if (at->taken == b->n) {
        if (b->next == NULL) {
            return false;
        }
        at->block = b->next;
        at->taken = 0;
        if (release) {
            block_destroy(list, b);
        }
    }
    return true;
}

static size_t read_slices(struct lf_record_list *list, struct lf_record_cursor *at,
                          struct lf_slice *out, size_t max, unsigned member, bool release)
{
    struct lf_packing prev = {at->ts, at->off};
    size_t n = 0;

    while (n < max && at_record(list, at, release)) {
        const uint8_t *p = at->block->bytes + at->taken;
        const uint8_t *end = at->block->bytes + at->block->n;

        for (; n < max && p != end; n++) {
            p = lf_unpack_slice(p, &prev, &out[n], member);
        }
        at->taken = (uint32_t)(p - at->block->bytes);
    }
    at->ts = prev.ts;
    at->off = prev.off;
    return n;
}

/* Notes that n records were taken; a list that is empty is released. */
static size_t took(struct lf_records *list, size_t n)
{
    list->n -= (uint32_t)n;
    if (list->n == 0) {
        lf_records_fini(list);
    }
    return n;
}

size_t lf_records_take_slices(struct lf_records *list, struct lf_slice *out, size_t max,
                              unsigned member)
{
    struct lf_record_list *packed;

    max = max < list->n ? max : list->n;
    if (max == 0) {
        return 0;
    }
    if (!list->packed) {
        out[0] = list->u.slice;
        out[0].member = member & 0x3fff;
        return took(list, 1);
    }
    packed = list->u.list;
    return took(list, read_slices(packed, &packed->taken, out, max, member, true));
}

struct lf_record_cursor lf_records_begin(const struct lf_records *list)
{
    return list->packed ? list->u.list->taken : (struct lf_record_cursor){.block = NULL};
}

size_t lf_records_read_slices(const struct lf_records *list, struct lf_record_cursor *at,
                              struct lf_slice *out, size_t max, unsigned member)
{
    if (list->packed) {
        return read_slices(list->u.list, at, out, max, member, false);
    }
    if (list->n == 0 || max == 0 || at->taken != 0) {
        return 0;
    }
    at->taken = 1;
    out[0] = list->u.slice;
    out[0].member = member & 0x3fff;
    return 1;
}

size_t lf_records_take_flows(struct lf_records *list, struct lf_flow *out, size_t max,
                             unsigned member)
{
    size_t n = 0;

    max = max < list->n ? max : list->n;
    if (max != 0 && !list->packed) {
        out[0] = list->u.flow;
        out[0].member = member & 0x3fff;
        return took(list, 1);
    }
    while (n < max && at_record(list->u.list, &list->u.list->taken, true)) {
        struct lf_record_cursor *at = &list->u.list->taken;
        struct lf_packing prev = {at->ts, at->off};
        const uint8_t *p = at->block->bytes + at->taken;
        const uint8_t *end = at->block->bytes + at->block->n;

        for (; n < max && p != end; n++) {
            p = lf_unpack_flow(p, &prev, &out[n], member);
        }
        at->taken = (uint32_t)(p - at->block->bytes);
        at->ts = prev.ts;
        at->off = prev.off;
    }
    return n != 0 ? took(list, n) : 0;
}

bool lf_records_mark(const struct lf_records *list, size_t k, struct lf_record_mark *mark)
{
    const struct lf_record_list *packed;

    if (list->n == 0 || (!list->packed && k > 0)) {
        return false;
    }
    if (!list->packed) {
        *mark = (struct lf_record_mark){lf_records_begin(list), list->u.slice.ts};
        return true;
    }
    packed = list->u.list;
    if (k > packed->n_marks) {
        return false;
    }
    *mark = k == 0 ? (struct lf_record_mark){lf_records_begin(list), packed->least_ts}
                   : packed->marks[k - 1];
    return true;
}

void lf_records_fini(struct lf_records *list)
{
    if (list->packed) {
        struct lf_record_list *packed = list->u.list;
        struct lf_record_block *b = packed->taken.block;

        while (b != NULL) {
            struct lf_record_block *next = b->next;

            block_destroy(packed, b);
            b = next;
        }
        free(packed->marks);
        free(packed);
    }
    memset(list, 0, sizeof *list);
}
