/* gzip through ISA-L: members one behind the other, zeros behind the last. */
#include "io/codec.h"

#ifdef LF_HAVE_ISAL

#include <isa-l.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/gzip_header.h"

enum place { BETWEEN, HEADER, INSIDE, PADDING };

struct decoder {
    struct inflate_state state;
    struct lf_gzip_header header;
    enum place place;
    bool any; /* a member was read */
};

static enum lanefix_status decoder_create(void **d, int window_log_max, struct lanefix_error *err)
{
    struct decoder *decoder;

    (void)window_log_max;
    LF_TRY(lf_alloc_zero(&decoder, 1, sizeof *decoder, err));
    *d = decoder;
    return LANEFIX_OK;
}

static const char *fault_text(int code)
{
    switch (code) {
    case ISAL_INCORRECT_CHECKSUM:
        return "gzip checksum does not match: the data is corrupt";
    default:
        return "corrupt gzip data";
    }
}

static const char *read_header(struct decoder *decoder, struct lf_codec_io *io)
{
    const char *fault = NULL;

    while (io->n_in > 0 && fault == NULL && decoder->place == HEADER) {
        if (lf_gzip_header_take(&decoder->header, *io->in, &fault)) {
            isal_inflate_init(&decoder->state);
            decoder->state.crc_flag = ISAL_GZIP_NO_HDR_VER; /* the trailer is checked */
            decoder->place = INSIDE;
        }
        io->in++;
        io->n_in--;
    }
    return fault;
}

/* Outside deflate data: skips zeros behind the last member, reads the header of the next. */
static const char *next_member(struct decoder *decoder, struct lf_codec_io *io)
{
    if (decoder->place == HEADER) {
        return read_header(decoder, io);
    }
    if (decoder->any && io->in[0] == 0) {
        decoder->place = PADDING;
    }
    if (decoder->place == PADDING) {
        while (io->n_in > 0 && io->in[0] == 0) {
            io->in++;
            io->n_in--;
        }
        return io->n_in > 0 ? "gzip data followed by something else" : NULL;
    }
    if (io->in[0] != 0x1f) {
        return decoder->any ? "gzip data followed by something else"
                            : "no gzip member where one was expected";
    }
    lf_gzip_header_init(&decoder->header);
    decoder->place = HEADER;
    decoder->any = true;
    return NULL;
}

static enum lanefix_status decode(void *d, struct lf_codec_io *io, const char **fault,
                                  struct lanefix_error *err)
{
    struct decoder *decoder = d;

    (void)err;
    while (io->n_out > 0) {
        size_t n_in = io->n_in < UINT32_MAX ? io->n_in : UINT32_MAX;
        size_t n_out = io->n_out < UINT32_MAX ? io->n_out : UINT32_MAX;
        int code;

        if (decoder->place != INSIDE) {
            if (io->n_in == 0) {
                break;
            }
            *fault = next_member(decoder, io);
            if (*fault != NULL) {
                return LANEFIX_ERR_INPUT;
            }
            continue;
        }
        decoder->state.next_in = (uint8_t *)(uintptr_t)io->in; /* read only */
        decoder->state.avail_in = (uint32_t)n_in;
        decoder->state.next_out = io->out;
        decoder->state.avail_out = (uint32_t)n_out;
        code = isal_inflate(&decoder->state);
        /* of broken data it gives back what it had read ahead, also of the piece before */
        n_in -= decoder->state.avail_in < n_in ? decoder->state.avail_in : n_in;
        n_out -= decoder->state.avail_out;
        io->in += n_in;
        io->n_in -= n_in;
        io->out += n_out;
        io->n_out -= n_out;
        if (code < 0) {
            *fault = fault_text(code);
            return LANEFIX_ERR_INPUT;
        }
        if (decoder->state.block_state == ISAL_BLOCK_FINISH) {
            decoder->place = BETWEEN;
        } else if (n_in == 0 && n_out == 0) {
            break; /* more input is needed */
        }
    }
    return LANEFIX_OK;
}

static bool decoder_idle(const void *d)
{
    enum place place = ((const struct decoder *)d)->place;

    return place == BETWEEN || place == PADDING;
}

static void decoder_destroy(void *d)
{
    free(d);
}

struct encoder {
    struct isal_zstream stream;
    uint8_t *level_buf;
};

static void encoder_destroy(void *e)
{
    struct encoder *encoder = e;

    free(encoder->level_buf);
    free(encoder);
}

/* gzip's levels on ISA-L's. Its level 0 is left out: on traces a tenth to a fifth faster than 1, and
 * a quarter larger. One stream, in the caller's thread: blocks that end in a full flush, their crc
 * taken in order, could be compressed by several threads into the same single member. */
static uint32_t isal_level(int level)
{
    return level <= 3 ? 1 : level <= 6 ? 2 : 3;
}

static enum lanefix_status encoder_create(void **e, int level, unsigned threads,
                                          struct lanefix_error *err)
{
    static const uint32_t buf_sizes[] = {ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT,
                                         ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};
    struct encoder *encoder;
    enum lanefix_status status;

    (void)threads;
    LF_TRY(lf_alloc_zero(&encoder, 1, sizeof *encoder, err));
    isal_deflate_init(&encoder->stream);
    encoder->stream.level = isal_level(level);
    encoder->stream.level_buf_size = buf_sizes[encoder->stream.level];
    encoder->stream.gzip_flag = IGZIP_GZIP;
    status = lf_alloc_zero(&encoder->level_buf, encoder->stream.level_buf_size, 1, err);
    if (status != LANEFIX_OK) {
        encoder_destroy(encoder);
        return status;
    }
    encoder->stream.level_buf = encoder->level_buf;
    *e = encoder;
    return LANEFIX_OK;
}

static enum lanefix_status encode(void *e, struct lf_codec_io *io, bool end, bool *done,
                                  struct lanefix_error *err)
{
    struct isal_zstream *stream = &((struct encoder *)e)->stream;
    size_t n_in = io->n_in < UINT32_MAX ? io->n_in : UINT32_MAX;
    size_t n_out = io->n_out < UINT32_MAX ? io->n_out : UINT32_MAX;
    int code;

    stream->next_in = (uint8_t *)(uintptr_t)io->in; /* read only */
    stream->avail_in = (uint32_t)n_in;
    stream->next_out = io->out;
    stream->avail_out = (uint32_t)n_out;
    stream->end_of_stream = end && n_in == io->n_in;
    code = isal_deflate(stream);
    n_in -= stream->avail_in;
    n_out -= stream->avail_out;
    io->in += n_in;
    io->n_in -= n_in;
    io->out += n_out;
    io->n_out -= n_out;
    if (code != COMP_OK) {
        return lf_fail(err, LANEFIX_ERR_IO, LANEFIX_NO_OFFSET, "gzip: ISA-L error %d", code);
    }
    *done = end && stream->internal_state.state == ZSTATE_END;
    return LANEFIX_OK;
}

const struct lf_codec lf_codec_gzip = {
    .form = LANEFIX_FORM_GZIP,
    .name = "gzip",
    .extension = ".gz",
    .level_min = 1,
    .level_max = 9,
    .level_default = 1,
    .decoder_create = decoder_create,
    .decode = decode,
    .decoder_idle = decoder_idle,
    .decoder_destroy = decoder_destroy,
    .encoder_create = encoder_create,
    .encode = encode,
    .encoder_destroy = encoder_destroy,
};

#else
typedef int lf_no_isal; /* codec_gzip_zlib.c has the table's row */
#endif
