/* What the indenter's files share: the byte-wise reader is the definition; a kernel does most of a
 * text, up to whatever is not like JSON. */
#ifndef LF_JSON_INDENT_INTERNAL_H
#define LF_JSON_INDENT_INTERNAL_H

#include "json/indent.h"
#include "json/split.h"

/* A kernel copies so many bytes at once and may write as many behind what it has written; a line
 * that is no longer is a copy of lf_indent_line. */
#define LF_INDENT_COPY 32

/* What a byte is where a token may begin: an lf_indent_token, or one of these; 0: the byte of a
 * primitive. */
enum { LF_INDENT_QUOTE = 16, LF_INDENT_SPACE };

extern const uint8_t lf_indent_kinds[256];

/* A line feed and white space, a copy's worth; one byte on it is white space alone. */
extern const char lf_indent_line[LF_INDENT_COPY + 1];

/* Between a token (row) and the next: nothing, a space, or a new line. */
enum lf_indent_gap { LF_GAP_NONE, LF_GAP_SPACE, LF_GAP_LINE };

extern const uint8_t lf_indent_gaps[LF_INDENT_SCALAR + 1][LF_INDENT_SCALAR + 1];

enum lf_indent_stop {
    LF_INDENT_END, /* so few bytes are left that they are for the byte-wise reader */
    LF_INDENT_ODD, /* and so is what comes now */
    LF_INDENT_ROOM /* more room is needed */
};

/* Indents text[0..end) from between two tokens on, the last one known, to *to[0..limit). *text and
 * *to are left between two tokens again. */
typedef enum lf_indent_stop lf_indent_fn(struct lf_indenter *d, const uint8_t **text,
                                         const uint8_t *end, char **to, const char *limit);

#if defined(__x86_64__)
lf_indent_fn lf_indent_avx2;
#elif defined(__aarch64__)
lf_indent_fn lf_indent_neon;
#endif

/* NULL where this build or this CPU does not have the kernel, and for the portable one: the
 * byte-wise reader does all. */
lf_indent_fn *lf_indent_kernel(enum lf_split_kernel kernel);

/* lf_indent with a kernel that there is, or NULL. */
enum lanefix_status lf_indent_with(lf_indent_fn *kernel, struct lf_indenter *d, const uint8_t *text,
                                   size_t n, struct lf_bytes *out,
                                   struct lanefix_error *err) LF_MUST_USE;

#endif
