/* Re-indenting: the white space between tokens is written anew, every token stays as it is. A
 * stream in, a stream out, cut anywhere; text that is no JSON comes through with its tokens too.
 * Pure.
 *
 * Every member and element stands on a line of its own, ": " behind a name; an empty object or
 * array is closed on its line. */
#ifndef LF_JSON_INDENT_H
#define LF_JSON_INDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/* Deeper levels are indented like this one: else depth alone would make a small input a huge
 * output. */
#define LF_INDENT_LEVELS_MAX 128

enum lf_indent_token {
    LF_INDENT_NONE,    /* nothing yet */
    LF_INDENT_UNKNOWN, /* what stands before is another's to know: no white space before the first
                          token */
    LF_INDENT_OPEN,
    LF_INDENT_CLOSE,
    LF_INDENT_COMMA,
    LF_INDENT_COLON,
    LF_INDENT_SCALAR
};

/* Plain data; the state between two pieces of text. */
struct lf_indenter {
    unsigned width; /* spaces a level */
    uint32_t depth;
    enum lf_indent_token last;
    bool in_string, escaped, in_primitive;
    /* Where it began with LF_INDENT_UNKNOWN: the first token and the depth of its line. */
    enum lf_indent_token first;
    uint32_t first_depth;
};

/* Begins at the first byte of a text. */
void lf_indenter_init(struct lf_indenter *d, unsigned width);

/* Begins between two tokens at depth, whatever the token before. */
void lf_indenter_resume(struct lf_indenter *d, unsigned width, uint32_t depth);

/* Appends text[0..n), indented, to out. */
enum lanefix_status lf_indent(struct lf_indenter *d, const uint8_t *text, size_t n,
                              struct lf_bytes *out, struct lanefix_error *err) LF_MUST_USE;

/* Appends the white space between what d ended with and the first token of next (which was
 * resumed), and makes d what next ended with. */
enum lanefix_status lf_indent_join(struct lf_indenter *d, const struct lf_indenter *next,
                                   struct lf_bytes *out, struct lanefix_error *err) LF_MUST_USE;

#endif
