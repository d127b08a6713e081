/* Shapes are kept in sets, chosen by the event's first bytes and the number of its nested values,
 * each with the shape used last in front. Where events seldom match (thousands of layouts) the
 * cache rests: it is asked again after a while, each time longer.
 *
 * The kinds of values are narrower than jsmn's tokens, never wider: a string without backslash and
 * NUL ends at the next quote, a run of number bytes ends where the next literal begins (a byte that
 * jsmn too ends a primitive at), a nested value is where the splitter found it. */
#include "json/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/shape_scan.h"

enum {
    MAX_PARTS = 28,
    LITERAL_NBYTES = 640,
    N_SETS = 16,
    N_WAYS = 6,
    WINDOW = 256,          /* events between two looks at the hit rate */
    MIN_HITS = WINDOW / 4, /* fewer: the cache rests */
    MAX_REST = 1 << 16
};

enum part_kind {
    PART_END, /* the literal before it is the event's last */
    PART_STRING,
    PART_NUMBER,
    PART_NESTED
};

/* A literal and the value behind it. */
struct part {
    uint16_t literal_off, literal_len;
    uint8_t kind;
    int8_t key;
};

struct shape {
    uint64_t tag;
    uint32_t n_parts; /* 0: free */
    struct part parts[MAX_PARTS];
    uint8_t literals[LITERAL_NBYTES];
};

struct set {
    uint8_t order[N_WAYS]; /* indices of shapes, the one used last first */
    struct shape shapes[N_WAYS];
};

struct lf_shape_cache {
    uint32_t n_asked, n_hits; /* in this window */
    uint32_t rest;            /* events not to be looked at */
    uint32_t next_rest;
    uint64_t tag; /* of the event asked last; learn is to use it */
    bool resting;
    struct set sets[N_SETS];
};

enum lanefix_status lf_shape_cache_create(struct lf_shape_cache **out, struct lanefix_error *err)
{
    struct lf_shape_cache *c;

    *out = NULL;
    LF_TRY(lf_alloc_zero(&c, 1, sizeof *c, err));
    for (size_t s = 0; s < N_SETS; s++) {
        for (uint8_t w = 0; w < N_WAYS; w++) {
            c->sets[s].order[w] = w;
        }
    }
    c->next_rest = WINDOW;
    *out = c;
    return LANEFIX_OK;
}

void lf_shape_cache_destroy(struct lf_shape_cache *c)
{
    free(c);
}

/* The bytes before the first value begins, as far as one word has them, and n_nested. n >= 8. */
static uint64_t tag_of(const struct lf_event_text *event)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8 && event->text[i] != ':'; i++) {
        word |= (uint64_t)event->text[i] << 8 * i;
    }
    return word ^ (uint64_t)event->n_nested * 0x9e3779b97f4a7c15u;
}

static struct set *set_of(struct lf_shape_cache *c, uint64_t tag)
{
    return &c->sets[tag * 0xd6e8feb86659fd93u >> 60];
}

static void use_way(struct set *set, size_t i)
{
    uint8_t way = set->order[i];

    memmove(set->order + 1, set->order, i);
    set->order[0] = way;
}

/* The value at pos: *end is set behind it. false where it is not of the part's kind. */
static inline bool read_value(const struct lf_event_text *event, uint8_t kind, size_t *i_nested,
                              size_t pos, size_t *end, enum lf_value_kind *value_kind)
{
    switch (kind) {
    case PART_STRING:
        *value_kind = LF_VALUE_STRING;
        *end = lf_scan_string(event->text, pos, event->n);
        return true;
    case PART_NUMBER:
        *value_kind = LF_VALUE_PRIMITIVE;
        *end = lf_scan_number(event->text, pos, event->n);
        return *end != pos;
    default:
        if (*i_nested == event->n_nested || event->nested[*i_nested].start - event->base != pos) {
            return false;
        }
        *value_kind = event->text[pos] == '{' ? LF_VALUE_OBJECT : LF_VALUE_ARRAY;
        *end = event->nested[*i_nested].end - event->base;
        ++*i_nested;
        return true;
    }
}

static bool match_shape(const struct shape *shape, const struct lf_event_text *event,
                        struct lf_value *values)
{
    size_t pos = 0;
    size_t i_nested = 0;

