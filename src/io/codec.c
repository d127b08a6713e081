/* The table of codecs. */
#include "io/codec.h"

#include <string.h>

#include "io/sink.h"

static const struct lf_codec *const codecs[] = {&lf_codec_zstd, &lf_codec_gzip};
#define N_CODECS (sizeof codecs / sizeof codecs[0])

const struct lf_codec *lf_codec_of_form(enum lanefix_form form)
{
    for (size_t i = 0; i < N_CODECS; i++) {
        if (codecs[i]->form == form) {
            return codecs[i];
        }
    }
    return NULL;
}

enum lanefix_form lf_codec_detect(const uint8_t *head, size_t n)
{
    if (n >= 2 && head[0] == 0x1f && head[1] == 0x8b) {
        return LANEFIX_FORM_GZIP;
    }
    if (n >= 4 && ((head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd) ||
                   ((head[0] & 0xf0) == 0x50 && head[1] == 0x2a && head[2] == 0x4d &&
                    head[3] == 0x18))) { /* a frame, or a skippable one before it */
        return LANEFIX_FORM_ZSTD;
    }
    return LANEFIX_FORM_PLAIN;
}

enum lanefix_form lf_form_of_name(const char *path)
{
    size_t n = strlen(path);

    for (size_t i = 0; i < N_CODECS; i++) {
        size_t len = strlen(codecs[i]->extension);

        if (n > len && strcmp(path + n - len, codecs[i]->extension) == 0) {
            return codecs[i]->form;
        }
    }
    return LANEFIX_FORM_PLAIN;
}
