/* Many files in one run. */
#ifndef LF_CLI_BATCH_H
#define LF_CLI_BATCH_H

#include "cli/options.h"

/* Does what o says, tells each file's outcome and a summary; the exit status, which is the worst of
 * all. */
int cli_batch_run(struct cli_options *o);

#endif
