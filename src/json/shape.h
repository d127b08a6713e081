/* A shape: what stands between an event's values, byte for byte, and the lexical kind of each
 * value. An event that agrees with a shape has the same members as the event the shape was made of.
 *
 * Values of steady keys (few different texts, such as "ph" or "tid") can be taken as part of what
 * stands between the others: a close shape has fewer values to find, and events that agree with it
 * agree in these. */
#ifndef LF_JSON_SHAPE_H
#define LF_JSON_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/skip.h"
#include "json/token_internal.h"

enum {
    LF_SHAPE_PARTS = 28,
    LF_SHAPE_FIXED = 8,
    LF_SHAPE_LITERAL_NBYTES = 640,
    LF_SHAPE_PADDING = 32 /* bytes behind the literals that may be read */
};

enum lf_part_kind {
    LF_PART_END, /* the literal before it is the event's last */
    LF_PART_STRING,
    LF_PART_NUMBER,
    LF_PART_NESTED
};

/* A literal and the value behind it. */
struct lf_part {
    uint16_t literal_off, literal_len;
    uint8_t kind;
    int8_t key;
};

/* A value within a literal. */
struct lf_fixed_value {
    struct lf_value value; /* counted from the literal's first byte */
    int key;
    uint32_t part; /* whose literal that is */
};

struct lf_shape {
    uint32_t n_parts; /* 0: no shape */
    uint32_t n_fixed;
    struct lf_part parts[LF_SHAPE_PARTS];
    struct lf_fixed_value fixed[LF_SHAPE_FIXED]; /* in order */
    uint8_t literals[LF_SHAPE_LITERAL_NBYTES + LF_SHAPE_PADDING];
};

/* Whether the event agrees; then the values of wanted keys are set, of a repeated key the last.
 * Else values hold anything. */
bool lf_shape_match(const struct lf_shape *shape, const struct lf_event_text *event,
                    struct lf_value *values);

/* As lf_shape_match, of an event that begins at text and whose end is not known: that is returned, 0
 * where none in text[0..n) agrees. skip finds where nested values end. Fixed values are not set;
 * literal_at[0..LF_SHAPE_PARTS) is, for lf_shape_fixed. All kernels say the same. */
typedef size_t lf_match_ahead_fn(const struct lf_shape *shape, const uint8_t *text, size_t n,
                                 lf_skip_fn *skip, struct lf_value *values, uint32_t *literal_at);

lf_match_ahead_fn lf_match_ahead_portable;
#if defined(__x86_64__)
lf_match_ahead_fn lf_match_ahead_avx2;
#endif

/* NULL where this build or this CPU does not have the kernel. */
lf_match_ahead_fn *lf_match_ahead_kernel(enum lf_split_kernel kernel);

/* Sets the fixed values of the event whose literals begin at literal_at[...]. */
void lf_shape_fixed(const struct lf_shape *shape, const uint32_t *literal_at,
                    struct lf_value *values);

/* The members of an event that agrees, at most LF_SHAPE_PARTS, into list, which has room for them.
 * For shapes without fixed values. */
void lf_shape_list(const struct lf_shape *shape, const struct lf_event_text *event,
                   struct lf_member_list *list);

/* Makes the shape of an event with these members; steady: bit k for each key that is to be part of
 * the literals, 0 for none. Where it does not fit there is no shape. */
void lf_shape_make(struct lf_shape *shape, const struct lf_event_text *event,
                   const struct lf_member_list *members, uint32_t steady);

#endif
