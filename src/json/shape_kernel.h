/* Matching an event with a shape, once for all kernels: a kernel's file defines
 *
 *     LF_KERNEL_TARGET     the functions' target attribute, or nothing
 *     static size_t scan_string(const uint8_t *text, size_t pos, size_t n)
 *     static size_t scan_number(const uint8_t *text, size_t pos, size_t n)
 *     static bool same_literal(const uint8_t *text, size_t pos, size_t n, const uint8_t *literal,
 *                              size_t len)
 *
 * which do what those of shape_scan.h do, then includes this file and calls match. */
#include "json/block_bits.h"
#include "json/shape.h"

/* The value at pos: *end is set behind it. false where it is not of the part's kind. skip: finds
 * the end of a nested value; NULL where the event's are known. */
KERNEL_INLINE bool read_value(const struct lf_event_text *event, lf_skip_fn *skip, uint8_t kind,
                              size_t *i_nested, size_t pos, size_t *end,
                              enum lf_value_kind *value_kind)
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
        if (skip != NULL) {
            if (pos == event->n || (event->text[pos] != '{' && event->text[pos] != '[')) {
                return false;
            }
            *end = skip(event->text, pos, event->n);
        } else {
            if (*i_nested == event->n_nested ||
                event->nested[*i_nested].start - event->base != pos) {
                return false;
            }
            *end = event->nested[*i_nested].end - event->base;
            ++*i_nested;
        }
        *value_kind = event->text[pos] == '{' ? LF_VALUE_OBJECT : LF_VALUE_ARRAY;
        return *end != 0;
    }
}

/* The end of the event that agrees, 0 where none does. literal_at: set for each part where its
 * literal begins, in place of the fixed values; NULL: these are set. */
KERNEL_INLINE size_t match(const struct lf_shape *shape, const struct lf_event_text *event,
                           lf_skip_fn *skip, struct lf_value *values, uint32_t *literal_at,
                           size_t *i_nested)
{
    const struct lf_fixed_value *fixed = shape->fixed;
    size_t pos = 0;

    *i_nested = 0;
    for (const struct lf_part *part = shape->parts;; part++) {
        enum lf_value_kind kind;
        size_t end;

        if (!same_literal(event->text, pos, event->n, shape->literals + part->literal_off,
                          part->literal_len)) {
            return 0;
        }
        if (literal_at != NULL) {
            *literal_at++ = (uint32_t)pos;
        } else {
            fixed = lf_shape_set_fixed(fixed, part->n_fixed, (uint32_t)pos, values);
        }
        pos += part->literal_len;
        if (part->kind == LF_PART_END) {
            return pos;
        }
        if (!read_value(event, skip, part->kind, i_nested, pos, &end, &kind)) {
            return 0;
        }
        if (part->key != LF_KEY_NONE) {
            values[part->key] = (struct lf_value){(uint32_t)pos, (uint32_t)end, kind};
        }
        pos = end;
    }
}
