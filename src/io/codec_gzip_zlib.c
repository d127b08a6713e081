/* gzip through zlib, where ISA-L can't be had: the same files, several times slower. */
#include "io/codec.h"

#ifndef LF_HAVE_ISAL

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define GZIP_ONLY (15 + 16)

enum place { BETWEEN, INSIDE, PADDING };

struct decoder {
    z_stream stream;
    enum place place;
    bool any; /* a member was read */
};

static enum lanefix_status decoder_create(void **d, int window_log_max, struct lanefix_error *err)
{
    struct decoder *decoder;

    (void)window_log_max;
    LF_TRY(lf_alloc_zero(&decoder, 1, sizeof *decoder, err));
    if (inflateInit2(&decoder->stream, GZIP_ONLY) != Z_OK) {
        free(decoder);
        return lf_fail_memory(err, 1 << 15);
    }
    *d = decoder;
    return LANEFIX_OK;
}

static const char *next_member(struct decoder *decoder, struct lf_codec_io *io)
{
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
    inflateReset(&decoder->stream);
    decoder->place = INSIDE;
    decoder->any = true;
    return NULL;
}

/* zlib tells apart by text alone what went wrong. */
static const char *fault_text(const char *msg)
{
    if (msg != NULL &&
        (strcmp(msg, "incorrect data check") == 0 || strcmp(msg, "incorrect length check") == 0)) {
        return "gzip checksum does not match: the data is corrupt";
    }
    return "corrupt gzip data";
}

static enum lanefix_status decode(void *d, struct lf_codec_io *io, const char **fault,
                                  struct lanefix_error *err)
{
    struct decoder *decoder = d;

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
        decoder->stream.next_in = (Bytef *)(uintptr_t)io->in; /* read only */
        decoder->stream.avail_in = (uInt)n_in;
        decoder->stream.next_out = io->out;
        decoder->stream.avail_out = (uInt)n_out;
        code = inflate(&decoder->stream, Z_NO_FLUSH);
        n_in -= decoder->stream.avail_in;
        n_out -= decoder->stream.avail_out;
        io->in += n_in;
        io->n_in -= n_in;
        io->out += n_out;
        io->n_out -= n_out;
        if (code == Z_STREAM_END) {
            decoder->place = BETWEEN;
        } else if (code == Z_MEM_ERROR) {
            return lf_fail_memory(err, 1 << 15);
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            *fault = fault_text(decoder->stream.msg);
            return LANEFIX_ERR_INPUT;
        } else if (n_in == 0 && n_out == 0) {
            break; /* more input is needed */
        }
    }
    return LANEFIX_OK;
}

static bool decoder_idle(const void *d)
{
    return ((const struct decoder *)d)->place != INSIDE;
}

static void decoder_destroy(void *d)
{
    struct decoder *decoder = d;

    inflateEnd(&decoder->stream);
    free(decoder);
}

static enum lanefix_status encoder_create(void **e, int level, unsigned threads,
                                          struct lanefix_error *err)
{
    z_stream *stream;

    (void)threads;
    LF_TRY(lf_alloc_zero(&stream, 1, sizeof *stream, err));
    if (deflateInit2(stream, level, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(stream);
        return lf_fail_memory(err, 1 << 18);
    }
    *e = stream;
    return LANEFIX_OK;
}

static enum lanefix_status encode(void *e, struct lf_codec_io *io, bool end, bool *done,
                                  struct lanefix_error *err)
{
    z_stream *stream = e;
    size_t n_in = io->n_in < UINT32_MAX ? io->n_in : UINT32_MAX;
    size_t n_out = io->n_out < UINT32_MAX ? io->n_out : UINT32_MAX;
    int code;

    stream->next_in = (Bytef *)(uintptr_t)io->in; /* read only */
    stream->avail_in = (uInt)n_in;
    stream->next_out = io->out;
    stream->avail_out = (uInt)n_out;
    code = deflate(stream, end && n_in == io->n_in ? Z_FINISH : Z_NO_FLUSH);
    n_in -= stream->avail_in;
    n_out -= stream->avail_out;
    io->in += n_in;
    io->n_in -= n_in;
    io->out += n_out;
    io->n_out -= n_out;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return lf_fail(err, LANEFIX_ERR_IO, LANEFIX_NO_OFFSET, "gzip: zlib error %d", code);
    }
    *done = code == Z_STREAM_END;
    return LANEFIX_OK;
}

static void encoder_destroy(void *e)
{
    deflateEnd(e);
    free(e);
}

const struct lf_codec lf_codec_gzip = {
    .form = LANEFIX_FORM_GZIP,
    .name = "gzip",
    .extension = ".gz",
    .level_min = 1,
    .level_max = 9,
    .level_default = 6,
    .decoder_create = decoder_create,
    .decode = decode,
    .decoder_idle = decoder_idle,
    .decoder_destroy = decoder_destroy,
    .encoder_create = encoder_create,
    .encode = encode,
    .encoder_destroy = encoder_destroy,
};

#else
typedef int lf_no_zlib; /* codec_gzip_isal.c has the table's row */
#endif
