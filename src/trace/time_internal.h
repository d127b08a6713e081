/* What reading and writing of times share: from a double of microseconds on. */
#ifndef LF_TRACE_TIME_INTERNAL_H
#define LF_TRACE_TIME_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Every power of ten that a double holds exactly. */
#define LF_N_EXACT_POW10 23
extern const double lf_exact_pow10[LF_N_EXACT_POW10];

/* Beyond this a double of microseconds is not taken; a whole number is, as long as it fits. */
#define LF_DOUBLE_MAX_US 9.2e15

/* llround, without a call; |x| < 2^63. What is cut off is exact. */
static inline int64_t lf_round_away(double x)
{
    int64_t whole = (int64_t)x;
    double rest = x - (double)whole;

    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Perfetto's nanoseconds of d microseconds; false where they fit no int64. */
static inline bool lf_double_to_ns(double d, int64_t *ns)
{
    int64_t whole;

    if (!(d > -LF_DOUBLE_MAX_US && d < LF_DOUBLE_MAX_US)) {
        return false;
    }
    whole = (int64_t)d;
    *ns = (double)whole == d ? whole * 1000 : lf_round_away(d * 1000.0);
    return true;
}

#endif
