/* The command line: one table of options, which also prints the help. */
#ifndef LF_CLI_OPTIONS_H
#define LF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "lanefix.h"

struct cli_options {
    struct lanefix_options run;
    char **names; /* as given, in argv */
    size_t n_names;
    bool batch;                 /* names are inputs; else: */
    const char *input, *output; /* output: NULL where it is to be made from input */
    const char *report;
    bool json; /* the form of the report */
    /* batches: */
    const char *output_dir, *suffix, *files_from, *shard; /* NULL: not given */
    unsigned jobs;                                        /* 0: as many as there are CPUs */
    bool recursive, resume, fail_fast;
    enum lanefix_form form; /* of stdout, or against the output's name */
    int level;
    double threshold_us;
    int progress; /* 1, 0, or -1: where stderr is a terminal */
    bool check, undo, in_place, quiet, verbose, help, version;
};

/* Reads argv. false: *message says what is wrong, in one line. */
bool cli_options_read(struct cli_options *o, int argc, char **argv, char *message,
                      size_t n_message);

void cli_options_help(FILE *to);

#endif
