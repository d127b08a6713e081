/* Indenting with NEON. */
#if defined(__aarch64__)

#include "json/block_neon.h"

#include "json/indent_kernel.h"

enum lf_indent_stop lf_indent_neon(struct lf_indenter *d, const uint8_t **text, const uint8_t *end,
                                   char **to, const char *limit)
{
    return indent_blocks(d, text, end, to, limit);
}

#else

typedef int lf_indent_neon_is_empty;

#endif
