/* Which files of a batch are this run's, where several runs share it. All runs must see the same
 * files; then each file is one run's. */
#ifndef LF_CLI_SHARD_H
#define LF_CLI_SHARD_H

#include <stdbool.h>
#include <stddef.h>

struct cli_files;

struct cli_shard {
    unsigned long index, n; /* index counts from 0 */
};

/* text: "I/N" with I from 1 to N, "auto" (from the scheduler's environment: a Slurm array task, a
 * Kubernetes indexed job), or NULL: everything. false: *message says what was expected. */
bool cli_shard_read(struct cli_shard *shard, const char *text, char *message, size_t n_message);

/* Leaves in files (largest first) only what is the shard's. false: no memory. */
bool cli_shard_take(const struct cli_shard *shard, struct cli_files *files);

#endif
