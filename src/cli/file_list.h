/* The files of a batch: named, found in folders, read from a list; where each one's result goes;
 * which of them are this shard's. */
#ifndef LF_CLI_FILE_LIST_H
#define LF_CLI_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"

struct cli_file {
    char *input;
    char *output;  /* NULL: a check */
    char *stamp;   /* where it is noted that output is done; NULL: nowhere */
    uint64_t size; /* bytes; 0 also where it cannot be told */
};

struct cli_files {
    struct cli_file *list; /* largest first, then by name */
    size_t n, cap;
    size_t n_others; /* of other shards */
};

/* Collects what o names. false: *message says why not, in one line. Release with cli_files_fini. */
bool cli_files_collect(struct cli_files *files, const struct cli_options *o, char *message,
                       size_t n_message);
void cli_files_fini(struct cli_files *files);

/* path with suffix before its extension: "dir/trace.json.gz" and ".fixed" give
 * "dir/trace.fixed.json.gz". The caller frees it; NULL: no memory. */
char *cli_suffixed(const char *path, const char *suffix);

#endif
