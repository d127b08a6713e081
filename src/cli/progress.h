/* Progress on stderr, and the signals that end a run early. */
#ifndef LF_CLI_PROGRESS_H
#define LF_CLI_PROGRESS_H

#include "cli/options.h"

/* Sets o->run.progress and catches INT and TERM until cli_progress_end. */
void cli_progress_begin(struct cli_options *o);

/* The same in a process of a batch: nothing is shown, *done_bytes says how far the file of size
 * bytes is. */
void cli_progress_begin_child(struct cli_options *o, volatile uint64_t *done_bytes, uint64_t size);

/* Clears the line; the signal that was caught, 0 where none was. */
int cli_progress_end(void);

#endif
