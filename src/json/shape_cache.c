/* Shapes are kept in sets, chosen by the event's first bytes and the number of its nested values.
 * The one that followed the shape of the event before the last time is tried first: writers repeat
 * themselves. Where events seldom match (thousands of layouts, or of tracks) a level rests: it is
 * asked again after a while, each time longer. */
#include "json/shape_cache.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/shape.h"

enum {
    N_SETS = 8,
    N_WAYS = 12,
    WINDOW = 256, /* events between two looks at the hit rate */
    MAX_REST = 1 << 16
};

/* Hits of a window below which a level rests. A close shape is made of a shape, so an event without
 * one costs more there than those with one save. */
enum { MIN_HITS_CLOSE = WINDOW / 8 * 7, MIN_HITS_ANY = WINDOW / 4 };

_Static_assert(N_SETS *N_WAYS <= LF_TOKEN_ALIKE, "a place in the cache has a number of its own");

struct way {
    uint64_t tag;
    uint64_t alike;
    uint32_t used; /* the level's now, then */
    struct way *next;
    struct lf_shape shape;
};

struct level {
    uint32_t n_asked, n_hits; /* in this window */
    uint32_t min_hits;
    uint32_t rest; /* events not to be looked at */
    uint32_t next_rest;
    uint32_t now; /* events asked */
    bool resting;
    struct way *last; /* of the event that matched last */
    struct way *sets[N_SETS];
};

struct lf_shape_cache {
    uint32_t steady;
    lf_match_ahead_fn *match_ahead;
    lf_skip_fn *skip;
    uint32_t literal_at[LF_SHAPE_PARTS]; /* of the event found ahead last, whose way is close.last */
    uint64_t n_made;
    uint64_t tag; /* of the event asked last; learning is to use it */
    struct level close, any;
    struct way ways[2 * N_SETS * N_WAYS];
};

static void level_init(struct level *level, struct way *ways, uint32_t min_hits)
{
    level->min_hits = min_hits;
    level->next_rest = WINDOW;
    level->last = ways; /* any will do */
    for (size_t s = 0; s < N_SETS; s++) {
        level->sets[s] = ways + s * N_WAYS;
    }
}

enum lanefix_status lf_shape_cache_create(struct lf_shape_cache **out, uint32_t steady,
                                          struct lanefix_error *err)
{
    struct lf_shape_cache *c;

    *out = NULL;
    LF_TRY(lf_alloc_zero(&c, 1, sizeof *c, err));
    c->steady = steady;
    c->match_ahead = lf_match_ahead_kernel(LF_SPLIT_AUTO);
    c->skip = lf_skip_kernel(LF_SPLIT_AUTO);
    level_init(&c->close, c->ways, MIN_HITS_CLOSE);
    level_init(&c->any, c->ways + N_SETS * N_WAYS, MIN_HITS_ANY);
    for (size_t i = 0; i < sizeof c->ways / sizeof c->ways[0]; i++) {
        c->ways[i].next = &c->ways[i];
    }
    *out = c;
    return LANEFIX_OK;
}

void lf_shape_cache_destroy(struct lf_shape_cache *c)
{
    free(c);
}

/* The bytes before the first value begins, as far as one word has them, and n_nested. n >= 8. Never
 * 0, the tag of a free place. */
static uint64_t tag_of(const uint8_t *text, size_t n_nested)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8 && text[i] != ':'; i++) {
        word |= (uint64_t)text[i] << 8 * i;
    }
    word ^= (uint64_t)n_nested * 0x9e3779b97f4a7c15u;
    return word != 0 ? word : 1;
}

static struct way *set_of(const struct level *level, uint64_t tag)
{
    return level->sets[tag * 0xd6e8feb86659fd93u >> 61];
}

_Static_assert(N_SETS == 8, "three bits choose a set");

/* At the end of a window: whether to go on. */
static void judge_window(struct level *level)
{
    if (level->n_hits < level->min_hits) {
        level->rest = level->next_rest;
        level->next_rest = level->next_rest < MAX_REST ? level->next_rest * 2 : MAX_REST;
    } else {
        level->next_rest = WINDOW;
    }
    level->n_asked = 0;
    level->n_hits = 0;
}

static void count_asked(struct level *level)
{
    level->now++;
    if (++level->n_asked == WINDOW) {
        judge_window(level);
    }
}

static struct way *search(const struct level *level, uint64_t tag,
                          const struct lf_event_text *event, struct lf_value *values)
{
    struct way *guess = level->last->next;
    struct way *set = set_of(level, tag);

    if (guess->tag == tag && lf_shape_match(&guess->shape, event, values)) {
        return guess;
    }
    for (struct way *way = set; way < set + N_WAYS; way++) {
        if (way->tag == tag && way != guess && lf_shape_match(&way->shape, event, values)) {
            return way;
        }
    }
    return NULL;
}

