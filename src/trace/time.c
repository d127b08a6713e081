/* Reading visible time follows Perfetto's number reader step by step, because every rounding of it
 * is visible. */
#include "trace/time.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/time_internal.h"

const double lf_exact_pow10[LF_N_EXACT_POW10] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A number as Perfetto's reader leaves it: an int64 where it looks like one and fits. */
struct number {
    bool is_int;
    int64_t i;
    double d;
    /* as written, where it has no exponent, at most 18 digits before the point and as many behind
     */
    bool is_decimal, negative;
    uint64_t whole, fraction;
    unsigned n_fraction;
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Digits longer than 308 make no finite double; longer runs only differ behind that. */
#define DIGITS_MAX 308

/* The double nearest to digits[0..n). */
static double digits_to_double(const char *digits, size_t n)
{
    char text[DIGITS_MAX + 1];

    if (n > DIGITS_MAX) {
        return INFINITY;
    }
    memcpy(text, digits, n);
    text[n] = '\0';
    return strtod(text, NULL);
}

static double pow10_rounded(size_t n)
{
    char text[8] = {'1', 'e'};

    if (n < LF_N_EXACT_POW10) {
        return lf_exact_pow10[n];
    }
    /* pow() may be one unit off; the text of a power of ten is read correctly rounded */
    text[2] = (char)('0' + n / 100 % 10);
    text[3] = (char)('0' + n / 10 % 10);
    text[4] = (char)('0' + n % 10);
    return strtod(text, NULL);
}

/* Up to eight digits at s as one number: the run's length, 8 where it may go on. The loop in
 * read_digits is its plain twin. */
static unsigned read_eight(const char *s, uint64_t *value)
{
    uint64_t w, others;
    unsigned n;

    memcpy(&w, s, sizeof w);
    w ^= LF_ZERO_DIGITS;
    others = lf_no_digits(w);
    n = others != 0 ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    *value = n != 0 ? lf_join_digits(w << 8 * (8 - n)) : 0; /* zeros in front */
    return n;
}

/* Reads a run of digits at *p; *value holds it where it has at most 18 digits. */
static size_t read_digits(const char **p, const char *end, uint64_t *value)
{
    static const uint32_t scale[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char *s = *p;
    uint64_t v = 0;
    unsigned n = 8;

    while (LF_CAN_READ_EIGHT && n == 8 && end - s >= 8) {
        uint64_t part;

        n = read_eight(s, &part);
        v = v * scale[n] + part; /* wraps beyond 19 digits: not used then */
        s += n;
    }
    for (; n == 8 && s < end && is_digit(*s); s++) {
        v = v * 10 + (uint64_t)(*s - '0');
    }
    *value = v;
    n = (unsigned)(s - *p);
    *p = s;
    return n;
}

/* Applies the exponent p[0..end) to *d; false where it is none. */
static bool apply_exponent(const char *p, const char *end, double *d)
{
    bool negative = false;
    int e = 0;

    if (p < end && (*p == '+' || *p == '-')) {
        negative = *p++ == '-';
    }
    if (p == end) {
        return false;
    }
    for (; p < end; p++) {
        if (!is_digit(*p)) {
            return false;
        }
        e = e < 100000 ? e * 10 + (*p - '0') : e;
    }
    *d = negative ? *d / pow(10, e) : *d * pow(10, e);
    return true;
}

static bool read_number(const char *text, size_t n, struct number *out)
{
    const char *p = text;
    const char *end = text + n;
    const char *digits;
    bool negative;
    uint64_t whole;
    size_t n_digits;
    double d;

    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) {
        p++;
    }
    while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n' || end[-1] == '\r')) {
        end--;
    }
    negative = p < end && *p == '-';
    p += negative;
    digits = p;
    n_digits = read_digits(&p, end, &whole);
    out->is_decimal = n_digits <= 18;
    out->negative = negative;
    out->whole = whole;
    out->fraction = 0;
    out->n_fraction = 0;
    if (n_digits == 0) {
        return false;
    }
    if (p == end && (n_digits < 19 || (n_digits == 19 && whole <= INT64_MAX))) {
        out->is_int = true;
        out->i = negative ? -(int64_t)whole : (int64_t)whole;
        return true;
    }
    d = n_digits <= 18 ? (double)whole : digits_to_double(digits, n_digits);
    if (p < end && *p == '.') {
        uint64_t fraction;

        digits = ++p;
        n_digits = read_digits(&p, end, &fraction);
        if (n_digits == 0) {
            return false;
        }
        if (n_digits <= 18) {
            d += (double)fraction / lf_exact_pow10[n_digits];
            out->fraction = fraction;
            out->n_fraction = (unsigned)n_digits;
        } else {
            out->is_decimal = false;
            n_digits = n_digits < DIGITS_MAX ? n_digits : DIGITS_MAX;
            d += digits_to_double(digits, n_digits) / pow10_rounded(n_digits);
        }
    }
    if (p < end) {
        out->is_decimal = false;
        if ((*p != 'e' && *p != 'E') || !apply_exponent(p + 1, end, &d)) {
            return false;
        }
    }
    out->is_int = false;
    out->d = negative ? -d : d;
    return true;
}

static bool number_to_ns(const struct number *number, int64_t *ns)
{
    return number->is_int ? !__builtin_mul_overflow(number->i, (int64_t)1000, ns)
                          : lf_double_to_ns(number->d, ns);
}

/* The decimals of a number that has at most 9.2e15 in front of them, halves away from 0. */
static int64_t decimal_to_ns(const struct number *number)
{
    static const uint64_t scale[] = {1000, 100, 10, 1};
    uint64_t ns = number->whole * 1000;

    if (number->n_fraction <= 3) {
        ns += number->fraction * scale[number->n_fraction];
    } else {
        uint64_t unit = (uint64_t)lf_exact_pow10[number->n_fraction - 3];

        ns += number->fraction / unit + (number->fraction % unit >= unit / 2);
    }
    return number->negative ? -(int64_t)ns : (int64_t)ns;
}

bool lf_time_read_odd(const char *text, size_t n, int64_t *visible_ns, int64_t *exact_ns)
{
    struct number number;

    if (!read_number(text, n, &number) || !number_to_ns(&number, visible_ns)) {
        return false;
    }
    *exact_ns = number.is_decimal ? decimal_to_ns(&number) : *visible_ns;
    return true;
}

/* An id that is a few digits, as nearly all are; false: for lf_integer_read. */
static bool read_short_id(const char *text, size_t n, uint32_t *id)
{
    uint32_t value = 0;

    if (n == 0 || n > 9) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(text[i])) {
            return false;
        }
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *id = value;
    return true;
}

bool lf_id_read(const char *text, size_t n, uint32_t *id)
{
    int64_t value = 0;
    bool fits;

    if (read_short_id(text, n, id)) {
        return true;
    }
    fits = lf_integer_read(text, n, &value);

    *id = fits && value >= 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
    return fits && value >= 0 && value <= UINT32_MAX;
}

bool lf_integer_read(const char *text, size_t n, int64_t *value)
{
    struct number number;

    if (!read_number(text, n, &number)) {
        return false;
    }
    if (number.is_int) {
        *value = number.i;
        return true;
    }
    if (!(number.d > -9.2e18 && number.d < 9.2e18)) {
        return false;
    }
    *value = (int64_t)number.d;
    return true;
}
