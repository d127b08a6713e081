/* Visible time: reading against a second, plain implementation of the rule; writing against reading. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/time.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The rule of Perfetto's reader once more, part by part through the C library. */
static bool plain_read(const char *text, int64_t *ns)
{
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    const char *point = strchr(digits, '.');
    const char *e = strpbrk(digits, "eE");
    char part[400];
    double d;

    if (point == NULL && e == NULL) {
        unsigned long long v = strtoull(digits, NULL, 10);

        if (strlen(digits) < 20 && v <= INT64_MAX) {
            if (v > INT64_MAX / 1000) {
                return false;
            }
            *ns = (negative ? -1 : 1) * (int64_t)v * 1000;
            return true;
        }
    }
    snprintf(part, sizeof part, "%.*s", (int)strcspn(digits, ".eE"), digits);
    d = strtod(part, NULL);
    if (point != NULL) {
        int n = (int)strcspn(point + 1, "eE");
        double fraction, scale;

        snprintf(part, sizeof part, "%.*s", n, point + 1);
        fraction = strtod(part, NULL);
        snprintf(part, sizeof part, "1e%d", n);
        scale = strtod(part, NULL);
        d += fraction / scale;
    }
    if (e != NULL) {
        int power = atoi(e + 1);

        d = power < 0 ? d / pow(10, -power) : d * pow(10, power);
    }
    d = negative ? -d : d;
    if (!(fabs(d) < 9.2e15)) {
        return false;
    }
    *ns = d == trunc(d) ? (int64_t)d * 1000 : llround(d * 1000.0);
    return true;
}

static void random_number(uint64_t *state, char *text, size_t n)
{
    unsigned whole_digits = (unsigned)(next_random(state) % 20);
    unsigned fraction_digits = (unsigned)(next_random(state) % 24);
    unsigned form = (unsigned)(next_random(state) % 8);
    size_t used = 0;

    if (next_random(state) % 8 == 0) {
        text[used++] = '-';
    }
    text[used++] = (char)('0' + next_random(state) % 10);
    for (unsigned i = 0; i < whole_digits && text[used - 1] != '0'; i++) {
        text[used++] = (char)('0' + next_random(state) % 10);
    }
    if (form != 0) {
        text[used++] = '.';
        fraction_digits = form < 6 ? 3 : fraction_digits + 1;
        for (unsigned i = 0; i < fraction_digits; i++) {
            text[used++] = (char)('0' + next_random(state) % 10);
        }
    }
    text[used] = '\0';
    if (next_random(state) % 8 == 0) {
        snprintf(text + used, n - used, "%c%s%u", next_random(state) % 2 ? 'e' : 'E',
                 next_random(state) % 2 ? "-" : next_random(state) % 2 ? "+" : "",
                 (unsigned)(next_random(state) % 24));
    }
}

Test(time, reads_as_perfetto_does)
{
    uint64_t state = 88172645463325252u;
    char text[128];

    for (int i = 0; i < 2000000; i++) {
        int64_t got = 0;
        int64_t want = 0;
        bool readable;

        random_number(&state, text, sizeof text);
        readable = lf_time_read(text, strlen(text), &got);
        cr_assert_eq(readable, plain_read(text, &want), "%s", text);
        cr_assert(!readable || got == want, "%s: %lld, expected %lld", text, (long long)got,
                  (long long)want);
    }
}

/* Three decimals, whole parts around each power of two and of ten: where what is written is taken as
 * it is, where a double is, and where nothing is. */
Test(time, reads_the_common_form_as_perfetto_does)
{
    uint64_t state = 7;

    for (unsigned power = 0; power < 63; power++) {
        for (int i = 0; i < 4000; i++) {
            uint64_t near = (uint64_t)1 << power;
            char text[48];
            int64_t got = 0, want = 0, exact = 0;
            bool readable;

            if (i % 2 == 0) {
                for (near = 1; near < (uint64_t)1 << power && near < UINT64_C(1000000000000000000);
                     near *= 10) {
                }
            }
            near = i % 4 < 2 ? near + next_random(&state) % 64 : near - 1 - near / 1000 * (i % 7 == 0);
            snprintf(text, sizeof text, "%llu.%03u", (unsigned long long)near,
                     (unsigned)(next_random(&state) % 1000));
            readable = lf_time_read(text, strlen(text), &got);
            cr_assert_eq(readable, plain_read(text, &want), "%s", text);
            cr_assert(!readable || got == want, "%s: %lld, expected %lld", text, (long long)got,
                      (long long)want);
            cr_assert_eq(lf_time_read_exact(text, strlen(text), &got, &exact), readable, "%s", text);
            cr_assert(!readable || got == want, "%s", text);
            if (readable) {
                *strchr(text, '.') = '\0';
                cr_assert_eq(exact / 1000, strtoll(text, NULL, 10));
                cr_assert_eq(exact % 1000, atoi(text + strlen(text) + 1));
            }
        }
    }
}

