/* What the tokenizer's files share: the tokenizer's memory, and the reading through jsmn, which is
 * the definition; shape.h has the shortcut. */
#ifndef LF_JSON_TOKEN_INTERNAL_H
#define LF_JSON_TOKEN_INTERNAL_H

#include <stdbool.h>

#include "json/token.h"

#define LF_TOKEN_MAX_KEYS 32
#define LF_KEY_NONE       (-1)

/* The wanted keys. Chained by first byte, at [first byte + 1], or [0] for the empty key. */
struct lf_key_table {
    const char *const *keys;
    size_t n_keys;
    uint32_t lens[LF_TOKEN_MAX_KEYS];
    int8_t heads[257];
    int8_t nexts[LF_TOKEN_MAX_KEYS];
};

/* LF_KEY_NONE where text[0..n) is no wanted key. */
int lf_key_find(const struct lf_key_table *table, const uint8_t *text, size_t n);

/* The value of one member, whether wanted or not. */
struct lf_member_value {
    struct lf_value value;
    int key; /* of lf_key_table, LF_KEY_NONE */
};

/* The members of the event read last, in order. */
struct lf_member_list {
    struct lf_member_value *members;
    size_t n, cap;
};

struct lf_token_reader; /* jsmn's tokens */

enum lanefix_status lf_token_reader_create(struct lf_token_reader **out,
                                           struct lanefix_error *err) LF_MUST_USE;
void lf_token_reader_destroy(struct lf_token_reader *r);

/* An event as lf_tokenize has it. */
struct lf_event_text {
    const uint8_t *text;
    size_t n; /* < INT_MAX */
    const struct lf_span *nested;
    size_t n_nested;
    uint32_t base;
};

/* Reads the event through jsmn into list. Fails as lf_tokenize does. */
enum lanefix_status lf_token_read(struct lf_token_reader *r, const struct lf_event_text *event,
                                  const struct lf_key_table *table, struct lf_member_list *list,
                                  struct lf_token_fault *fault,
                                  struct lanefix_error *err) LF_MUST_USE;

#endif
