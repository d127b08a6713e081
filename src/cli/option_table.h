/* The table of options: reading (options.c), help and, through the help, completions and the tests
 * of the manual all walk it. */
#ifndef LF_CLI_OPTION_TABLE_H
#define LF_CLI_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum cli_option_kind {
    FLAG,
    NEGATED,
    TEXT,
    MICROSECONDS,
    COUNT,
    SIZE,
    FORMAT,
    COMPRESSION,
    REBASE,
    PROGRESS_ON,
    PROGRESS_OFF
};

struct cli_option {
    char letter; /* 0: long only */
    const char *name;
    enum cli_option_kind kind;
    size_t field; /* offset in struct cli_options */
    const char *argument;
    const char *help;
    uint64_t max; /* COUNT */
};

extern const struct cli_option cli_option_table[];
extern const size_t cli_n_options;

#endif