Test(time, known_values)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {{"0", 0},
                 {"-0", 0},
                 {"1", 1000},
                 {"120.5", 120500},
                 {" 120.500\t", 120500},
                 {"-1.25", -1250},
                 {"1e3", 1000000},
                 {"1.5E-2", 15},
                 {"0.0005", 1},
                 {"0.00049", 0},
                 {"4941862405262.123", 4941862405262123},
                 {"1700000000000000.123", 1700000000000000000 + 0},
                 {"9223372036854775", 9223372036854775000}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = 0;

        cr_assert(lf_time_read(cases[i].text, strlen(cases[i].text), &ns), "%s", cases[i].text);
        if (strcmp(cases[i].text, "1700000000000000.123") == 0) {
            /* doubles near 1.7e15 are 0.25 apart, their product with 1000 256 */
            cr_assert_eq(ns % 256, 0);
            cr_assert(llabs(ns - 1700000000000000123) <= 256);
        } else {
            cr_assert_eq(ns, cases[i].ns, "%s: %lld", cases[i].text, (long long)ns);
        }
    }
}

Test(time, refuses_what_is_no_time)
{
    static const char *const texts[] = {"",     "-",    ".5",   "1.",  "1e",   "1e+",  "null",
                                        "true", "nan",  "inf",  "0x1", "1 2",  "+1",   "1.2.3",
                                        "1e5x", "9223372036854776", "1e16", "99999999999999999999"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t ns;

        cr_assert_not(lf_time_read(texts[i], strlen(texts[i]), &ns), "%s", texts[i]);
    }
}

Test(time, what_is_written_reads_back)
{
    uint64_t state = 0x9e3779b97f4a7c15u;

    for (int i = 0; i < 1000000; i++) {
        int64_t ns = (int64_t)(next_random(&state) >> (next_random(&state) % 63)) / 2;
        bool up = next_random(&state) % 2;
        char text[LF_TIME_TEXT_MAX];
        size_t n = 0;
        int64_t said, read = 0;

        ns = next_random(&state) % 4 == 0 ? -ns : ns;
        if (ns > INT64_C(9190000000000000000) || ns < -INT64_C(9190000000000000000)) {
            continue;
        }
        said = lf_time_write(ns, up, text, &n);
        cr_assert(lf_time_read(text, n, &read), "%s", text);
        cr_assert_eq(read, said, "%s", text);
        cr_assert_eq(said, lf_time_writable(ns, up), "%lld", (long long)ns);
        cr_assert(up ? said >= ns : said <= ns, "%lld -> %s", (long long)ns, text);
        cr_assert(llabs(ns) >= ((int64_t)1000 << 40) || said == ns, "%lld -> %s", (long long)ns,
                  text);
        cr_assert(llabs(said - ns) <= 2048, "%lld -> %s", (long long)ns, text);
        cr_assert(strchr(text, '.') == NULL || text[n - 1] != '0', "%s", text);
        /* what reads is writable as it is */
        cr_assert_eq(lf_time_writable(said, true), said, "%s", text);
        cr_assert_eq(lf_time_writable(said, false), said, "%s", text);
    }
}

Test(time, ids)
{
    static const struct {
        const char *text;
        bool number;
        uint32_t id;
    } cases[] = {{"0", true, 0},          {"7", true, 7},           {"7.9", true, 7},
                 {"4294967295", true, UINT32_MAX}, {"4294967296", false, 0}, {"-1", false, 0},
                 {"-0", true, 0},         {"1e3", true, 1000},      {"null", false, 0},
                 {"139872341234", false, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t id = 99;

        cr_assert_eq(lf_id_read(cases[i].text, strlen(cases[i].text), &id), cases[i].number, "%s",
                     cases[i].text);
        cr_assert_eq(id, cases[i].id, "%s", cases[i].text);
    }
}
