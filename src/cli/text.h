/* Text for people: names from traces made safe for terminals, times, counts. */
#ifndef LF_CLI_TEXT_H
#define LF_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Length of the printable UTF-8 sequence at text[0..n), n > 0; 0 where there is none. */
size_t cli_utf8_length(const char *text, size_t n);

/* name[0..n) with control bytes and bad UTF-8 as \xNN, cut to what fits in size bytes ("..."). */
const char *cli_safe(char *out, size_t size, const char *name, size_t n);

/* "480ns" below 1 us, else "1.234us"; 0 is "0.000us". */
const char *cli_time(char *out, size_t size, uint64_t ns);

/* 3431 -> "3,431". */
const char *cli_count(char *out, size_t size, uint64_t n);

/* A threshold as it was given: 5 -> "5.0", 0.25 -> "0.25". */
const char *cli_threshold(char *out, size_t size, double us);

#endif
