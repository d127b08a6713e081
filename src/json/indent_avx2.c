/* Indenting with AVX2. */
#if defined(__x86_64__)

#include "json/block_avx2.h"

#include "json/indent_kernel.h"

LF_KERNEL_TARGET
enum lf_indent_stop lf_indent_avx2(struct lf_indenter *d, const uint8_t **text, const uint8_t *end,
                                   char **to, const char *limit)
{
    return indent_blocks(d, text, end, to, limit);
}

#else

typedef int lf_indent_avx2_is_empty;

#endif
