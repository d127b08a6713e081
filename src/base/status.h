/* Status and the located error record: how every fallible function reports. Owns no storage. */
#ifndef LF_BASE_STATUS_H
#define LF_BASE_STATUS_H

#include <stdarg.h>
#include <stdint.h>

#include "lanefix.h"

/* For functions that have nothing to release. */
#define LF_TRY(call)                                                                               \
    do {                                                                                           \
        enum lanefix_status lf_try_status_ = (call);                                               \
        if (lf_try_status_ != LANEFIX_OK) {                                                        \
            return lf_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

#define LF_MUST_USE LANEFIX_MUST_USE

/* Makes err an empty record. err may not be NULL in any internal function. */
void lf_error_init(struct lanefix_error *err);

/* Fills err and returns status. offset: byte in the decompressed trace or LANEFIX_NO_OFFSET.
 * The message is made safe for terminals: control bytes and bad UTF-8 are shown as \xNN. */
enum lanefix_status lf_fail(struct lanefix_error *err, enum lanefix_status status, uint64_t offset,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* As lf_fail with LANEFIX_ERR_IO and the errno value sys_errno, whose text is appended. */
enum lanefix_status lf_fail_errno(struct lanefix_error *err, int sys_errno, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An allocation of nbytes failed. */
enum lanefix_status lf_fail_memory(struct lanefix_error *err, size_t nbytes);

/* Copies src to dst (capacity n, always terminated) so that it is safe to print: control bytes and
 * bytes that are not UTF-8 become \xNN; what does not fit ends in "...". Returns dst. */
char *lf_printable(char *dst, size_t n, const char *src, size_t n_src);

#endif
