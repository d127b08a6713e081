/* The error record: formatting that is safe for terminals. */
#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void lf_error_init(struct lanefix_error *err)
{
    memset(err, 0, sizeof *err);
    err->offset = LANEFIX_NO_OFFSET;
    err->packed_offset = LANEFIX_NO_OFFSET;
}

/* Length of the well-formed, printable UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    size_t len;

    if (s[0] < 0x80) {
        return s[0] >= 0x20 && s[0] != 0x7f;
    }
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (len > n) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((s[0] == 0xc2 && s[1] < 0xa0) || /* C1 controls drive terminals too */
        (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)) {
        return 0;
    }
    return len;
}

char *lf_printable(char *dst, size_t n, const char *src, size_t n_src)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *s = (const unsigned char *)src;
    size_t w = 0;
    size_t i = 0;

    while (i < n_src) {
        size_t len = utf8_length(s + i, n_src - i);
        size_t room = len != 0 ? len : 4;
        size_t tail = i + (len != 0 ? len : 1) < n_src ? 3 : 0;

        if (w + room + tail + 1 > n) {
            for (size_t k = 0; k < 3 && w + 1 < n; k++) {
                dst[w++] = '.';
            }
            break;
        }
        if (len != 0) {
            memcpy(dst + w, s + i, len);
            i += len;
        } else {
            dst[w] = '\\';
            dst[w + 1] = 'x';
            dst[w + 2] = hex[s[i] >> 4];
            dst[w + 3] = hex[s[i] & 15];
            i += 1;
        }
        w += room;
    }
    dst[w] = '\0';
    return dst;
}

/* Of a message that is too long the first size - 1 bytes are kept. */
static void set_message(struct lanefix_error *err, size_t size, const char *format, va_list args)
{
    char raw[4096 + 256]; /* a path and some words */
    int n = vsnprintf(raw, sizeof raw, format, args);

    if (n < 0) {
        n = 0;
    }
    lf_printable(err->message, size, raw, (size_t)n < sizeof raw ? (size_t)n : sizeof raw - 1);
}

enum lanefix_status lf_fail(struct lanefix_error *err, enum lanefix_status status, uint64_t offset,
                            const char *format, ...)
{
    va_list args;

    lf_error_init(err);
    err->status = status;
    err->offset = offset;
    va_start(args, format);
    set_message(err, sizeof err->message, format, args);
    va_end(args);
    return status;
}

enum lanefix_status lf_fail_errno(struct lanefix_error *err, int sys_errno, const char *format, ...)
{
    va_list args;
    char text[128];
    const char *reason = strerror_r(sys_errno, text, sizeof text);
    size_t room = sizeof err->message - sizeof text; /* the reason is told whatever the path */
    size_t used;

    lf_error_init(err);
    err->status = LANEFIX_ERR_IO;
    err->sys_errno = sys_errno;
    va_start(args, format);
    set_message(err, room, format, args);
    va_end(args);
    used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, ": %s", reason);
    return LANEFIX_ERR_IO;
}

enum lanefix_status lf_fail_memory(struct lanefix_error *err, size_t nbytes)
{
    return lf_fail(err, LANEFIX_ERR_MEMORY, LANEFIX_NO_OFFSET, "out of memory: %zu bytes refused",
                   nbytes);
}
