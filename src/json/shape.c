/* The kinds of values are narrower than jsmn's tokens, never wider: a string without backslash and
 * NUL ends at the next quote, a run of number bytes ends where the next literal begins (a byte that
 * jsmn too ends a primitive at), a nested value is where the splitter found it, or would. */
#include "json/shape.h"

#include <assert.h>
#include <string.h>

#include "json/shape_scan.h"

#define LF_KERNEL_TARGET

static inline size_t scan_string(const uint8_t *text, size_t pos, size_t n)
{
    return lf_scan_string(text, pos, n);
}

static inline size_t scan_number(const uint8_t *text, size_t pos, size_t n)
{
    return lf_scan_number(text, pos, n);
}

static inline bool same_literal(const uint8_t *text, size_t pos, size_t n, const uint8_t *literal,
                                size_t len)
{
    return lf_same_literal(text, pos, n, literal, len);
}

#include "json/shape_kernel.h"

bool lf_shape_match(const struct lf_shape *shape, const struct lf_event_text *event,
                    struct lf_value *values)
{
    uint32_t literal_at[LF_SHAPE_PARTS];
    struct match m = {.literal_at = literal_at};
    size_t end = match(&m, shape, event, values);

    if (end == 0 || end != event->n || m.i_nested != event->n_nested) {
        return false;
    }
    lf_shape_fixed(shape, literal_at, values);
    return true;
}

size_t lf_match_ahead_portable(const struct lf_shape *shape, const uint8_t *text, size_t n,
                               lf_skip_fn *skip, struct lf_value *values, uint32_t *literal_at)
{
    return match_ahead(shape, text, n, skip, values, literal_at);
}

void lf_shape_fixed(const struct lf_shape *shape, const uint32_t *literal_at,
                    struct lf_value *values)
{
    for (uint32_t i = 0; i < shape->n_fixed; i++) {
        const struct lf_fixed_value *fixed = &shape->fixed[i];
        uint32_t at = literal_at[fixed->part];

        values[fixed->key] = (struct lf_value){at + fixed->value.start, at + fixed->value.end,
                                               fixed->value.kind};
    }
}

void lf_shape_list(const struct lf_shape *shape, const struct lf_event_text *event,
                   struct lf_member_list *list)
{
    struct match m = {.ahead = false};
    size_t pos = 0;

    assert(shape->n_fixed == 0);
    list->n = 0;
    for (const struct lf_part *part = shape->parts; part->kind != LF_PART_END; part++) {
        struct lf_member_value *member = &list->members[list->n++];
        size_t end = 0;

        pos += part->literal_len;
        (void)read_value(&m, event, part->kind, pos, &end, &member->value.kind);
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
        {member->value.start - (uint32_t)from, member->value.end - (uint32_t)from,
         member->value.kind},
        member->key,
        shape->n_parts};
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
        if (member->key != LF_KEY_NONE && (steady >> member->key & 1)) {
            if (kind == LF_PART_NESTED || !fix_value(shape, pos, member)) {
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
