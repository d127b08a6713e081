/* lanefix: rewrite a Chrome-trace JSON file so that Perfetto shows every slice.
 *
 * The only public header. It compiles alone as C99 and C++.
 *
 * Threads: calls on different objects may run at the same time. One report or one error record
 * must not be used by two threads at once. The library never prints, exits or touches signals.
 *
 * Memory of a run is bounded by
 *     31 bytes a slice and 21 a flow endpoint (7 and 5 on real traces) + 400 bytes a track
 *     + 24 bytes a slice of the tracks being solved, one a thread (of a track of over 131,000 slices
 *       only of those that the file has far from their place in time), 12 more where it is not in
 *       order, 70 more a slice within the reach of a crossing, 200 more a slice that crosses another
 *     + 80 bytes a changed slice or endpoint + 72 bytes a change that the report keeps
 *     + threads * 5 MiB of buffers (where events have fewer than 100 bytes: 190 bytes for each event
 *       in threads + 1 MiB of trace) + (3 * threads + 6) times the largest single event
 *     + the codecs' own,
 * and does not otherwise grow with the trace.
 */
#ifndef LANEFIX_H
#define LANEFIX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LANEFIX_VERSION_MAJOR 0
#define LANEFIX_VERSION_MINOR 1
#define LANEFIX_VERSION_PATCH 0
#define LANEFIX_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define LANEFIX_MUST_USE __attribute__((warn_unused_result))
#define LANEFIX_API __attribute__((visibility("default")))
#else
#define LANEFIX_MUST_USE
#define LANEFIX_API
#endif

/* Values are pinned: they never change their meaning. */
enum lanefix_status {
    LANEFIX_OK = 0,
    LANEFIX_ERR_ARGUMENT = 1, /* an option is out of range, or input and output are one file */
    LANEFIX_ERR_INPUT = 2,    /* the input cannot be read as a trace */
    LANEFIX_ERR_IO = 3,       /* the system refused to open, read, write, sync or rename */
    LANEFIX_ERR_MEMORY = 4,   /* an allocation failed, or options.max_memory was reached */
    LANEFIX_ERR_LIMIT = 5,    /* a limit of lanefix or one set in the options was reached */
    LANEFIX_ERR_CANCELLED = 6 /* the progress callback asked to stop */
};

#define LANEFIX_NO_OFFSET UINT64_MAX

/* One located error. Plain data: nothing to release. */
struct lanefix_error {
    enum lanefix_status status;
    int sys_errno;          /* errno of the failed call, 0 where none */
    uint64_t offset;        /* byte in the (decompressed) trace, LANEFIX_NO_OFFSET where unknown */
    uint64_t packed_offset; /* byte in the compressed file, LANEFIX_NO_OFFSET where it is plain */
    char message[480];      /* one line, no terminal escapes: file, offset, found, expected */
};

/* The form of a byte stream. */
enum lanefix_form {
    LANEFIX_FORM_AUTO = 0, /* input: by magic bytes. output: by name; a descriptor: plain */
    LANEFIX_FORM_PLAIN = 1,
    LANEFIX_FORM_GZIP = 2,
    LANEFIX_FORM_ZSTD = 3
};

/* Where a trace is read. Plain and compressed input is told by its first bytes, never by its name.
 * What cannot seek (a pipe) is spooled, because a trace is read twice. */
struct lanefix_input {
    const char *path; /* a file to open; NULL: read is called, or fd read, which stays open */
    int fd;
    const char *name; /* for messages; NULL: path, or "input" */
    int64_t (*read)(void *arg, void *buf, size_t nbytes); /* NULL, or: stores up to nbytes bytes at
                         buf and returns how many, 0 at the end, -errno on failure. Called by one
                         thread at a time. Read once from begin to end, and spooled */
    void *read_arg;
};

/* Where the result goes. A file appears under its name whole or not at all. */
struct lanefix_output {
    const char *path; /* a file to make or replace; NULL: write is called, or fd written, which stays
                         open */
    int fd;
    const char *name;       /* for messages; NULL: path, or "output" */
    enum lanefix_form form; /* AUTO: by path's extension (.gz, .zst), else plain */
    int level;              /* of the codec: zstd 1 to 19, gzip 1 to 9; LANEFIX_LEVEL_DEFAULT */
    int (*write)(void *arg, const void *buf, size_t nbytes); /* NULL, or: takes all nbytes bytes and
                               returns 0, or an errno. Called by one thread at a time */
    void *write_arg;
};

#define LANEFIX_LEVEL_DEFAULT (-1000)

