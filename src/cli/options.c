/* Reading the command line by the table of options, and checking what is asked for together. */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_table.h"

struct reader {
    struct cli_options *options;
    char *message;
    size_t n_message;
};

static bool refuse(struct reader *r, const char *option, const char *value, const char *expected)
{
    snprintf(r->message, r->n_message, "%.40s: \"%.60s\": expected %s", option, value, expected);
    return false;
}

static bool read_count(struct reader *r, const struct cli_option *o, const char *value)
{
    char expected[64];
    char *end = NULL;
    unsigned long long n;

    errno = 0;
    n = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n > o->max) {
        snprintf(expected, sizeof expected, "a whole number from 0 to %llu",
                 (unsigned long long)o->max);
        return refuse(r, o->name, value, expected);
    }
    /* all counts are of type unsigned or int, which share their size */
    *(unsigned *)((char *)r->options + o->field) = (unsigned)n;
    return true;
}

/* "500M", "2G", "1.5G"; powers of 1024. */
static bool read_size(struct reader *r, const struct cli_option *o, const char *value)
{
    static const char units[] = "kmgt";
    char *end = NULL;
    double size = strtod(value, &end);
    bool decimal = value[0] >= '0' && value[0] <= '9' && strpbrk(value, "xXpPnN") == NULL;
    const char *unit = *end != '\0' ? strchr(units, *end | 0x20) : NULL;

    if (unit != NULL) {
        size *= (double)(UINT64_C(1) << (10 * (unit - units + 1)));
        end++;
        end += *end == 'B' || *end == 'b';
    }
    if (!decimal || *end != '\0' || !(size < 1e18)) {
        return refuse(r, o->name, value, "bytes, or a number and K, M, G or T");
    }
    *(uint64_t *)((char *)r->options + o->field) = (uint64_t)size;
    return true;
}

static bool read_microseconds(struct reader *r, const struct cli_option *o, const char *value)
{
    char *end = NULL;
    double us = strtod(value, &end);
    bool decimal = (value[0] >= '0' && value[0] <= '9') || value[0] == '.';

    if (!decimal || strpbrk(value, "xXpP") != NULL || *end != '\0' || !isfinite(us) || us < 0 ||
        us > 1e12) {
        return refuse(r, o->name, value, "microseconds, 0 or more");
    }
    r->options->threshold_us = us;
    r->options->run.snap_threshold_ns = llround(us * 1000.0);
    return true;
}

static bool read_compression(struct reader *r, const struct cli_option *o, const char *value)
{
    static const struct {
        const char *name;
        enum lanefix_form form;
        int max;
    } forms[] = {{"none", LANEFIX_FORM_PLAIN, 0},
                 {"gzip", LANEFIX_FORM_GZIP, 9},
                 {"zstd", LANEFIX_FORM_ZSTD, 19}};
    const char *colon = strchr(value, ':');
    size_t n = colon != NULL ? (size_t)(colon - value) : strlen(value);

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strlen(forms[i].name) == n && strncmp(value, forms[i].name, n) == 0) {
            r->options->form = forms[i].form;
            if (colon != NULL) {
                char *end = NULL;
                long level = strtol(colon + 1, &end, 10);

                if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || level < 1 ||
                    level > forms[i].max) {
                    break;
                }
                r->options->level = (int)level;
            }
            return true;
        }
    }
    return refuse(r, o->name, value, "none, gzip[:1-9] or zstd[:1-19]");
}

static bool read_rebase(struct reader *r, const struct cli_option *o, const char *value)
{
    static const char *const modes[] = {"never", "auto", "always"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(value, modes[i]) == 0) {
            r->options->run.rebase = (enum lanefix_rebase)i;
            return true;
        }
    }
    return refuse(r, o->name, value, "auto, always or never");
}

static bool set_option(struct reader *r, const struct cli_option *o, const char *value)
{
    void *field = (char *)r->options + o->field;

    switch (o->kind) {
    case FLAG:
        *(bool *)field = true;
        return true;
    case NEGATED:
        *(int *)field = 0;
        return true;
    case TEXT:
        *(const char **)field = value;
        return true;
    case MICROSECONDS:
        return read_microseconds(r, o, value);
    case COUNT:
        return read_count(r, o, value);
    case SIZE:
        return read_size(r, o, value);
    case FORMAT:
        r->options->json = strcmp(value, "json") == 0;
        return r->options->json || strcmp(value, "text") == 0 ||
               refuse(r, o->name, value, "text or json");
    case COMPRESSION:
        return read_compression(r, o, value);
    case REBASE:
        return read_rebase(r, o, value);
    case PROGRESS_ON:
    case PROGRESS_OFF:
        r->options->progress = o->kind == PROGRESS_ON;
        return true;
    }
    return false;
}

