/* zstd: frames and skippable frames one behind the other; output with a checksum. */
#include "io/codec.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

/* A frame's magic, descriptor, window and as much of the rest as tells the window: dictionary id and
 * content size. */
#define HEAD_NBYTES 18

#define SET_UP_NBYTES ((size_t)16 << 10) /* more than the library's set-up takes for a worker */

#define WINDOW_LOG_MAX 31 /* that the library takes */

struct decoder {
    ZSTD_DCtx *ctx;
    bool idle;
    uint8_t head[HEAD_NBYTES]; /* of the frame, n_head bytes so far */
    size_t n_head;
    char fault[128];
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

static void keep_head(struct decoder *decoder, const uint8_t *bytes, size_t n)
{
    size_t room = HEAD_NBYTES - decoder->n_head;

    n = n < room ? n : room;
    if (n != 0) {
        memcpy(decoder->head + decoder->n_head, bytes, n);
        decoder->n_head += n;
    }
}

/* The window that the frame asks for, as a power of two that holds it (RFC 8878, 3.1.1.1). */
static int window_log(const struct decoder *decoder)
{
    static const unsigned dictionary_nbytes[] = {0, 1, 2, 4};
    static const unsigned content_nbytes[] = {1, 2, 4, 8};
    unsigned descriptor = decoder->head[4];
    unsigned at = 5 + dictionary_nbytes[descriptor & 3];
    uint64_t size = 0;
    int log = 0;

    if ((descriptor & 0x20) == 0) {
        return 10 + (decoder->head[5] >> 3) + ((decoder->head[5] & 7) != 0);
    }
    for (unsigned i = content_nbytes[descriptor >> 6]; i-- > 0;) {
        size = size << 8 | decoder->head[at + i];
    }
    while (log < 63 && (UINT64_C(1) << log) < size) {
        log++;
    }
    return log;
}

static const char *window_fault(struct decoder *decoder)
{
    int log = window_log(decoder);

    if (log <= WINDOW_LOG_MAX) {
        snprintf(decoder->fault, sizeof decoder->fault,
                 "zstd frame with a window of 2^%d bytes: accepted with --long=%d", log, log);
    } else {
        snprintf(decoder->fault, sizeof decoder->fault,
                 "zstd frame with a window of 2^%d bytes: too large", log);
    }
    return decoder->fault;
}

static enum lanefix_status decode_failed(struct decoder *decoder, ZSTD_ErrorCode code,
                                         const char **fault, struct lanefix_error *err)
{
    switch (code) {
    case ZSTD_error_memory_allocation:
        return lf_fail_memory(err, (size_t)1 << window_log(decoder));
    case ZSTD_error_frameParameter_windowTooLarge:
        *fault = window_fault(decoder);
        break;
    case ZSTD_error_checksum_wrong:
        *fault = "zstd checksum does not match: the data is corrupt";
        break;
    case ZSTD_error_prefix_unknown:
        *fault = "no zstd frame where one was expected";
        break;
    case ZSTD_error_dictionary_wrong:
        *fault = "zstd frame that needs a dictionary";
        break;
    default:
        *fault = "corrupt zstd data";
        break;
    }
    return LANEFIX_ERR_INPUT;
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
        size_t left;

        if (decoder->idle) {
            if (in.pos == in.size) {
                break; /* the library counts calls without input as a fault */
            }
            decoder->n_head = 0;
        }
        left = ZSTD_decompressStream(decoder->ctx, &out, &in);

        if (ZSTD_isError(left)) {
            keep_head(decoder, io->in + used, in.size - used);
            status = decode_failed(decoder, ZSTD_getErrorCode(left), fault, err);
            break;
        }
        keep_head(decoder, io->in + used, in.pos - used);
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

/* Has the library start its workers. Where it cannot (a limit of threads or of memory), or was built
 * without, it compresses in the caller's thread: slower, and no failure.
 *
 * Up to 1.5.4 at least it dies where one of the small blocks of its set-up is refused. So that much
 * is asked for and given back just before, while no other thread of ours runs. */
static enum lanefix_status start_workers(ZSTD_CCtx *ctx, unsigned threads,
                                         struct lanefix_error *err)
{
    ZSTD_inBuffer in = {NULL, 0, 0};
    ZSTD_outBuffer out = {NULL, 0, 0};
    ZSTD_bounds bounds = ZSTD_cParam_getBounds(ZSTD_c_nbWorkers);
    void *set_up;

    if (!ZSTD_isError(bounds.error) && threads > (unsigned)bounds.upperBound) {
        threads = (unsigned)bounds.upperBound;
    }
    if (ZSTD_isError(ZSTD_CCtx_setParameter(ctx, ZSTD_c_nbWorkers, (int)threads))) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_alloc(&set_up, (size_t)threads + 1, SET_UP_NBYTES, err));
    free(set_up);
    if (ZSTD_isError(ZSTD_compressStream2(ctx, &out, &in, ZSTD_e_continue))) {
        ZSTD_CCtx_reset(ctx, ZSTD_reset_session_only);
        ZSTD_CCtx_setParameter(ctx, ZSTD_c_nbWorkers, 0);
    }
    return LANEFIX_OK;
}

static enum lanefix_status encoder_create(void **e, int level, unsigned threads,
                                          struct lanefix_error *err)
{
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    enum lanefix_status status = LANEFIX_OK;

    if (ctx == NULL) {
        return lf_fail_memory(err, ZSTD_CStreamOutSize());
    }
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
    if (threads > 1) {
        status = start_workers(ctx, threads, err);
    }
    if (status != LANEFIX_OK) {
        ZSTD_freeCCtx(ctx);
        return status;
    }
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
