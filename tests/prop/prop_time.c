/* Visible time over random texts of every form and magnitude: what is written reads back as meant.
 *
 *   prop_time        "N passed, N failed"
 *   prop_time -      reads texts, one a line, prints "<visible ns> <exact ns>" or "none" for each: so that
 *                    another implementation can be held against this one */
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

static void print_readings(void)
{
    char line[1024];

    while (fgets(line, sizeof line, stdin) != NULL) {
        int64_t visible, exact;

        line[strcspn(line, "\n")] = '\0';
        if (lf_time_read_exact(line, strlen(line), &visible, &exact)) {
            printf("%lld %lld\n", (long long)visible, (long long)exact);
        } else {
            puts("none");
        }
    }
}

/* From every ts that can be written, one step up and down, and random ns between. */
static int check_writing(uint64_t *state)
{
    int64_t magnitude = (int64_t)(next_random(state) >> (2 + next_random(state) % 60));
    int64_t ns = magnitude > INT64_C(9190000000000000000) ? magnitude / 2 : magnitude;
    char text[LF_TIME_TEXT_MAX];
    size_t n;
    int64_t up, down, again;

    ns = next_random(state) % 8 == 0 ? -ns : ns;
    up = lf_time_write(ns, true, text, &n);
    if (!lf_time_read(text, n, &again) || again != up || up < ns) {
        return 1;
    }
    down = lf_time_write(ns, false, text, &n);
    if (!lf_time_read(text, n, &again) || again != down || down > ns) {
        return 1;
    }
    /* nothing writable between, and what is writable is written as it is */
    return (up != ns && lf_time_writable(ns + (up - ns) / 2, true) != up) ||
           lf_time_writable(up, false) != up || lf_time_writable(down, true) != down;
}

int main(int argc, char **argv)
{
    uint64_t state = 0x2545f4914f6cdd1du;
    int passed = 0;
    int failed = 0;

    if (argc > 1 && strcmp(argv[1], "-") == 0) {
        print_readings();
        return 0;
    }
    for (int i = 0; i < 1000000; i++) {
        int wrong = check_writing(&state);

        failed += wrong;
        passed += !wrong;
    }
    printf("%d passed, %d failed\n", failed == 0, failed != 0);
    return passed == 0 || failed != 0;
}
