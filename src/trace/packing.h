/* How one record is written in a packed list: as what it differs by from the one before.
 *
 * Nearly all records have the common form: a byte that says how many bytes each number takes, then
 * the numbers, lowest byte first. It is read and written without a branch on their lengths, which
 * no CPU can foretell; up to LF_PACKED_SLACK bytes behind the record may be touched then. Numbers
 * of more than four bytes, and kinds that are rare, take the long form: numbers of seven bits a
 * byte. */
#ifndef LF_TRACE_PACKING_H
#define LF_TRACE_PACKING_H

#include <stdint.h>
#include <string.h>

#include "trace/record.h"

/* A record's length is at most LF_PACKED_MAX: the first byte and three numbers of ten. */
#define LF_PACKED_MAX   31u
#define LF_PACKED_SLACK 3u

/* What differences are taken from. All of it wraps, and back again. */
struct lf_packing {
    int64_t ts;
    uint64_t off;
};

/* The first byte: the form in the high two bits, then two bits for each number of the common form,
 * its length less one, that of the offset lowest. */
enum { LF_FORM_PLAIN = 0, LF_FORM_MARKED = 1, LF_FORM_LONG = 3 };

static inline uint8_t *lf_put_number(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline const uint8_t *lf_get_number(const uint8_t *p, uint64_t *v)
{
    uint64_t value = 0;
    unsigned shift = 0;

    for (; *p >= 0x80; p++, shift += 7) {
        value |= (uint64_t)(*p & 0x7f) << shift;
    }
    *v = value | (uint64_t)*p << shift;
    return p + 1;
}

static inline void lf_put_four(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

/* The first n, 1 to 4, bytes at p. */
static inline uint32_t lf_get_some(const uint8_t *p, unsigned n)
{
    uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

    return v & UINT32_MAX >> (32 - 8 * n);
}

/* Bytes that v takes, 1 to 4. */
static inline unsigned lf_some_nbytes(uint32_t v)
{
    return (unsigned)(39 - __builtin_clz(v | 1)) / 8;
}

/* Small differences of either sign become small numbers. */
static inline uint64_t lf_fold_sign(uint64_t v)
{
    return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t lf_unfold_sign(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

/* The differences of a record that is added next. */
static inline void lf_pack_step(struct lf_packing *at, uint64_t off, int64_t ts, uint64_t *off_step,
                                uint64_t *ts_step)
{
    *off_step = off - at->off;
    *ts_step = lf_fold_sign((uint64_t)ts - (uint64_t)at->ts);
    at->off = off;
    at->ts = ts;
}

/* The common form; third: NULL where there are two numbers. */
static inline uint8_t *lf_put_common(uint8_t *p, unsigned form, uint32_t off_step, uint32_t ts_step,
                                     const uint32_t *third)
{
    unsigned n_off = lf_some_nbytes(off_step);
    unsigned n_ts = lf_some_nbytes(ts_step);
    unsigned n_third = third != NULL ? lf_some_nbytes(*third) : 0;
    unsigned third_bits = third != NULL ? (n_third - 1) << 4 : 0;

    *p = (uint8_t)(form << 6 | third_bits | (n_ts - 1) << 2 | (n_off - 1));
    lf_put_four(p + 1, off_step);
    lf_put_four(p + 1 + n_off, ts_step);
    if (third != NULL) {
        lf_put_four(p + 1 + n_off + n_ts, *third);
    }
    return p + 1 + n_off + n_ts + n_third;
}

static inline uint8_t *lf_put_long(uint8_t *p, uint64_t off_step, uint64_t ts_step, unsigned kind)
{
    *p = LF_FORM_LONG << 6;
    p = lf_put_number(p + 1, off_step << 3 | kind);
    return lf_put_number(p, ts_step);
}

/* Writes a slice at p and moves at on; returns what is behind it. */
static inline uint8_t *lf_pack_slice(uint8_t *p, struct lf_packing *at, const struct lf_slice *s)
{
    uint64_t off_step, ts_step, dur;

    lf_pack_step(at, s->off, s->ts, &off_step, &ts_step);
    dur = lf_fold_sign((uint64_t)s->u.dur);
    if (s->kind == LF_SLICE_COMPLETE && (off_step | ts_step | dur) <= UINT32_MAX) {
        uint32_t third = (uint32_t)dur;

        return lf_put_common(p, s->annotation ? LF_FORM_MARKED : LF_FORM_PLAIN, (uint32_t)off_step,
                             (uint32_t)ts_step, &third);
    }
    p = lf_put_long(p, off_step, ts_step, (unsigned)s->kind | (unsigned)s->annotation << 2);
    if (s->kind == LF_SLICE_COMPLETE) {
        return lf_put_number(p, dur);
    }
    if (s->kind != LF_SLICE_INSTANT) {
        memcpy(p, &s->u.name_hash, sizeof s->u.name_hash);
        p += sizeof s->u.name_hash;
    }
    return p;
}

static inline uint8_t *lf_pack_flow(uint8_t *p, struct lf_packing *at, const struct lf_flow *f)
{
    uint64_t off_step, ts_step;

    lf_pack_step(at, f->off, f->ts, &off_step, &ts_step);
    if ((off_step | ts_step) <= UINT32_MAX) {
        return lf_put_common(p, f->kind == LF_FLOW_HERE ? LF_FORM_PLAIN : LF_FORM_MARKED,
                             (uint32_t)off_step, (uint32_t)ts_step, NULL);
    }
    return lf_put_long(p, off_step, ts_step, (unsigned)f->kind);
}

/* The offset and time of the record at p: what is behind them, and its form, of the long one the
 * kind. */
static inline const uint8_t *lf_unpack_step(const uint8_t *p, struct lf_packing *at, unsigned *form,
                                            unsigned *kind)
{
    unsigned first = *p++;
    uint64_t off_step, ts_step;

    *form = first >> 6;
    if (*form != LF_FORM_LONG) {
        unsigned n_off = (first & 3) + 1;
        unsigned n_ts = (first >> 2 & 3) + 1;

        off_step = lf_get_some(p, n_off);
        ts_step = lf_get_some(p + n_off, n_ts);
        p += n_off + n_ts;
    } else {
        p = lf_get_number(p, &off_step);
        p = lf_get_number(p, &ts_step);
        *kind = off_step & 7;
        off_step >>= 3;
    }
    at->off += off_step;
    at->ts = (int64_t)((uint64_t)at->ts + lf_unfold_sign(ts_step));
    return p;
}

/* Reads the slice at p, which becomes one of member; returns what is behind it. */
static inline const uint8_t *lf_unpack_slice(const uint8_t *p, struct lf_packing *at,
                                             struct lf_slice *s, unsigned member)
{
    const uint64_t off_mask = (UINT64_C(1) << LF_OFF_BITS) - 1;
    unsigned first = *p;
    unsigned form, kind = 0;
    uint64_t v = 0;

    p = lf_unpack_step(p, at, &form, &kind);
    if (form != LF_FORM_LONG) {
        unsigned n = (first >> 4 & 3) + 1;

        kind = LF_SLICE_COMPLETE | form << 2;
        v = lf_unfold_sign(lf_get_some(p, n));
        p += n;
    } else if ((kind & 3) == LF_SLICE_COMPLETE) {
        p = lf_get_number(p, &v);
        v = lf_unfold_sign(v);
    } else if ((kind & 3) != LF_SLICE_INSTANT) {
        memcpy(&v, p, sizeof v);
        p += sizeof v;
    }
    *s = (struct lf_slice){.ts = at->ts,
                           .u.name_hash = v,
                           .off = at->off & off_mask,
                           .kind = kind & 3,
                           .annotation = kind >> 2 & 1,
                           .member = member & 0x3fff};
    return p;
}

static inline const uint8_t *lf_unpack_flow(const uint8_t *p, struct lf_packing *at,
                                            struct lf_flow *f, unsigned member)
{
    const uint64_t off_mask = (UINT64_C(1) << LF_OFF_BITS) - 1;
    unsigned form, kind = 0;

    p = lf_unpack_step(p, at, &form, &kind);
    *f = (struct lf_flow){.ts = at->ts,
                          .off = at->off & off_mask,
                          .kind = (form != LF_FORM_LONG ? form : kind) & 3,
                          .member = member & 0x3fff};
    return p;
}

#endif