/* How far a run is. */
struct lanefix_progress {
    int pass;               /* 1 or 2 */
    uint64_t input_bytes;   /* read in this pass, of the file as it is (compressed) */
    uint64_t input_size;    /* 0 where unknown */
    uint64_t trace_bytes;   /* decompressed, in this pass */
};

/* Whether a number of whole seconds is taken off every ts, so that nanoseconds survive Perfetto's
 * doubles (absolute timestamps lose them). baseTimeNanoseconds keeps the wall-clock time. */
enum lanefix_rebase {
    LANEFIX_REBASE_NEVER = 0,
    LANEFIX_REBASE_AUTO = 1, /* where Perfetto reads some ts more than 1 ns off what is written */
    LANEFIX_REBASE_ALWAYS = 2
};

/* Set up with lanefix_options_init, then change what should differ. */
struct lanefix_options {
    size_t struct_size;        /* set by lanefix_options_init; do not change */
    int64_t snap_threshold_ns; /* a crossing is snapped where no boundary moves by this or more; ns,
                                  >= 0, 0: nothing is snapped. 5000 */
    uint32_t max_lanes;        /* more lanes on one track are an error; 0: no limit. 64 */
    int unfold;                /* tracks that Perfetto folds into one get ids of their own. 1 */
    enum lanefix_rebase rebase; /* LANEFIX_REBASE_NEVER */
    int annotate;              /* a changed event keeps its original values in its args, under
                                  "lanefix", for lanefix_undo. 1 */
    int indent;                /* -1: white space stays as it is; 0 to 16: every member and element gets
                                  a line of its own, indented by so many spaces a level. -1 */
    uint64_t max_memory;       /* bytes that the process may hold more than when the call began; a run
                                  that would need more fails with LANEFIX_ERR_MEMORY. 0: no limit */
    int in_place;              /* input and output may be one file. 0 */
    unsigned threads;          /* 0: as many as there are CPUs. 0 */
    const char *spool_dir;     /* for the temporary copy of a piped input; NULL: TMPDIR, then /tmp */
    uint64_t spool_memory;     /* a piped input of up to this many bytes stays in memory. 8 MiB */
    int window_log_max;        /* zstd input: largest window, as a power of two, 10 to 31. 27 */
    size_t max_changes;        /* changes of each kind that the report keeps. SIZE_MAX */
    int (*progress)(void *arg, const struct lanefix_progress *progress); /* called now and then by
                                  any one thread at a time; not 0: stop. NULL: not called */
    void *progress_arg;
};

LANEFIX_API void lanefix_options_init(struct lanefix_options *options);

#define LANEFIX_N_CROSSING_SIZES 7

/* Sums over a run. Times in ns. */
struct lanefix_counters {
    uint64_t trace_bytes;     /* decompressed size of the input */
    uint64_t events;          /* in traceEvents */
    uint64_t slices;          /* complete slices ("X") that have a time */
    uint64_t flow_endpoints;
    uint64_t tracks;          /* that have complete slices, as Perfetto shows the result */
    uint64_t refused;         /* slices that Perfetto refuses in the input: crossing, too deep, negative;
                                 lanefix_fix leaves out those that only unfolding cures */
    uint64_t moved;           /* slices moved to lanes */
    uint64_t snapped;         /* slices with a boundary shifted */
    uint64_t negative;        /* negative durations made 0 */
    uint64_t start_shift_ns, end_shift_ns;
    uint64_t lanes;           /* new tracks */
    uint64_t unfolded;        /* tracks (and processes) that got an id of their own */
    uint64_t flows_changed;   /* flow endpoints rewritten */
    int64_t rebased_ns;       /* taken off every ts, 0 where none was */
    uint64_t rounding_only;   /* of the refused: those that rebasing would cure */
    uint64_t bad_times;       /* slices and endpoints left alone: no readable ts or dur */
    uint64_t crossing_pairs;  /* "B" slices cut by the "E" of a slice around them; left alone */
    uint64_t crossing_sizes[LANEFIX_N_CROSSING_SIZES]; /* refused slices that cross, by how far: below
                                 1 us, 1 to 10 us, ..., 10 to 100 ms, 100 ms and more */
    uint64_t kernels, kernel_runs; /* kernel names and slices of cat "kernel" that changed */
    int array_unclosed;       /* the top-level array is never closed (Perfetto loads it) */
    int event_cut;            /* and it ends inside an event, which Perfetto leaves out */
};

/* A track that changed. Ids are texts as in the trace, without quotes; strings belong to the
 * report. */