static void hit(struct level *level, struct way *way)
{
    level->n_hits++;
    level->last->next = way;
    level->last = way;
    way->used = level->now;
}

/* The event's shape, NULL where the level has none or rests. */
static struct way *ask(struct level *level, uint64_t tag, const struct lf_event_text *event,
                       struct lf_value *values)
{
    struct way *way;

    level->resting = level->rest != 0;
    if (level->resting) {
        level->rest--;
        return NULL;
    }
    count_asked(level);
    way = search(level, tag, event, values);
    if (way != NULL) {
        hit(level, way);
    }
    return way;
}

/* The place for a new shape: that of the one not used for longest. */
static struct way *make_room(const struct level *level, uint64_t tag)
{
    struct way *set = set_of(level, tag);
    struct way *oldest = set;

    for (struct way *way = set; way < set + N_WAYS; way++) {
        if (level->now - way->used > level->now - oldest->used) {
            oldest = way;
        }
    }
    return oldest;
}

static struct way *learn(struct level *level, uint64_t tag, const struct lf_event_text *event,
                         const struct lf_member_list *members, uint32_t steady)
{
    struct way *way;

    if (level->resting) {
        return NULL;
    }
    way = make_room(level, tag);
    lf_shape_make(&way->shape, event, members, steady);
    way->tag = way->shape.n_parts != 0 ? tag : 0;
    way->used = level->now;
    way->next = way;
    way->alike = 0;
    return way->tag != 0 ? way : NULL;
}

static void learn_close(struct lf_shape_cache *c, const struct lf_event_text *event,
                        const struct way *known)
{
    struct lf_member_value members[LF_SHAPE_PARTS];
    struct lf_member_list list = {members, 0, LF_SHAPE_PARTS};
    struct way *way;

    if (c->close.resting) {
        return;
    }
    lf_shape_list(&known->shape, event, &list);
    way = learn(&c->close, c->tag, event, &list, c->steady);
    if (way != NULL) {
        way->alike = ++c->n_made * LF_TOKEN_ALIKE + (uint64_t)(way - c->ways);
    }
}

bool lf_shape_cache_find(struct lf_shape_cache *c, const struct lf_event_text *event,
                         struct lf_value *values, uint64_t *alike)
{
    struct way *way;

    *alike = 0;
    c->close.resting = c->any.resting = true;
    if (event->n < 8) {
        return false;
    }
    c->tag = tag_of(event->text, event->n_nested);
    way = ask(&c->close, c->tag, event, values);
    if (way != NULL) {
        *alike = way->alike;
        return true;
    }
    way = ask(&c->any, c->tag, event, values);
    if (way != NULL) {
        learn_close(c, event, way);
    }
    return way != NULL;
}

/* The number of nested values is part of the tag, and not known ahead: up to this one all are tried.
 * Few writers have more than "args". */
enum { MAX_NESTED_AHEAD = 2 };

static struct way *search_ahead(struct lf_shape_cache *c, const uint8_t *text, size_t n,
                                struct lf_value *values, size_t *end)
{
    const struct level *level = &c->close;
    struct way *guess = level->last->next;

    *end = guess->tag != 0
               ? c->match_ahead(&guess->shape, text, n, c->skip, values, c->literal_at)
               : 0;
    if (*end != 0) {
        return guess;
    }
    for (size_t n_nested = 0; n_nested <= MAX_NESTED_AHEAD; n_nested++) {
        uint64_t tag = tag_of(text, n_nested);
        struct way *set = set_of(level, tag);

        for (struct way *way = set; way < set + N_WAYS; way++) {
            if (way->tag == tag && way != guess) {
                *end = c->match_ahead(&way->shape, text, n, c->skip, values, c->literal_at);
                if (*end != 0) {
                    return way;
                }
            }
        }
    }
    return NULL;
}

size_t lf_shape_cache_find_ahead(struct lf_shape_cache *c, const uint8_t *text, size_t n,
                                 struct lf_value *values, uint64_t *alike)
{
    struct way *way;
    size_t end;

    *alike = 0;
    if (n < 8 || c->close.rest != 0) {
        return 0;
    }
    way = search_ahead(c, text, n, values, &end);
    if (way == NULL) {
        return 0;
    }
    /* What is not found is asked about again, when its end is known, and counted then. */
    count_asked(&c->close);
    hit(&c->close, way);
    *alike = way->alike;
    return end;
}

void lf_shape_cache_steady(const struct lf_shape_cache *c, struct lf_value *values)
{
    lf_shape_fixed(&c->close.last->shape, c->literal_at, values);
}

void lf_shape_cache_learn(struct lf_shape_cache *c, const struct lf_event_text *event,
                          const struct lf_member_list *members)
{
    (void)learn(&c->any, c->tag, event, members, 0);
}
