/* Codecs behind one table: a form is a row, its functions are all that source and sink know of it.
 * Codecs do no I/O: bytes in, bytes out. */
#ifndef LF_IO_CODEC_H
#define LF_IO_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A run of input and the room for output; both advance. No pointer is NULL, also where a run is
 * empty. */
struct lf_codec_io {
    const uint8_t *in;
    size_t n_in;
    uint8_t *out;
    size_t n_out;
};

struct lf_codec {
    enum lanefix_form form;
    const char *name;
    const char *extension;
    int level_min, level_max, level_default;

    enum lanefix_status (*decoder_create)(void **d, int window_log_max, struct lanefix_error *err);
    /* Decodes until the input is used or the output full; frames and members follow one another.
     * LANEFIX_ERR_INPUT: *fault says what is wrong (text that lives as long as d), err is
     * untouched; only decoder_destroy may follow. */
    enum lanefix_status (*decode)(void *d, struct lf_codec_io *io, const char **fault,
                                  struct lanefix_error *err);
    /* Whether the stream may end here: between frames or members. */
    bool (*decoder_idle)(const void *d);
    void (*decoder_destroy)(void *d);

    enum lanefix_status (*encoder_create)(void **e, int level, unsigned threads,
                                          struct lanefix_error *err);
    /* Encodes until the input is used or the output full. end: no input follows; *done once all is
     * in the output. */
    enum lanefix_status (*encode)(void *e, struct lf_codec_io *io, bool end, bool *done,
                                  struct lanefix_error *err);
    void (*encoder_destroy)(void *e);
};

extern const struct lf_codec lf_codec_zstd;
extern const struct lf_codec lf_codec_gzip; /* by ISA-L, or by zlib where that is not there */

/* The codec of a form, NULL for plain. */
const struct lf_codec *lf_codec_of_form(enum lanefix_form form);

/* The form of a stream that begins with head[0..n): by its magic. */
enum lanefix_form lf_codec_detect(const uint8_t *head, size_t n);

#endif
