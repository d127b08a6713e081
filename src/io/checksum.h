/* CRC-32 as gzip has it, by the codecs' library; pieces can be summed apart and joined. */
#ifndef LF_IO_CHECKSUM_H
#define LF_IO_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of buf[0..n) behind what has the checksum crc; 0 at the beginning. */
uint32_t lf_crc32(uint32_t crc, const void *buf, size_t n);

/* Of two runs of bytes one behind the other; n_second: the length of the second. */
uint32_t lf_crc32_join(uint32_t first, uint32_t second, uint64_t n_second);

#endif
