/* Visible time: the int64 nanoseconds that Perfetto makes of the text of a ts or dur, and the text
 * that reads back as wanted nanoseconds. The rule is Perfetto's (v58), bit for bit. */
#ifndef LF_TRACE_TIME_H
#define LF_TRACE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/time_common.h"

#define LF_TIME_TEXT_MAX 48

/* As lf_time_read_exact, for what has not the common form. */
bool lf_time_read_odd(const char *text, size_t n, int64_t *visible_ns, int64_t *exact_ns);

/* Reads text[0..n), microseconds as written: *visible_ns is what Perfetto makes of it, *exact_ns the
 * nanosecond that the decimals say, halves away from 0, whatever a double makes of them (of a number
 * with an exponent or of very many digits: the visible one). false where Perfetto reads no time in
 * it, or where the nanoseconds fit no int64. White space around a number inside a string is
 * allowed. */
LF_TIME_INLINE bool lf_time_read_exact(const char *text, size_t n, int64_t *visible_ns,
                                       int64_t *exact_ns)
{
    uint64_t written;

    if (!lf_time_common(text, n, &written)) {
        return lf_time_read_odd(text, n, visible_ns, exact_ns);
    }
    *exact_ns = (int64_t)written;
    return lf_time_common_to_ns(written, visible_ns);
}

/* As lf_time_read_exact, the visible time only. */
static inline bool lf_time_read(const char *text, size_t n, int64_t *ns)
{
    int64_t exact;

    return lf_time_read_exact(text, n, ns, &exact);
}

/* Writes the shortest decimal text of *ns microseconds-as-nanoseconds to text (at least
 * LF_TIME_TEXT_MAX bytes, terminated) that reads back as ns. Where no text does, the nearest that
 * reads as more (up) or less (!up) is written. Returns what the text reads as; where there is none on
 * that side INT64_MAX (up) or -INT64_MAX (!up), and the text is of no use. */
int64_t lf_time_write(int64_t ns, bool up, char *text, size_t *n);

/* What lf_time_write would return. */
int64_t lf_time_writable(int64_t ns, bool up);

/* The number as Perfetto reads an id: *id is its value where that is a uint32, else 0; returns
 * whether it was one. Text that is no number: 0, false. */
bool lf_id_read(const char *text, size_t n, uint32_t *id);

/* The number as an int64, cut towards 0; false where it is none or does not fit. */
bool lf_integer_read(const char *text, size_t n, int64_t *value);

#endif
