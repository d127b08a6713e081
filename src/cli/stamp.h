/* The note that a file of a batch is done: what it was made of, with what, and what came out. A
 * later run with --resume passes by what its stamp still fits. */
#ifndef LF_CLI_STAMP_H
#define LF_CLI_STAMP_H

#include <stdbool.h>

#include "cli/file_list.h"
#include "cli/options.h"

/* Whether file->output stands there as a run with the same version and options left it, and
 * file->input is what it was then. */
bool cli_stamp_fits(const struct cli_file *file, const struct cli_options *o);

/* Notes that file->output is done. A stamp that cannot be written only costs doing it again. */
void cli_stamp_write(const struct cli_file *file, const struct cli_options *o);

#endif
