/* The shape cache: layouts of events that were read before; which members those have jsmn said.
 *
 * Two levels: close shapes, which hold the values of steady keys too, and are few where tracks and
 * categories are few; shapes of any value where an event has no close one.
 *
 * A cache never changes what an event says: an event that matches nothing is simply not known. */
#ifndef LF_JSON_SHAPE_CACHE_H
#define LF_JSON_SHAPE_CACHE_H

#include <stdbool.h>

#include "json/token_internal.h"

struct lf_shape_cache;

/* steady: bit k where key k is one of few different texts. */
enum lanefix_status lf_shape_cache_create(struct lf_shape_cache **out, uint32_t steady,
                                          struct lanefix_error *err) LF_MUST_USE;
void lf_shape_cache_destroy(struct lf_shape_cache *c);

/* Whether the event has a known shape; then values (of the wanted keys, absent before) are set, of
 * a repeated key the last, and *alike as lf_tokenize has it. Else values hold anything. */
bool lf_shape_cache_find(struct lf_shape_cache *c, const struct lf_event_text *event,
                         struct lf_value *values, uint64_t *alike);

/* As lf_shape_cache_find, of an event that begins at text and whose end is not known: that is
 * returned, 0 where none in text[0..n) has a close shape that is known. Values of steady keys are set
 * by lf_shape_cache_steady, right behind. Not to be followed by learning: what has no shape is said by
 * lf_shape_cache_find. */
size_t lf_shape_cache_find_ahead(struct lf_shape_cache *c, const uint8_t *text, size_t n,
                                 struct lf_value *values, uint64_t *alike);
void lf_shape_cache_steady(const struct lf_shape_cache *c, struct lf_value *values);

/* The event, which lf_shape_cache_find did not know, has these members. */
void lf_shape_cache_learn(struct lf_shape_cache *c, const struct lf_event_text *event,
                          const struct lf_member_list *members);

#endif
