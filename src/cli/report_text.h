/* The report as text. */
#ifndef LF_CLI_REPORT_TEXT_H
#define LF_CLI_REPORT_TEXT_H

#include <stdio.h>

#include "cli/options.h"
#include "lanefix.h"

/* Writes the report of a run to to; output: the name that was written, NULL for a check. Lists are
 * cut at LIST_LINES lines unless o->verbose. Names are shown safely. */
void cli_report_write(FILE *to, const struct lanefix_report *report, const struct cli_options *o,
                      const char *output);

#define LIST_LINES 20

#endif
