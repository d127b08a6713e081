/* The masks of 64 bytes that a kernel makes: bit i is byte i, whether inside a string or not. */
#ifndef LF_JSON_SPLIT_BLOCK_H
#define LF_JSON_SPLIT_BLOCK_H

#include <stdint.h>

struct block {
    uint64_t quote;
    uint64_t backslash;
    uint64_t open;      /* { [ */
    uint64_t close;     /* } ] */
    uint64_t comma;
    uint64_t separator; /* , : */
    uint64_t space;     /* JSON's white space */
};

#endif
