/* Numbers: any text is read or refused without harm, both readings agree on which; what is written
 * for the time that was read reads back as that time or the nearest on the asked side, and undoing
 * a rebase gives back what canonical text there was. */
#include <stdbool.h>
#include <string.h>

#include "rewrite/patch.h"
#include "trace/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

/* The condition holds, also where NDEBUG is set. */
static void must(bool condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

static void check_writing(int64_t ns, bool up)
{
    char text[LF_TIME_TEXT_MAX];
    int64_t again = 0;
    size_t n = 0;
    int64_t written = lf_time_write(ns, up, text, &n);

    must(n < sizeof text && text[n] == '\0');
    must(lf_time_read(text, n, &again) && again == written);
    must(written == lf_time_writable(ns, up) && (up ? written >= ns : written <= ns));
    must(lf_time_writable(written, up) == written);
}

static void check_unrebased(int64_t ns, unsigned decimals)
{
    char text[LF_TIME_TEXT_MAX];
    int64_t visible, exact;
    size_t n = 0;

    lf_unrebased_text(ns, decimals, text, &n);
    must(n < sizeof text && lf_time_read_exact(text, n, &visible, &exact) && exact == ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
    const char *text = (const char *)input;
    int64_t visible = 0;
    int64_t first = 0;
    int64_t exact = 0;
    int64_t whole;
    uint32_t id;
    bool read = lf_time_read(text, n, &first);

    must(read == lf_time_read_exact(text, n, &visible, &exact));
    (void)lf_id_read(text, n, &id);
    (void)lf_integer_read(text, n, &whole);
    if (!read) {
        return 0;
    }
    must(first == visible);
    /* near the edges of int64 no text may read as what is asked for on its side */
    if (visible > INT64_MIN + (INT64_C(1) << 20) && visible < INT64_MAX - (INT64_C(1) << 20)) {
        check_writing(visible, true);
        check_writing(visible, false);
        check_writing(exact / 3, true);
    }
    if (exact >= 0 && exact < INT64_C(9000000000000000000)) {
        check_unrebased(exact, 0);
        check_unrebased(exact, 3);
    }
    return 0;
}
