/* gzip and zstd framing: any bytes as a compressed stream give the same trace, and of gzip the same
 * verdict, however they are cut into pieces; any bytes compressed come back. Byte 0 chooses codec
 * and pieces. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input);

enum { OUT_MAX = 1 << 16 };

/* The condition holds, also where NDEBUG is set. */
static void must(bool condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

/* What decoding came to: how many bytes, and whether the stream was good to its end. */
struct result {
    uint8_t bytes[OUT_MAX];
    size_t n;
    bool good, full;
};

static void decode(const struct lf_codec *codec, const uint8_t *in, size_t n, size_t n_piece,
                   size_t n_room, struct result *r)
{
    struct lanefix_error err;
    struct lf_codec_io io = {in, 0, r->bytes, 0};
    enum lanefix_status status = LANEFIX_OK;
    const char *fault = NULL;
    size_t left = n;
    void *d;

    lf_error_init(&err);
    must(codec->decoder_create(&d, 20, &err) == LANEFIX_OK);
    r->n = 0;
    for (;;) {
        size_t more = left < n_piece - io.n_in ? left : n_piece - io.n_in;
        size_t room = OUT_MAX - r->n < n_room ? OUT_MAX - r->n : n_room;
        size_t n_in = io.n_in + more;

        io.n_in = n_in;
        left -= more;
        io.out = r->bytes + r->n;
        io.n_out = room;
        status = codec->decode(d, &io, &fault, &err);
        r->n += room - io.n_out;
        if (status != LANEFIX_OK) {
            must(status != LANEFIX_ERR_INPUT || fault != NULL);
            break;
        }
        if (r->n == OUT_MAX || (io.n_in == n_in && io.n_out == room && left == 0)) {
            break; /* as much as is looked at, or no progress */
        }
    }
    r->full = r->n == OUT_MAX;
    r->good = status == LANEFIX_OK && codec->decoder_idle(d);
    codec->decoder_destroy(d);
}

static void check_decoding(const struct lf_codec *codec, const uint8_t *in, size_t n,
                           size_t n_piece)
{
    static struct result whole, pieces;

    decode(codec, in, n, n + 1, OUT_MAX, &whole);
    decode(codec, in, n, n_piece, n_piece * 3, &pieces);
    /* libzstd sees a content size that is not true only where it has the frame in one piece */
    if (!whole.full && !pieces.full && codec == &lf_codec_gzip) {
        must(whole.good == pieces.good);
    }
    if (whole.good && pieces.good) {
        must(whole.n == pieces.n && memcmp(whole.bytes, pieces.bytes, whole.n) == 0);
    }
}

static void check_round_trip(const struct lf_codec *codec, const uint8_t *in, size_t n,
                             size_t n_room)
{
    static uint8_t packed[OUT_MAX * 2];
    static struct result back;
    struct lanefix_error err;
    struct lf_codec_io io = {in, n, packed, 0};
    size_t n_packed = 0;
    bool done = false;
    void *e;

    lf_error_init(&err);
    must(codec->encoder_create(&e, codec->level_default, 1, &err) == LANEFIX_OK);
    while (!done) {
        size_t room = sizeof packed - n_packed < n_room ? sizeof packed - n_packed : n_room;

        must(room > 0);
        io.out = packed + n_packed;
        io.n_out = room;
        must(codec->encode(e, &io, true, &done, &err) == LANEFIX_OK);
        n_packed += room - io.n_out;
    }
    codec->encoder_destroy(e);
    decode(codec, packed, n_packed, n_packed + 1, OUT_MAX, &back);
    must(back.n == n && memcmp(back.bytes, in, n) == 0 && (back.good || back.full));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n_input)
{
    const struct lf_codec *codec;

    if (n_input < 1 || n_input > OUT_MAX) {
        return 0;
    }
    codec = (input[0] & 1) != 0 ? &lf_codec_zstd : &lf_codec_gzip;
    check_decoding(codec, input + 1, n_input - 1, 1 + (input[0] >> 2));
    if ((input[0] & 2) != 0) {
        check_round_trip(codec, input + 1, n_input - 1, 1 + (input[0] >> 2));
    }
    return 0;
}
