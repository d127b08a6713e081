/* The tokenizer: the members of one event. jsmn is the one definition of what an event says; the
 * only user of jsmn. It is handed an event without its nested values, which are never looked into.
 */
#ifndef LF_JSON_TOKEN_H
#define LF_JSON_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "json/split.h"

enum lf_value_kind {
    LF_VALUE_ABSENT = 0,
    LF_VALUE_PRIMITIVE, /* number, true, false, null, NaN, ...: the text says which */
    LF_VALUE_STRING,    /* the span is what stands between the quotes, escapes as written */
    LF_VALUE_OBJECT,    /* the span includes the brackets */
    LF_VALUE_ARRAY
};

/* [start, end) counted from the event's first byte. */
struct lf_value {
    uint32_t start, end;
    enum lf_value_kind kind;
};

/* Where the input is malformed: offset from the event's first byte, and what was expected. */
struct lf_token_fault {
    uint32_t off;
    const char *expected; /* static text */
};

struct lf_tokenizer;

/* keys: n_keys (at most 32) names of members whose values are wanted; the array and its strings
 * must outlive the tokenizer. use_shapes: replay known layouts instead of asking jsmn (same
 * result). steady: bit k where the values of keys[k] are of few different texts: a hint. Release
 * with lf_tokenizer_destroy. A tokenizer is used by one thread at a time. */
enum lanefix_status lf_tokenizer_create(struct lf_tokenizer **out, const char *const *keys,
                                        size_t n_keys, bool use_shapes, uint32_t steady,
                                        struct lanefix_error *err) LF_MUST_USE;
void lf_tokenizer_destroy(struct lf_tokenizer *t);

/* Reads the object event[0..n). nested: its direct members that are objects or arrays, as spans
 * counted from window start, where the event starts at window offset base; n_nested == 0 where they
 * are not known: then jsmn reads them too. values[k] becomes the value of keys[k]: of a repeated
 * key the last one, LF_VALUE_ABSENT where there is none.
 *
 * Taken, as Perfetto takes them: bad escapes, control characters and bad UTF-8 in strings, NaN, inf
 * and numbers of any size. LANEFIX_ERR_INPUT, with *fault filled and err untouched, where the text
 * is no object; LANEFIX_ERR_MEMORY fills err. */
enum lanefix_status lf_tokenize(struct lf_tokenizer *t, const uint8_t *event, size_t n,
                                const struct lf_span *nested, size_t n_nested, uint32_t base,
                                struct lf_value *values, struct lf_token_fault *fault,
                                struct lanefix_error *err) LF_MUST_USE;

/* Reads an event that begins at text and whose end is not known, where its layout is known: returns the
 * end and sets values, as lf_tokenize would, but for those of steady keys, which are set by
 * lf_tokenize_steady where they are asked for, before anything else is read. 0 where the layout is not
 * known, or the event does not end in text[0..n): values hold anything then. n < INT_MAX. */
size_t lf_tokenize_ahead(struct lf_tokenizer *t, const uint8_t *text, size_t n,
                         struct lf_value *values);
void lf_tokenize_steady(const struct lf_tokenizer *t, struct lf_value *values);

/* Events for which this is the same number, other than 0, have values of the same kinds and texts
 * at all steady keys: what was made of those need not be made again. It is of the event read last.
 * The numbers modulo LF_TOKEN_ALIKE say where to keep it: those that are in use differ there. */
#define LF_TOKEN_ALIKE 128
uint64_t lf_tokenizer_alike(const struct lf_tokenizer *t);

#endif
