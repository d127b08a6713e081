/* The walk: takes an object's tokens one after the other and makes members of them. jsmn says where
 * a token starts and ends but is lenient about what stands between two; the walk is not. */
#ifndef LF_JSON_TOKEN_WALK_H
#define LF_JSON_TOKEN_WALK_H

#include "json/token_internal.h"

enum lf_walk_state { LF_WALK_FIRST_KEY, LF_WALK_VALUE, LF_WALK_NEXT_KEY };

struct lf_walk {
    const uint8_t *text;
    size_t n;
    const struct lf_key_table *table;
    struct lf_member_list *list;
    struct lf_token_fault *fault;
    enum lf_walk_state state;
    uint32_t pos; /* behind the last token */
    int key;      /* of the value to come */
};

/* text[0] must be '{': else LANEFIX_ERR_INPUT. Empties list. */
enum lanefix_status lf_walk_begin(struct lf_walk *w, const struct lf_event_text *event,
                                  const struct lf_key_table *table, struct lf_member_list *list,
                                  struct lf_token_fault *fault) LF_MUST_USE;

/* The next token at the object's own level. */
enum lanefix_status lf_walk_token(struct lf_walk *w, struct lf_value token,
                                  struct lanefix_error *err) LF_MUST_USE;

/* There are no more tokens: the rest must be the closing brace. */
enum lanefix_status lf_walk_end(struct lf_walk *w) LF_MUST_USE;

#endif
