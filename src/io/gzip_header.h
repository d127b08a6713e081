/* Reads the header of a gzip member (RFC 1952, 2.3) byte by byte, so that it may be split anywhere.
 * ISA-L's own reader loses the header's checksum where a header comes in pieces. */
#ifndef LF_IO_GZIP_HEADER_H
#define LF_IO_GZIP_HEADER_H

#include <stdbool.h>
#include <stdint.h>

struct lf_gzip_header {
    unsigned field; /* being read */
    uint32_t n;     /* bytes of it read */
    uint32_t value; /* of a number, so far; then how many bytes of the extra field are left */
    uint32_t crc;   /* of what was read, not inverted */
    uint8_t flags;
};

void lf_gzip_header_init(struct lf_gzip_header *h);

/* Takes the next byte; true once that was the last. *fault is set where the header is broken (static
 * text; no further byte may be given). */
bool lf_gzip_header_take(struct lf_gzip_header *h, uint8_t byte, const char **fault);

#endif
