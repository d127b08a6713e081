/* The file that a sink makes: a temporary one beside its name, which takes the name when it is whole.
 * Leftovers of runs that died are known by their name and removed. */
#ifndef LF_IO_TARGET_H
#define LF_IO_TARGET_H

#include <stdbool.h>

#include "base/status.h"

struct lf_target {
    char *final; /* links followed */
    char *temp;
    int fd;
    bool stream; /* a device or FIFO: written directly, there is no temporary file */
};

/* name: for messages. Release with lf_target_abandon or lf_target_commit. */
enum lanefix_status lf_target_open(struct lf_target *t, const char *path, const char *name,
                                   struct lanefix_error *err) LF_MUST_USE;

/* Syncs, closes, renames. */
enum lanefix_status lf_target_commit(struct lf_target *t, const char *name,
                                     struct lanefix_error *err) LF_MUST_USE;

/* Closes and removes what is not committed; does nothing after a commit. */
void lf_target_abandon(struct lf_target *t);

#endif
