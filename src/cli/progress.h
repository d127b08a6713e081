/* Progress on stderr, and the signals that end a run early. */
#ifndef LF_CLI_PROGRESS_H
#define LF_CLI_PROGRESS_H

#include "cli/options.h"

/* Sets o->run.progress and catches INT and TERM until cli_progress_end. */
void cli_progress_begin(struct cli_options *o);

/* Clears the line; the signal that was caught, 0 where none was. */
int cli_progress_end(void);

#endif
