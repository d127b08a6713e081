/* One row an option, in the order of the help. */
#include "cli/option_table.h"

#include <stdio.h>

#include "cli/options.h"

#define FIELD(name) offsetof(struct cli_options, name)

const struct cli_option cli_option_table[] = {
    {'s', "snap-threshold-us", MICROSECONDS, FIELD(threshold_us), "US",
     "snap crossings where no boundary moves by US or more; 0: none (5.0)", 0},
    {'i', "in-place", FLAG, FIELD(in_place), NULL,
     "INPUT is replaced; safe: written beside, renamed", 0},
    {0, "check", FLAG, FIELD(check), NULL, "write nothing; exit 1 if Perfetto would refuse a slice",
     0},
    {0, "undo", FLAG, FIELD(undo), NULL,
     "give back the trace that INPUT was before lanefix changed it", 0},
    {0, "no-annotate", NEGATED, FIELD(run.annotate), NULL,
     "leave out the notes of original values, which --undo needs", 0},
    {'O', "output-dir", TEXT, FIELD(output_dir), "DIR",
     "batch: every INPUT to DIR, under its own name", 0},
    {'r', "recursive", FLAG, FIELD(recursive), NULL, "batch: take the traces in folders", 0},
    {0, "files-from", TEXT, FIELD(files_from), "FILE",
     "batch: inputs are listed in FILE, by lines or NUL; -: stdin", 0},
    {0, "suffix", TEXT, FIELD(suffix), "TEXT", "batch: outputs have TEXT before their extension",
     0},
    {'j', "jobs", COUNT, FIELD(jobs), "N",
     "batch: N files at a time, sharing the threads (all CPUs)", 1024},
    {0, "resume", FLAG, FIELD(resume), NULL,
     "batch: pass by what is done already, by the same options", 0},
    {0, "shard", TEXT, FIELD(shard), "I/N|auto",
     "batch: only the I-th of N parts; auto: by Slurm, Kubernetes", 0},
    {0, "fail-fast", FLAG, FIELD(fail_fast), NULL, "batch: begin no more files after a failure", 0},
    {0, "rebase", REBASE, 0, "MODE",
     "whole seconds off every ts: auto, always, never; alone: auto (never)", 0},
    {0, "max-lanes", COUNT, FIELD(run.max_lanes), "N",
     "stop where a track needs more lanes than N; 0: no limit (64)", UINT32_MAX},
    {0, "no-unfold", NEGATED, FIELD(run.unfold), NULL,
     "leave tracks folded that Perfetto folds into one", 0},
    {'z', "compress", COMPRESSION, 0, "FORM[:LEVEL]",
     "output as zstd, gzip or none; default: by OUTPUT's name, none for -", 0},
    {0, "indent", COUNT, FIELD(run.indent), "N",
     "write it anew, N spaces a level, 0 to 16 (white space stays)", 16},
    {'t', "threads", COUNT, FIELD(run.threads), "N", "threads to use (all CPUs)", 1024},
    {0, "max-memory", SIZE, FIELD(run.max_memory), "SIZE",
     "stop where more memory is needed; K, M, G; 0: no limit (0)", 0},
    {0, "long", COUNT, FIELD(run.window_log_max), "N",
     "accept zstd windows of up to 2^N bytes (27)", 31},
    {0, "spool-dir", TEXT, FIELD(run.spool_dir), "DIR",
     "where a piped input is kept meanwhile (TMPDIR, /tmp)", 0},
    {0, "report", TEXT, FIELD(report), "FILE", "write the report to FILE too", 0},
    {0, "report-format", FORMAT, 0, "text|json",
     "form of the report; of a batch a JSON object a line (text)", 0},
    {'q', "quiet", FLAG, FIELD(quiet), NULL, "no report on stderr", 0},
    {'v', "verbose", FLAG, FIELD(verbose), NULL, "whole lists in the report", 0},
    {0, "progress", PROGRESS_ON, 0, NULL, "show progress, also where stderr is no terminal", 0},
    {0, "no-progress", PROGRESS_OFF, 0, NULL, "never show progress", 0},
    {'h', "help", FLAG, FIELD(help), NULL, "show this", 0},
    {0, "version", FLAG, FIELD(version), NULL, "show the version", 0},
};
const size_t cli_n_options = sizeof cli_option_table / sizeof cli_option_table[0];

void cli_options_help(FILE *to)
{
    fprintf(to,
            "usage: lanefix [options] INPUT [OUTPUT]\n"
            "       lanefix [options] -O DIR INPUT...\n"
            "\n"
            "Rewrites a Chrome-trace JSON file (plain, .gz, .zst) so that Perfetto shows every\n"
            "slice. OUTPUT defaults to INPUT with .fixed before its extension; - is standard\n"
            "input or output. The report goes to stderr.\n"
            "\n");
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_option_table[i];
        char left[64];

        snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
                 o->kind == REBASE ? "[="
                 : o->argument     ? " "
                                   : "",
                 o->kind == REBASE ? "MODE]"
                 : o->argument     ? o->argument
                                   : "");
        fprintf(to, "  %-30s %s\n", left, o->help);
    }
    fprintf(to,
            "\n"
            "memory: at most 31 bytes a slice, 21 a flow endpoint and 400 a track; 24 a slice of\n"
            "the tracks being solved (less of long ones, 12 more where out of order), 70 more a\n"
            "slice within the reach of a crossing, 200 more one that crosses; 80 a change; 5 MiB a\n"
            "thread (more where events have fewer than 100 bytes); the largest event, thrice a\n"
            "thread and six times more; the codecs' own. On real traces 7 bytes a slice and 5 an\n"
            "endpoint are kept\n"
            "\n"
            "exit status: 0 done, 1 --check found something, 2 usage, 3 the input cannot be read\n"
            "as a trace, 4 I/O or system\n");
}
