/* The shape cache: layouts of events that were read before. A shape is what stands between an
 * event's values, byte for byte, and the lexical kind of each value. An event that agrees with a
 * shape has the same members as the event the shape was made of; which ones those are jsmn said.
 *
 * A cache is of a fixed size and allocates nothing after it was made. It never changes what an
 * event says: an event that matches nothing is simply not known. */
#ifndef LF_JSON_SHAPE_H
#define LF_JSON_SHAPE_H

#include <stdbool.h>

#include "json/token_internal.h"

struct lf_shape_cache;

enum lanefix_status lf_shape_cache_create(struct lf_shape_cache **out,
                                          struct lanefix_error *err) LF_MUST_USE;
void lf_shape_cache_destroy(struct lf_shape_cache *c);

/* Whether the event has a known shape; then values (of the wanted keys, absent before) are set, of
 * a repeated key the last. Where it has none values hold anything. */
bool lf_shape_match(struct lf_shape_cache *c, const struct lf_event_text *event,
                    struct lf_value *values);

/* The event, which lf_shape_match did not know, has these members. */
void lf_shape_learn(struct lf_shape_cache *c, const struct lf_event_text *event,
                    const struct lf_member_list *members);

#endif
