/* Writing visible time searches the texts for one that reads back as meant. */
#include <math.h>

#include "trace/time.h"
#include "trace/time_internal.h"

__extension__ typedef __int128 wide;

/* A text of at least 3 and at most 6 decimals: count units of 10^-decimals microseconds. */
static int64_t units_as_read(wide count, int decimals)
{
    int64_t scale = (int64_t)lf_exact_pow10[decimals];
    bool narrow = count <= INT64_MAX; /* dividing 128 bits takes ten times as long */
    int64_t whole = narrow ? (int64_t)count / scale : (int64_t)(count / scale);
    int64_t fraction = (int64_t)(count - (wide)whole * scale);
    int64_t ns = INT64_MAX;

    if (fraction == 0) {
        return whole > INT64_MAX / 1000 ? INT64_MAX : whole * 1000;
    }
    (void)lf_double_to_ns((double)whole + (double)fraction / lf_exact_pow10[decimals], &ns);
    return ns;
}

/* The count nearest to ns whose text reads as ns or more (up) or as ns or less. Reading is
 * monotone, and a double of up to 2^63 ns is off by less than 2048 ns. */
static wide search_units(int64_t ns, bool up, int decimals)
{
    wide unit = (wide)lf_exact_pow10[decimals - 3];
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

    if (ns > (int64_t)LF_DOUBLE_MAX_US * 1000 - 4096) { /* whole microseconds only */
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

    (void)lf_double_to_ns(us, &ns);
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
    readable =
        magnitude < ALL_WHOLE_NS ? next_readable(magnitude, up) : write_units(magnitude, up).ns;
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
