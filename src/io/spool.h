/* The spool: what was read from a pipe, kept to be read again. In memory while small, then in a
 * temporary file that has no name. */
#ifndef LF_IO_SPOOL_H
#define LF_IO_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

struct lf_spool {
    const char *dir; /* NULL: TMPDIR, then /tmp */
    char name[128];  /* of the file, for messages */
    uint64_t memory_max;
    uint64_t n; /* bytes kept */
    struct lf_bytes bytes; /* all of them while fd is -1 */
    int fd;
    uint64_t released; /* bytes of the file that were given back */
};

void lf_spool_init(struct lf_spool *s, const char *dir, uint64_t memory_max);
void lf_spool_fini(struct lf_spool *s);

enum lanefix_status lf_spool_append(struct lf_spool *s, const void *buf, size_t n,
                                    struct lanefix_error *err) LF_MUST_USE;

/* Reads up to n bytes from off on; fewer only at the end. */
enum lanefix_status lf_spool_read(struct lf_spool *s, uint64_t off, void *buf, size_t n,
                                  size_t *got, struct lanefix_error *err) LF_MUST_USE;

/* Bytes before off are not read again: a file gives back their room, where the file system can. */
void lf_spool_release(struct lf_spool *s, uint64_t off);

#endif