    for (const struct part *part = shape->parts;; part++) {
        enum lf_value_kind kind;
        size_t end;

        if (!lf_same_literal(event->text, pos, event->n, shape->literals + part->literal_off,
                             part->literal_len)) {
            return false;
        }
        pos += part->literal_len;
        if (part->kind == PART_END) {
            return pos == event->n && i_nested == event->n_nested;
        }
        if (!read_value(event, part->kind, &i_nested, pos, &end, &kind)) {
            return false;
        }
        if (part->key != LF_KEY_NONE) {
            values[part->key] = (struct lf_value){(uint32_t)pos, (uint32_t)end, kind};
        }
        pos = end;
    }
}

/* At the end of a window: whether to go on. */
static void judge_window(struct lf_shape_cache *c)
{
    if (c->n_hits < MIN_HITS) {
        c->rest = c->next_rest;
        c->next_rest = c->next_rest < MAX_REST ? c->next_rest * 2 : MAX_REST;
    } else {
        c->next_rest = WINDOW;
    }
    c->n_asked = 0;
    c->n_hits = 0;
}

bool lf_shape_match(struct lf_shape_cache *c, const struct lf_event_text *event,
                    struct lf_value *values)
{
    struct set *set;

    c->resting = c->rest != 0 || event->n < 8;
    if (c->resting) {
        c->rest -= c->rest != 0;
        return false;
    }
    c->tag = tag_of(event);
    set = set_of(c, c->tag);
    if (++c->n_asked == WINDOW) {
        judge_window(c);
    }
    for (size_t i = 0; i < N_WAYS; i++) {
        const struct shape *shape = &set->shapes[set->order[i]];

        if (shape->n_parts == 0) {
            break;
        }
        if (shape->tag == c->tag && match_shape(shape, event, values)) {
            if (i != 0) {
                use_way(set, i);
            }
            c->n_hits++;
            return true;
        }
    }
    return false;
}

static bool part_kind_of(const struct lf_event_text *event, const struct lf_value *v, uint8_t *kind)
{
    switch (v->kind) {
    case LF_VALUE_STRING:
        *kind = PART_STRING;
        return lf_scan_string(event->text, v->start, event->n) == v->end;
    case LF_VALUE_PRIMITIVE:
        *kind = PART_NUMBER;
        return lf_scan_number(event->text, v->start, event->n) == v->end;
    default:
        *kind = PART_NESTED;
        return true;
    }
}

/* Appends text[from..to) and what stands behind it; false where it does not fit. */
static bool add_part(struct shape *shape, uint32_t *n_literals, const uint8_t *text, size_t from,
                     size_t to, uint8_t kind, int key)
{
    size_t len = to - from;
    struct part *part = &shape->parts[shape->n_parts];

    if (shape->n_parts == MAX_PARTS || len > LITERAL_NBYTES - *n_literals) {
        return false;
    }
    memcpy(shape->literals + *n_literals, text + from, len);
    part->literal_off = (uint16_t)*n_literals;
    part->literal_len = (uint16_t)len;
    part->kind = kind;
    part->key = (int8_t)key;
    shape->n_parts++;
    *n_literals += (uint32_t)len;
    return true;
}

static bool make_shape(struct shape *shape, const struct lf_event_text *event,
                       const struct lf_member_list *members)
{
    uint32_t n_literals = 0;
    size_t n_nested = 0;
    size_t pos = 0;

    shape->n_parts = 0;
    for (size_t i = 0; i < members->n; i++) {
        const struct lf_value *v = &members->members[i].value;
        uint8_t kind;

        if (!part_kind_of(event, v, &kind) || !add_part(shape, &n_literals, event->text, pos,
                                                        v->start, kind, members->members[i].key)) {
            return false;
        }
        n_nested += kind == PART_NESTED;
        pos = v->end;
    }
    return n_nested == event->n_nested &&
           add_part(shape, &n_literals, event->text, pos, event->n, PART_END, LF_KEY_NONE);
}

void lf_shape_learn(struct lf_shape_cache *c, const struct lf_event_text *event,
                    const struct lf_member_list *members)
{
    struct set *set = set_of(c, c->tag);
    struct shape *shape = &set->shapes[set->order[N_WAYS - 1]];

    if (c->resting) {
        return;
    }
    if (!make_shape(shape, event, members)) {
        shape->n_parts = 0; /* stays last: the free ones are behind the others */
        return;
    }
    shape->tag = c->tag;
    use_way(set, N_WAYS - 1);
}
