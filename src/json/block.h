/* The masks of 64 bytes that a kernel makes: bit i is byte i, whether inside a string or not. The
 * brackets are before ^ behind. Masks that a kernel does not read cost it nothing. */
#ifndef LF_JSON_BLOCK_H
#define LF_JSON_BLOCK_H

#include <stdint.h>

struct block {
    uint64_t quote;
    uint64_t backslash;
    uint64_t before; /* , : { [   what may stand before a string */
    uint64_t behind; /* , : } ]   what may stand behind one */
    uint64_t space;  /* JSON's white space */
    uint64_t colon;
    uint64_t blank; /* ' ' alone */
};

#endif
