/* Visible time. Reading follows Perfetto's number reader step by step, because every rounding of it
 * is visible; writing searches the texts for one that reads back as meant. */
#include "trace/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every power of ten that a double holds exactly. */
static const double exact_pow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define N_EXACT_POW10 (sizeof exact_pow10 / sizeof exact_pow10[0])

/* A number as Perfetto's reader leaves it: an int64 where it looks like one and fits. */
struct number {
    bool is_int;
    int64_t i;
    double d;
    /* as written, where it has no exponent, at most 18 digits before the point and as many behind */
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

    if (n < N_EXACT_POW10) {
        return exact_pow10[n];
    }
    /* pow() may be one unit off; the text of a power of ten is read correctly rounded */
    text[2] = (char)('0' + n / 100 % 10);
    text[3] = (char)('0' + n / 10 % 10);
    text[4] = (char)('0' + n % 10);
    return strtod(text, NULL);
}

/* Up to eight digits at s as one number: the run's length, 8 where it may go on. One multiplication
 * tree in place of a chain of eight: a ts of 13 digits and 3 decimals is read in about half the time.
 * The loop in read_digits is its plain twin. */
static unsigned read_eight(const char *s, uint64_t *value)
{
    uint64_t w, others;
    unsigned n;

    memcpy(&w, s, sizeof w);
    w ^= UINT64_C(0x3030303030303030);
    others = (w | (w + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
    n = others != 0 ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (n == 0) {
        *value = 0;
        return 0;
    }
    w <<= 8 * (8 - n); /* zeros in front */
    w = w * 10 + (w >> 8);
    *value = ((w & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
              (w >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
             32;
    return n;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CAN_READ_EIGHT 1
#else
#define CAN_READ_EIGHT 0
#endif

/* Reads a run of digits at *p; *value holds it where it has at most 18 digits. */
static size_t read_digits(const char **p, const char *end, uint64_t *value)
{
    static const uint32_t scale[] = {1,      10,      100,      1000,     10000,
                                     100000, 1000000, 10000000, 100000000};
    const char *s = *p;
    uint64_t v = 0;
    unsigned n = 8;

    while (CAN_READ_EIGHT && n == 8 && end - s >= 8) {
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
            d += (double)fraction / exact_pow10[n_digits];
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

/* Beyond this a double of microseconds is not taken; a whole number is, as long as it fits. */
#define DOUBLE_MAX_US 9.2e15

/* llround, without a call; |x| < 2^63. What is cut off is exact. */
static int64_t round_away(double x)
{
    int64_t whole = (int64_t)x;
    double rest = x - (double)whole;

    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Perfetto's nanoseconds of d microseconds; false where they fit no int64. */
static bool double_to_ns(double d, int64_t *ns)
{
    int64_t whole;

    if (!(d > -DOUBLE_MAX_US && d < DOUBLE_MAX_US)) {
        return false;
    }
    whole = (int64_t)d;
    *ns = (double)whole == d ? whole * 1000 : round_away(d * 1000.0);
    return true;
}

static bool number_to_ns(const struct number *number, int64_t *ns)
{
    return number->is_int ? !__builtin_mul_overflow(number->i, (int64_t)1000, ns)
                          : double_to_ns(number->d, ns);
}

bool lf_time_read(const char *text, size_t n, int64_t *ns)
{
    struct number number;

    return read_number(text, n, &number) && number_to_ns(&number, ns);
}

/* The decimals of a number that has at most 9.2e15 in front of them, halves away from 0. */
static int64_t decimal_to_ns(const struct number *number)
{
    static const uint64_t scale[] = {1000, 100, 10, 1};
    uint64_t ns = number->whole * 1000;

    if (number->n_fraction <= 3) {
        ns += number->fraction * scale[number->n_fraction];
    } else {
        uint64_t unit = (uint64_t)exact_pow10[number->n_fraction - 3];

        ns += number->fraction / unit + (number->fraction % unit >= unit / 2);
    }
    return number->negative ? -(int64_t)ns : (int64_t)ns;
}

bool lf_time_read_exact(const char *text, size_t n, int64_t *visible_ns, int64_t *exact_ns)
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

/* ---- writing ---- */

__extension__ typedef __int128 wide;

/* A text of at least 3 and at most 6 decimals: count units of 10^-decimals microseconds. */
static int64_t units_as_read(wide count, int decimals)
{
    int64_t scale = (int64_t)exact_pow10[decimals];
    bool narrow = count <= INT64_MAX; /* dividing 128 bits takes ten times as long */
    int64_t whole = narrow ? (int64_t)count / scale : (int64_t)(count / scale);
    int64_t fraction = (int64_t)(count - (wide)whole * scale);
    int64_t ns = INT64_MAX;

    if (fraction == 0) {
        return whole > INT64_MAX / 1000 ? INT64_MAX : whole * 1000;
    }
    (void)double_to_ns((double)whole + (double)fraction / exact_pow10[decimals], &ns);
    return ns;
}

/* The count nearest to ns whose text reads as ns or more (up) or as ns or less. Reading is
 * monotone, and a double of up to 2^63 ns is off by less than 2048 ns. */
static wide search_units(int64_t ns, bool up, int decimals)
{
    wide unit = (wide)exact_pow10[decimals - 3];
    wide low = (wide)ns * unit - 4096 * unit;  /* reads as less */
    wide high = (wide)ns * unit + 4096 * unit; /* reads as more */

    low = low < 0 ? -1 : low;
    while (high - low > 1) {
        wide middle = low + (high - low) / 2;
        int64_t read = units_as_read(middle, decimals);

        if (up ? read >= ns : read > ns) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return up ? high : low;
}

struct written {
    wide count;
    int decimals;
    int64_t ns;
};

/* For ns >= 0. */
static struct written write_units(int64_t ns, bool up)
{
    struct written best = {ns, 3, units_as_read(ns, 3)};

    if (ns > (int64_t)DOUBLE_MAX_US * 1000 - 4096) { /* whole microseconds only */
        wide us = ns / 1000 + (up && ns % 1000 != 0);

        return (struct written){us * 1000, 3, units_as_read(us * 1000, 3)};
    }
    if (best.ns == ns) {
        return best;
    }
    for (int decimals = 3; decimals <= 6; decimals++) {
        struct written w = {search_units(ns, up, decimals), decimals, 0};

        w.ns = units_as_read(w.count, decimals);
        if (decimals == 3 || (up ? w.ns < best.ns : w.ns > best.ns)) {
            best = w;
        }
        if (best.ns == ns) {
            break;
        }
    }
    return best;
}

/* Below 2^40 us every nanosecond can be written with three decimals: the sum and the product are
 * off by less than a quarter of a nanosecond together. */
#define ALL_WRITABLE_NS ((int64_t)1000 << 40)

static int64_t double_as_read(double us)
{
    int64_t ns = INT64_MAX;

    (void)double_to_ns(us, &ns);
    return ns;
}

/* And from 2^53 us on doubles are whole, and whole microseconds are read exactly. */
#define ALL_WHOLE_NS ((int64_t)1000 << 53)

/* For ns between the two: doubles are so far apart that each is what some text of six decimals
 * reads as. */
static int64_t next_readable(int64_t ns, bool up)
{
    double us = (double)ns / 1000;
    int64_t read = double_as_read(us);

    for (; read < ns; read = double_as_read(us)) {
        us = nextafter(us, INFINITY);
    }
    for (;;) { /* the least that reads as ns or more */
        double less = nextafter(us, 0);
        int64_t read_less = double_as_read(less);

        if (read_less < ns) {
            return up || read == ns ? read : read_less;
        }
        us = less;
        read = read_less;
    }
}

int64_t lf_time_writable(int64_t ns, bool up)
{
    int64_t magnitude = ns < 0 ? -ns : ns;
    int64_t readable;

    if (magnitude < ALL_WRITABLE_NS) {
        return ns;
    }
    up = up == (ns >= 0);
    readable = magnitude < ALL_WHOLE_NS ? next_readable(magnitude, up)
                                        : write_units(magnitude, up).ns;
    return ns < 0 ? -readable : readable;
}

int64_t lf_time_write(int64_t ns, bool up, char *text, size_t *n)
{
    struct written w = ns < 0 ? write_units(-ns, !up) : write_units(ns, up);
    char digits[LF_TIME_TEXT_MAX];
    size_t n_digits = 0;
    size_t used = 0;
    size_t n_zeros = 0; /* that need not be written, of the decimals */
    int decimals = w.decimals;
    uint64_t rest;

    for (; w.count > UINT64_MAX; w.count /= 10) {
        digits[n_digits++] = (char)('0' + (int)(w.count % 10));
    }
    rest = (uint64_t)w.count;
    do {
        digits[n_digits++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0 || n_digits <= (size_t)decimals);
    while (n_zeros < (size_t)decimals && digits[n_zeros] == '0') {
        n_zeros++;
    }
    if (ns < 0 && w.ns != 0) {
        text[used++] = '-';
    }
    while (n_digits > n_zeros) {
        if (n_digits == (size_t)decimals) {
            text[used++] = '.';
        }
        text[used++] = digits[--n_digits];
    }
    text[used] = '\0';
    *n = used;
    return ns < 0 ? -w.ns : w.ns;
}
