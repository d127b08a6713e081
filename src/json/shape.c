/* The kinds of values are narrower than jsmn's tokens, never wider: a string without backslash and
 * NUL ends at the next quote, a run of number bytes ends where the next literal begins (a byte that
 * jsmn too ends a primitive at), a nested value is where the splitter found it. */
#include "json/shape.h"

#include <assert.h>
#include <string.h>

#include "json/shape_scan.h"

/* The value at pos: *end is set behind it. false where it is not of the part's kind. skip: finds the
 * end of a nested value; NULL where the event's are known. */
static inline bool read_value(const struct lf_event_text *event, lf_skip_fn *skip, uint8_t kind,
                              size_t *i_nested, size_t pos, size_t *end,
                              enum lf_value_kind *value_kind)
{
    switch (kind) {
    case LF_PART_STRING:
        *value_kind = LF_VALUE_STRING;
        *end = lf_scan_string(event->text, pos, event->n);
        return true;
    case LF_PART_NUMBER:
        *value_kind = LF_VALUE_PRIMITIVE;
        *end = lf_scan_number(event->text, pos, event->n);
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

/* The end of the event that agrees, 0 where none does. Inlined, so that skip is a constant NULL where
 * it is one. */
static inline __attribute__((always_inline)) size_t
match(const struct lf_shape *shape, const struct lf_event_text *event, lf_skip_fn *skip,
      struct lf_value *values, size_t *i_nested)
{
    const struct lf_fixed_value *fixed = shape->fixed;
    size_t pos = 0;

    *i_nested = 0;
    for (const struct lf_part *part = shape->parts;; part++) {
        enum lf_value_kind kind;
        size_t end;

        if (!lf_same_literal(event->text, pos, event->n, shape->literals + part->literal_off,
                             part->literal_len)) {
            return 0;
        }
        for (unsigned i = 0; i < part->n_fixed; i++, fixed++) {
            values[fixed->key] =
                (struct lf_value){(uint32_t)pos + fixed->start, (uint32_t)pos + fixed->end,
                                  (enum lf_value_kind)fixed->kind};
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

bool lf_shape_match(const struct lf_shape *shape, const struct lf_event_text *event,
                    struct lf_value *values)
{
    size_t i_nested;
    size_t end = match(shape, event, NULL, values, &i_nested);

    return end != 0 && end == event->n && i_nested == event->n_nested;
}

size_t lf_shape_match_ahead(const struct lf_shape *shape, const uint8_t *text, size_t n,
                            lf_skip_fn *skip, struct lf_value *values)
{
    const struct lf_event_text event = {.text = text, .n = n};
    size_t i_nested;

    return match(shape, &event, skip, values, &i_nested);
}

void lf_shape_list(const struct lf_shape *shape, const struct lf_event_text *event,
                   struct lf_member_list *list)
{
    size_t pos = 0;
    size_t i_nested = 0;

    assert(shape->n_fixed == 0);
    list->n = 0;
    for (const struct lf_part *part = shape->parts; part->kind != LF_PART_END; part++) {
        struct lf_member_value *member = &list->members[list->n++];
        size_t end = 0;

        pos += part->literal_len;
        (void)read_value(event, NULL, part->kind, &i_nested, pos, &end, &member->value.kind);
        member->value.start = (uint32_t)pos;
        member->value.end = (uint32_t)end;
        member->key = part->key;
        pos = end;
    }
}

static bool part_kind_of(const struct lf_event_text *event, const struct lf_value *v, uint8_t *kind)
{
    switch (v->kind) {
    case LF_VALUE_STRING:
        *kind = LF_PART_STRING;
        return lf_scan_string(event->text, v->start, event->n) == v->end;
    case LF_VALUE_PRIMITIVE:
        *kind = LF_PART_NUMBER;
        return lf_scan_number(event->text, v->start, event->n) == v->end;
    default:
        *kind = LF_PART_NESTED;
        return true;
    }
}

/* Closes the part under construction: its literal is text[from..to). */
static bool end_part(struct lf_shape *shape, const uint8_t *text, size_t from, size_t to,
                     uint8_t kind, int key)
{
    struct lf_part *part = &shape->parts[shape->n_parts];
    const struct lf_part *before = shape->n_parts != 0 ? part - 1 : NULL;
    uint32_t off = before != NULL ? (uint32_t)before->literal_off + before->literal_len : 0;

    if (to - from > LF_SHAPE_LITERAL_NBYTES - off) {
        return false;
    }
    memcpy(shape->literals + off, text + from, to - from);
    part->literal_off = (uint16_t)off;
    part->literal_len = (uint16_t)(to - from);
    part->kind = kind;
    part->key = (int8_t)key;
    shape->n_parts++;
    return true;
}

/* The value, at [from..) of the part under construction, becomes part of its literal. */
static bool fix_value(struct lf_shape *shape, size_t from, const struct lf_member_value *member)
{
    if (shape->n_fixed == LF_SHAPE_FIXED || member->value.end - from > LF_SHAPE_LITERAL_NBYTES) {
        return false;
    }
    shape->fixed[shape->n_fixed++] = (struct lf_fixed_value){
        (uint16_t)(member->value.start - from), (uint16_t)(member->value.end - from),
        (uint8_t)member->value.kind, (int8_t)member->key};
    shape->parts[shape->n_parts].n_fixed++;
    return true;
}

static bool make(struct lf_shape *shape, const struct lf_event_text *event,
                 const struct lf_member_list *members, uint32_t steady)
{
    size_t n_nested = 0;
    size_t pos = 0;

    for (size_t i = 0; i < members->n; i++) {
        const struct lf_member_value *member = &members->members[i];
        const struct lf_value *v = &member->value;
        uint8_t kind;

        if (shape->n_parts == LF_SHAPE_PARTS - 1 || !part_kind_of(event, v, &kind)) {
            return false;
        }
        if (kind != LF_PART_NESTED && member->key != LF_KEY_NONE && (steady >> member->key & 1)) {
            if (!fix_value(shape, pos, member)) {
                return false;
            }
            continue;
        }
        if (!end_part(shape, event->text, pos, v->start, kind, member->key)) {
            return false;
        }
        n_nested += kind == LF_PART_NESTED;
        pos = v->end;
    }
    return n_nested == event->n_nested &&
           end_part(shape, event->text, pos, event->n, LF_PART_END, LF_KEY_NONE);
}

void lf_shape_make(struct lf_shape *shape, const struct lf_event_text *event,
                   const struct lf_member_list *members, uint32_t steady)
{
    shape->n_parts = 0;
    shape->n_fixed = 0;
    memset(shape->parts, 0, sizeof shape->parts);
    if (!make(shape, event, members, steady)) {
        shape->n_parts = 0;
    }
}
