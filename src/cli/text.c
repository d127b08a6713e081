/* Text for people. */
#include "cli/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t cli_utf8_length(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] < 0x20 || s[0] == 0x7f || s[0] > 0xf4 || len == 0 || len > n ||
        (s[0] == 0xc2 && s[1] < 0xa0)) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) {
        return 0;
    }
    return len;
}

const char *cli_safe(char *out, size_t size, const char *name, size_t n)
{
    const unsigned char *s = (const unsigned char *)name;
    size_t w = 0;

    for (size_t i = 0; i < n;) {
        size_t len = cli_utf8_length(name + i, n - i);
        size_t room = len != 0 ? len : 4;

        if (w + room + 4 > size) {
            memcpy(out + w, "...", 4);
            return out;
        }
        if (len != 0) {
            memcpy(out + w, s + i, len);
            i += len;
        } else {
            snprintf(out + w, 5, "\\x%02x", s[i]);
            i++;
        }
        w += room;
    }
    out[w] = '\0';
    return out;
}

const char *cli_time(char *out, size_t size, uint64_t ns)
{
    if (ns > 0 && ns < 1000) {
        snprintf(out, size, "%uns", (unsigned)ns);
    } else {
        snprintf(out, size, "%llu.%03uus", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
    }
    return out;
}

const char *cli_count(char *out, size_t size, uint64_t n)
{
    char digits[24];
    size_t len = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t w = 0;

    for (size_t i = 0; i < len && w + 2 < size; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            out[w++] = ',';
        }
        out[w++] = digits[i];
    }
    out[w] = '\0';
    return out;
}

const char *cli_threshold(char *out, size_t size, double us)
{
    snprintf(out, size, "%.12g", us);
    if (strpbrk(out, ".e") == NULL && strlen(out) + 3 <= size) {
        strcat(out, ".0");
    }
    return out;
}
