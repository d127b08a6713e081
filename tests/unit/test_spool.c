/* The spool's file. What is read from it in order is for test_source.c. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "io/spool.h"

static struct lanefix_error err;

/* What is not read again gives back its room, where files can have holes; the rest stays as it was.
 */
Test(spool, gives_back_what_is_not_read_again)
{
    static uint8_t piece[1 << 20], got[1 << 20];
    const size_t n_pieces = 40;
    struct lf_spool spool;
    struct stat before, after;
    size_t n;

    lf_spool_init(&spool, NULL, 0);
    for (size_t i = 0; i < n_pieces; i++) {
        memset(piece, (int)i + 1, sizeof piece);
        cr_assert_eq(lf_spool_append(&spool, piece, sizeof piece, &err), LANEFIX_OK);
    }
    cr_assert_eq(fstat(spool.fd, &before), 0);
    lf_spool_release(&spool, sizeof piece * 21 + 5);
    lf_spool_release(&spool, sizeof piece * 3); /* no less than before */
    cr_assert_eq(fstat(spool.fd, &after), 0);
    cr_expect_eq(after.st_size, before.st_size);
    cr_expect_leq(after.st_blocks, before.st_blocks);
    if (fallocate(spool.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1) == 0) {
        cr_expect_leq(after.st_blocks, before.st_blocks * 3 / 4);
    }
    for (size_t i = 21; i < n_pieces; i++) {
        memset(piece, (int)i + 1, sizeof piece);
        cr_assert_eq(
            lf_spool_read(&spool, i * sizeof piece + (i == 21 ? 5 : 0), got, sizeof got, &n, &err),
            LANEFIX_OK);
        cr_expect(n == sizeof got && (i == 21 || memcmp(got, piece, n) == 0), "piece %zu", i);
    }
    lf_spool_fini(&spool);
}
