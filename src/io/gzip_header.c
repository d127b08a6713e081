/* The gzip header: ten fixed bytes, then the fields that the flags name, in the order of enum field.
 */
#include "io/gzip_header.h"

#include <string.h>

#define FLAG_HCRC     0x02
#define FLAG_EXTRA    0x04
#define FLAG_NAME     0x08
#define FLAG_COMMENT  0x10
#define FLAG_RESERVED 0xe0

enum field { FIXED, EXTRA_SIZE, EXTRA, NAME, COMMENT, HCRC, END };

void lf_gzip_header_init(struct lf_gzip_header *h)
{
    memset(h, 0, sizeof *h);
    h->crc = 0xffffffff;
}

/* Headers are short: no table. */
static void add_to_crc(struct lf_gzip_header *h, uint8_t byte)
{
    h->crc ^= byte;
    for (int bit = 0; bit < 8; bit++) {
        h->crc = h->crc >> 1 ^ (0xedb88320u & (0u - (h->crc & 1)));
    }
}

static bool has(const struct lf_gzip_header *h, unsigned field)
{
    switch (field) {
    case EXTRA_SIZE:
        return (h->flags & FLAG_EXTRA) != 0;
    case EXTRA:
        return (h->flags & FLAG_EXTRA) != 0 && h->value != 0;
    case NAME:
        return (h->flags & FLAG_NAME) != 0;
    case COMMENT:
        return (h->flags & FLAG_COMMENT) != 0;
    case HCRC:
        return (h->flags & FLAG_HCRC) != 0;
    default:
        return true;
    }
}

static bool next_field(struct lf_gzip_header *h)
{
    do {
        h->field++;
    } while (!has(h, h->field));
    h->n = 0;
    if (h->field == HCRC) {
        h->value = 0;
    }
    return h->field == END;
}

static bool take_fixed(struct lf_gzip_header *h, uint8_t byte, const char **fault)
{
    static const uint8_t magic[] = {0x1f, 0x8b};

    if (h->n < sizeof magic && byte != magic[h->n]) {
        *fault = "no gzip member where one was expected";
    } else if (h->n == 2 && byte != 8) {
        *fault = "gzip member with an unknown compression method";
    } else if (h->n == 3) {
        h->flags = byte;
        if ((byte & FLAG_RESERVED) != 0) {
            *fault = "gzip member with unknown flags";
        }
    }
    return ++h->n == 10 && *fault == NULL && next_field(h);
}

bool lf_gzip_header_take(struct lf_gzip_header *h, uint8_t byte, const char **fault)
{
    *fault = NULL;
    if (h->field != HCRC) {
        add_to_crc(h, byte);
    }
    switch (h->field) {
    case FIXED:
        return take_fixed(h, byte, fault);
    case EXTRA_SIZE:
        h->value |= (uint32_t)byte << (8 * h->n);
        return ++h->n == 2 && next_field(h);
    case EXTRA:
        return --h->value == 0 && next_field(h);
    case NAME:
    case COMMENT:
        return byte == 0 && next_field(h);
    default:
        h->value |= (uint32_t)byte << (8 * h->n);
        if (++h->n == 2 && h->value != (~h->crc & 0xffff)) {
            *fault = "gzip header checksum does not match: the data is corrupt";
        }
        return h->n == 2 && *fault == NULL && next_field(h);
    }
}
