/* zstd: frames and skippable frames one behind the other; output with a checksum. */
#include "io/codec.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

struct decoder {
    ZSTD_DCtx *ctx;
    bool idle;
};

static enum lanefix_status decoder_create(void **d, int window_log_max, struct lanefix_error *err)
{
    struct decoder *decoder;

    LF_TRY(lf_alloc_zero(&decoder, 1, sizeof *decoder, err));
    decoder->ctx = ZSTD_createDCtx();
    if (decoder->ctx == NULL) {
        free(decoder);
        return lf_fail_memory(err, ZSTD_DStreamInSize());
    }
    ZSTD_DCtx_setParameter(decoder->ctx, ZSTD_d_windowLogMax, window_log_max);
    decoder->idle = true;
    *d = decoder;
    return LANEFIX_OK;
}

static enum lanefix_status decode(void *d, struct lf_codec_io *io, const char **fault,
                                  struct lanefix_error *err)
{
    struct decoder *decoder = d;
    ZSTD_inBuffer in = {io->in, io->n_in, 0};
    ZSTD_outBuffer out = {io->out, io->n_out, 0};
    enum lanefix_status status = LANEFIX_OK;

    while (out.pos < out.size) {
        size_t used = in.pos;
        size_t made = out.pos;
        size_t left = ZSTD_decompressStream(decoder->ctx, &out, &in);

        if (ZSTD_isError(left)) {
            switch (ZSTD_getErrorCode(left)) {
            case ZSTD_error_memory_allocation:
                status = lf_fail_memory(err, io->n_out);
                break;
            case ZSTD_error_frameParameter_windowTooLarge:
                *fault = "zstd frame with a larger window than accepted (see --long)";
                status = LANEFIX_ERR_INPUT;
                break;
            case ZSTD_error_checksum_wrong:
                *fault = "zstd checksum does not match: the data is corrupt";
                status = LANEFIX_ERR_INPUT;
                break;
            case ZSTD_error_prefix_unknown:
                *fault = "no zstd frame where one was expected";
                status = LANEFIX_ERR_INPUT;
                break;
            default:
                *fault = "corrupt zstd data";
                status = LANEFIX_ERR_INPUT;
                break;
            }
            break;
        }
        if (in.pos == used && out.pos == made) {
            break; /* more input is needed */
        }
        decoder->idle = left == 0;
        if (in.pos == in.size && out.pos < out.size) {
            break;
        }
    }
    io->in += in.pos;
    io->n_in -= in.pos;
    io->out += out.pos;
    io->n_out -= out.pos;
    return status;
}

static bool decoder_idle(const void *d)
{
    return ((const struct decoder *)d)->idle;
}

static void decoder_destroy(void *d)
{
    struct decoder *decoder = d;

    ZSTD_freeDCtx(decoder->ctx);
    free(decoder);
}

static enum lanefix_status encoder_create(void **e, int level, unsigned threads,
                                          struct lanefix_error *err)
{
    ZSTD_CCtx *ctx = ZSTD_createCCtx();

    if (ctx == NULL) {
        return lf_fail_memory(err, ZSTD_CStreamOutSize());
    }
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
    /* a library built without threads refuses this and compresses in the caller's */
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_nbWorkers, threads > 1 ? (int)threads : 0);
    *e = ctx;
    return LANEFIX_OK;
}

static enum lanefix_status encode(void *e, struct lf_codec_io *io, bool end, bool *done,
                                  struct lanefix_error *err)
{
    ZSTD_inBuffer in = {io->in, io->n_in, 0};
    ZSTD_outBuffer out = {io->out, io->n_out, 0};
    size_t left = ZSTD_compressStream2(e, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);

    io->in += in.pos;
    io->n_in -= in.pos;
    io->out += out.pos;
    io->n_out -= out.pos;
    if (ZSTD_isError(left)) {
        return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                   ? lf_fail_memory(err, io->n_out)
                   : lf_fail(err, LANEFIX_ERR_IO, LANEFIX_NO_OFFSET, "zstd: %s",
                             ZSTD_getErrorName(left));
    }
    *done = end && left == 0;
    return LANEFIX_OK;
}

static void encoder_destroy(void *e)
{
    ZSTD_freeCCtx(e);
}

const struct lf_codec lf_codec_zstd = {
    .form = LANEFIX_FORM_ZSTD,
    .name = "zstd",
    .extension = ".zst",
    .level_min = 1,
    .level_max = 19,
    .level_default = 3,
    .decoder_create = decoder_create,
    .decode = decode,
    .decoder_idle = decoder_idle,
    .decoder_destroy = decoder_destroy,
    .encoder_create = encoder_create,
    .encode = encode,
    .encoder_destroy = encoder_destroy,
};
