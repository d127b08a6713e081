/* Matching an event with a shape, once for all kernels: a kernel's file defines
 *
 *     LF_KERNEL_TARGET     the functions' target attribute, or nothing
 *     static size_t scan_string(const uint8_t *text, size_t pos, size_t n)
 *     static size_t scan_number(const uint8_t *text, size_t pos, size_t n)
 *     static bool same_literal(const uint8_t *text, size_t pos, size_t n, const uint8_t *literal,
 *                              size_t len)
 *
 * which do what those of shape_scan.h do, then includes this file and calls match or match_ahead.
 */
#include "json/block_bits.h"
#include "json/shape.h"

/* What a match is to do besides. */
struct match {
    uint32_t *literal_at; /* of each part is set where its literal begins */
    bool ahead;           /* the event's end and nested values are not known: */
    lf_skip_fn *skip;     /* finds the ends of these; */
    size_t i_nested;      /* else: how many were passed */
};

/* The value at pos: *end is set behind it. false where it is not of the part's kind. */
KERNEL_INLINE bool read_value(struct match *m, const struct lf_event_text *event, uint8_t kind,
                              size_t pos, size_t *end, enum lf_value_kind *value_kind)
{
    switch (kind) {
    case LF_PART_STRING:
        *value_kind = LF_VALUE_STRING;
        *end = scan_string(event->text, pos, event->n);
        return true;
    case LF_PART_NUMBER:
        *value_kind = LF_VALUE_PRIMITIVE;
        *end = scan_number(event->text, pos, event->n);
        return *end != pos;
    default:
        if (m->ahead) {
            if (pos == event->n || (event->text[pos] != '{' && event->text[pos] != '[')) {
                return false;
            }
            *end = m->skip(event->text, pos, event->n);
        } else {
            if (m->i_nested == event->n_nested ||
                event->nested[m->i_nested].start - event->base != pos) {
                return false;
            }
            *end = event->nested[m->i_nested].end - event->base;
            m->i_nested++;
        }
        *value_kind = event->text[pos] == '{' ? LF_VALUE_OBJECT : LF_VALUE_ARRAY;
        return *end != 0;
    }
}

/* The end of the event that agrees, 0 where none does. Fixed values are not set. */
KERNEL_INLINE size_t match(struct match *m, const struct lf_shape *shape,
                           const struct lf_event_text *event, struct lf_value *values)
{
    size_t pos = 0;

    for (const struct lf_part *part = shape->parts;; part++) {
        enum lf_value_kind kind;
        size_t end;

        if (!same_literal(event->text, pos, event->n, shape->literals + part->literal_off,
                          part->literal_len)) {
            return 0;
        }
        *m->literal_at++ = (uint32_t)pos;
        pos += part->literal_len;
        if (part->kind == LF_PART_END) {
            return pos;
        }
        if (!read_value(m, event, part->kind, pos, &end, &kind)) {
            return 0;
        }
        if (part->key != LF_KEY_NONE) {
            values[part->key] = (struct lf_value){(uint32_t)pos, (uint32_t)end, kind};
        }
        pos = end;
    }
}

KERNEL_INLINE size_t match_ahead(const struct lf_shape *shape, const uint8_t *text, size_t n,
                                 lf_skip_fn *skip, struct lf_value *values, uint32_t *literal_at)
{
    const struct lf_event_text event = {.text = text, .n = n};
    struct match m = {.literal_at = literal_at, .ahead = true, .skip = skip};

    return match(&m, shape, &event, values);
}
