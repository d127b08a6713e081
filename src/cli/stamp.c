/* One line of text, written beside its name and renamed, behind the output's own renaming: a run
 * that dies in between does the file again. */
#include "cli/stamp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What decides the bytes that come out. false: the files are not there. */
static bool describe(const struct cli_file *file, const struct cli_options *o, char *text, size_t n)
{
    struct stat in, out;
    int len;

    if (stat(file->input, &in) != 0 || stat(file->output, &out) != 0) {
        return false;
    }
    len = snprintf(
        text, n,
        "lanefix %s threshold=%lld lanes=%u unfold=%d annotate=%d indent=%d rebase=%d form=%d "
        "level=%d in=%lld,%lld.%09ld out=%lld,%lld.%09ld\n",
        lanefix_version(), (long long)o->run.snap_threshold_ns, o->run.max_lanes, o->run.unfold,
        o->run.annotate, o->run.indent, (int)o->run.rebase, (int)o->form, o->level,
        (long long)in.st_size, (long long)in.st_mtim.tv_sec, in.st_mtim.tv_nsec,
        (long long)out.st_size, (long long)out.st_mtim.tv_sec, out.st_mtim.tv_nsec);
    return len > 0 && (size_t)len < n;
}

bool cli_stamp_fits(const struct cli_file *file, const struct cli_options *o)
{
    char want[512], have[512];
    FILE *stamp = file->stamp != NULL ? fopen(file->stamp, "re") : NULL;
    bool fits = stamp != NULL && fgets(have, sizeof have, stamp) != NULL &&
                describe(file, o, want, sizeof want) && strcmp(have, want) == 0;

    if (stamp != NULL) {
        fclose(stamp);
    }
    return fits;
}

void cli_stamp_write(const struct cli_file *file, const struct cli_options *o)
{
    char text[512];
    char *temp = NULL;
    FILE *stamp;

    if (file->stamp == NULL || !describe(file, o, text, sizeof text) ||
        asprintf(&temp, "%s.%ld", file->stamp, (long)getpid()) < 0) {
        return;
    }
    stamp = fopen(temp, "we");
    if (stamp != NULL) {
        bool good = fputs(text, stamp) >= 0;

        good = fclose(stamp) == 0 && good;
        if (!good || rename(temp, file->stamp) != 0) {
            unlink(temp);
        }
    }
    free(temp);
}