struct lanefix_track {
    const char *pid, *tid;
    uint64_t lanes; /* new ones, beside the track itself */
    uint64_t moved, snapped, negative;
};

/* A track or process that got an id of its own. */
struct lanefix_unfolded {
    const char *pid, *tid;         /* as written; tid NULL: the process */
    const char *new_pid, *new_tid; /* NULL: unchanged */
};

enum lanefix_change_kind {
    LANEFIX_MOVED = 0,   /* to a lane */
    LANEFIX_SNAPPED = 1, /* a boundary was shifted inwards */
    LANEFIX_NEGATIVE = 2 /* a negative duration became 0 */
};

/* A complete slice that changed. Strings belong to the report. */
struct lanefix_change {
    enum lanefix_change_kind kind;
    uint64_t offset;  /* of the event in the trace */
    const char *name; /* as in the trace: any bytes, escapes as written */
    size_t name_nbytes;
    const char *pid, *tid;
    const char *new_tid; /* LANEFIX_MOVED, else NULL */
    uint32_t lane;       /* LANEFIX_MOVED: 1, 2, ... */
    int64_t start_shift_ns, end_shift_ns; /* >= 0 */
    int64_t crossing_ns; /* how far the slice crossed another, or was crossed, in the input: the least
                            shift that would cure it; 0: it did not. Of a snapped one its shift */
};

/* All changed slices of cat "kernel" that have one name. */
struct lanefix_kernel {
    const char *name;
    size_t name_nbytes;
    uint64_t runs, moved, snapped;
    uint64_t start_shift_ns, end_shift_ns;
};

/* What a run found and did. Immutable; release with lanefix_report_destroy (NULL is fine). */
struct lanefix_report;
LANEFIX_API void lanefix_report_destroy(struct lanefix_report *report);
LANEFIX_API const struct lanefix_counters *
lanefix_report_counters(const struct lanefix_report *report);

/* The i-th of each list, 0 where there are no more. Tracks by pid and tid; changes of a kind in file
 * order (at most options.max_changes); kernels by total shift, largest first. */
LANEFIX_API int lanefix_report_track(const struct lanefix_report *report, size_t i,
                                     struct lanefix_track *out);
LANEFIX_API int lanefix_report_unfolded(const struct lanefix_report *report, size_t i,
                                        struct lanefix_unfolded *out);
LANEFIX_API int lanefix_report_change(const struct lanefix_report *report,
                                      enum lanefix_change_kind kind, size_t i,
                                      struct lanefix_change *out);
LANEFIX_API int lanefix_report_kernel(const struct lanefix_report *report, size_t i,
                                      struct lanefix_kernel *out);

/* Rewrites the trace of in to out. *report (NULL: not wanted) is set on success only. On failure *err
 * (never NULL) says what and where, nothing stands at out that did not stand there before, and the
 * input is untouched (with a descriptor as output, what was written is written). */
LANEFIX_API enum lanefix_status lanefix_fix(const struct lanefix_input *in,
                                            const struct lanefix_output *out,
                                            const struct lanefix_options *options,
                                            struct lanefix_report **report,
                                            struct lanefix_error *err) LANEFIX_MUST_USE;

/* As lanefix_fix for two files, with output form by name. options may be NULL. */
LANEFIX_API enum lanefix_status lanefix_fix_file(const char *in_path, const char *out_path,
                                                 const struct lanefix_options *options,
                                                 struct lanefix_report **report,
                                                 struct lanefix_error *err) LANEFIX_MUST_USE;

/* As lanefix_fix, but writes nothing: the report says what would be done, counters->refused what
 * Perfetto refuses. */
LANEFIX_API enum lanefix_status lanefix_check(const struct lanefix_input *in,
                                              const struct lanefix_options *options,
                                              struct lanefix_report **report,
                                              struct lanefix_error *err) LANEFIX_MUST_USE;

/* Writes the trace as it was before lanefix_fix, byte for byte: takes the originals out of the notes
 * and the added events away. *restored (NULL: not wanted) is the number of events given back.
 * LANEFIX_ERR_INPUT where the trace has no notes of lanefix or was edited since. */
LANEFIX_API enum lanefix_status lanefix_undo(const struct lanefix_input *in,
                                             const struct lanefix_output *out,
                                             const struct lanefix_options *options,
                                             uint64_t *restored,
                                             struct lanefix_error *err) LANEFIX_MUST_USE;

/* The library's version, "MAJOR.MINOR.PATCH"; static storage. */
LANEFIX_API const char *lanefix_version(void);

#ifdef __cplusplus
}
#endif

#endif
