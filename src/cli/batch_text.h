/* What a batch says: a line a file, progress over all, a table of checks, the summary. */
#ifndef LF_CLI_BATCH_TEXT_H
#define LF_CLI_BATCH_TEXT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/file_list.h"
#include "cli/options.h"
#include "lanefix.h"

enum cli_outcome_kind { CLI_PENDING, CLI_FIXED, CLI_CLEAN, CLI_CHECKED, CLI_SKIPPED, CLI_FAILED };

extern const char *const cli_outcome_names[];

/* Of one file; its process writes it, the batch reads it when that has ended (done_bytes at any
 * time). */
struct cli_slot {
    enum cli_outcome_kind outcome;
    enum lanefix_status status;
    bool unreported;              /* its line could not be written to the report */
    volatile uint64_t done_bytes; /* of the file's size, both passes together */
    struct lanefix_counters counters;
    struct lanefix_error error;
};

struct cli_batch_view {
    const struct cli_options *o;
    const struct cli_files *files;
    struct cli_slot *slots;
    sigset_t signals, before; /* what is waited for; the mask that stood before */
    uint64_t total_bytes;
    double begun, drawn;
    bool show, on_screen;
};

/* Blocks the signals that are waited for. */
void cli_batch_begin(struct cli_batch_view *v, const struct cli_options *o,
                     const struct cli_files *files, struct cli_slot *slots);

/* In a child: as it was before. */
void cli_batch_unblock(void);

/* File i is done, one way or the other. */
void cli_batch_tell(struct cli_batch_view *v, size_t i);

/* Shows how far all is, now and then. */
void cli_batch_progress(struct cli_batch_view *v);

/* Clears the line, prints table and summary, unblocks; the worst exit status of all. */
int cli_batch_end(struct cli_batch_view *v, bool interrupted);

/* A failure that no call of the library told. */
struct lanefix_error cli_batch_error(const char *input, const char *what, int sys_errno);

#endif
