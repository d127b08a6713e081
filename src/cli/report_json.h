/* The report as one line of JSON, for programs. The schema stands in the manual (REPORT FORMAT). */
#ifndef LF_CLI_REPORT_JSON_H
#define LF_CLI_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "lanefix.h"

/* What became of one file. */
struct cli_outcome {
    const char *input, *output; /* output: NULL for a check */
    const char *status; /* "fixed", "clean", "skipped", "failed" or, of a check, "checked" */
    const struct lanefix_error *error;   /* NULL: none */
    const struct lanefix_report *report; /* NULL: there is none */
};

#define CLI_TOP_CROSSINGS 20

/* Whether the run changed something. */
bool cli_changed(const struct lanefix_counters *c);

/* Writes the object and a newline. Names are valid JSON whatever the trace's bytes are: what is no
 * UTF-8 becomes U+FFFD, a backslash that begins no escape stands for itself. */
void cli_report_json(FILE *to, const struct cli_outcome *outcome);

#endif
