/* Joining: the first checksum is moved on by n_second zero bytes, that is multiplied by x^(8n)
 * modulo the polynomial, with one multiplication a bit of n. */
#include "io/checksum.h"

#ifdef LF_HAVE_ISAL
#include <isa-l.h>
#else
#include <zlib.h>
#endif

/* Bits are reflected: the highest is the coefficient of x^0. */
#define POLYNOMIAL UINT32_C(0xedb88320)
#define ONE        UINT32_C(0x80000000)

uint32_t lf_crc32(uint32_t crc, const void *buf, size_t n)
{
#ifdef LF_HAVE_ISAL
    return crc32_gzip_refl(crc, buf, n);
#else
    return (uint32_t)crc32_z(crc, buf, n);
#endif
}

static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (uint32_t bit = ONE; bit != 0; bit >>= 1) {
        product ^= (a & bit) != 0 ? b : 0;
        b = (b & 1) != 0 ? (b >> 1) ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

uint32_t lf_crc32_join(uint32_t first, uint32_t second, uint64_t n_second)
{
    uint32_t power = ONE >> 8; /* x^8: one byte */
    uint32_t shift = ONE;

    for (; n_second != 0; n_second >>= 1) {
        if ((n_second & 1) != 0) {
            shift = multiply(shift, power);
        }
        power = multiply(power, power);
    }
    return multiply(shift, first) ^ second;
}