/* "--name", "--name=value" or "--name value"; *used: how many arguments it took. */
static bool read_long(struct reader *r, char **argv, int *used)
{
    const char *name = argv[0] + 2;
    const char *equals = strchr(name, '=');
    size_t n = equals != NULL ? (size_t)(equals - name) : strlen(name);

    *used = 1;
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_option_table[i];

        if (strlen(o->name) != n || strncmp(o->name, name, n) != 0) {
            continue;
        }
        if (o->argument == NULL) {
            return equals == NULL ? set_option(r, o, NULL)
                                  : refuse(r, o->name, equals + 1, "no value");
        }
        if (equals != NULL) {
            return set_option(r, o, equals + 1);
        }
        if (o->kind == REBASE) { /* its value is optional: only behind "=" */
            return set_option(r, o, "auto");
        }
        if (argv[1] == NULL) {
            snprintf(r->message, r->n_message, "--%s: expected %s behind it", o->name, o->argument);
            return false;
        }
        *used = 2;
        return set_option(r, o, argv[1]);
    }
    snprintf(r->message, r->n_message, "unknown option %.60s", argv[0]);
    return false;
}

/* "-s 5", "-s5", "-qv". */
static bool read_short(struct reader *r, char **argv, int *used)
{
    *used = 1;
    for (const char *letter = argv[0] + 1; *letter != '\0'; letter++) {
        const struct cli_option *o = NULL;

        for (size_t i = 0; i < cli_n_options; i++) {
            if (cli_option_table[i].letter == *letter) {
                o = &cli_option_table[i];
            }
        }
        if (o == NULL) {
            snprintf(r->message, r->n_message, "unknown option -%.1s in %.60s", letter, argv[0]);
            return false;
        }
        if (o->argument != NULL) {
            const char *value = letter[1] != '\0' ? letter + 1 : argv[1];

            if (value == NULL) {
                snprintf(r->message, r->n_message, "-%c: expected %s behind it", o->letter,
                         o->argument);
                return false;
            }
            *used = letter[1] != '\0' ? 1 : 2;
            return set_option(r, o, value);
        }
        if (!set_option(r, o, NULL)) {
            return false;
        }
    }
    return true;
}

/* A fault of the options of one file. */
static const char *single_fault(const struct cli_options *o)
{
    if (o->input == NULL) {
        return "expected an INPUT";
    }
    if (o->check && (o->output != NULL || o->in_place)) {
        return "--check writes nothing: expected neither OUTPUT nor -i";
    }
    if (o->undo && o->output == NULL && !o->in_place && strcmp(o->input, "-") != 0) {
        return "--undo: expected an OUTPUT, or -i";
    }
    if (o->in_place && o->output != NULL) {
        return "-i replaces INPUT: expected no OUTPUT";
    }
    if (o->in_place && strcmp(o->input, "-") == 0) {
        return "-i replaces INPUT: expected a file, not -";
    }
    if (o->suffix != NULL || o->jobs != 0 || o->fail_fast || o->resume) {
        return "--suffix, -j, --resume and --fail-fast are a batch's: expected -O DIR, -r or "
               "--files-from";
    }
    return NULL;
}

static const char *batch_fault(const struct cli_options *o)
{
    if (o->n_names == 0 && o->files_from == NULL) {
        return "expected inputs";
    }
    if (o->undo) {
        return "--undo takes one file at a time";
    }
    if (o->check && (o->output_dir != NULL || o->in_place || o->suffix != NULL || o->resume)) {
        return "--check writes nothing: expected none of -O, -i, --suffix, --resume";
    }
    if (o->in_place && (o->output_dir != NULL || o->suffix != NULL)) {
        return "-i replaces the inputs: expected neither -O nor --suffix";
    }
    if (o->resume && o->output_dir == NULL) {
        return "--resume: expected -O DIR, where it is noted what is done";
    }
    if (o->suffix != NULL && strchr(o->suffix, '/') != NULL) {
        return "--suffix: expected no / in it";
    }
    return NULL;
}

static bool check_combination(struct reader *r)
{
    struct cli_options *o = r->options;
    const char *fault;

    o->batch = o->output_dir != NULL || o->recursive || o->files_from != NULL || o->shard != NULL ||
               (o->check && o->n_names > 1);
    if (!o->batch && o->n_names > 2) {
        snprintf(r->message, r->n_message,
                 "too many names: %.60s: expected INPUT [OUTPUT], or -O DIR", o->names[2]);
        return false;
    }
    if (!o->batch) {
        o->input = o->n_names > 0 ? o->names[0] : NULL;
        o->output = o->n_names > 1 ? o->names[1] : NULL;
    }
    fault = o->check && o->undo ? "--check and --undo: expected one of them"
            : o->batch          ? batch_fault(o)
                                : single_fault(o);
    if (fault != NULL) {
        snprintf(r->message, r->n_message, "%s", fault);
    }
    return fault == NULL;
}

bool cli_options_read(struct cli_options *o, int argc, char **argv, char *message, size_t n_message)
{
    struct reader r = {o, message, n_message};
    bool names_only = false;

    memset(o, 0, sizeof *o);
    lanefix_options_init(&o->run);
    o->threshold_us = 5.0;
    o->level = LANEFIX_LEVEL_DEFAULT;
    o->progress = -1;
    o->names = argv;
    for (int i = 1; i < argc;) {
        int used = 1;
        bool good;

        if (!names_only && strcmp(argv[i], "--") == 0) {
            names_only = true;
            good = true;
        } else if (names_only || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[o->n_names++] = argv[i]; /* names are kept where options stood before */
            good = true;
        } else {
            good = argv[i][1] == '-' ? read_long(&r, argv + i, &used)
                                     : read_short(&r, argv + i, &used);
        }
        if (!good) {
            return false;
        }
        i += used;
    }
    return o->help || o->version || check_combination(&r);
}
