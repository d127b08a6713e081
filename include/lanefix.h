/* lanefix: rewrite a Chrome-trace JSON file so that Perfetto shows every slice.
 *
 * The only public header. It compiles alone as C99 and C++.
 *
 * Threads: calls on different objects may run at the same time. One report or one error record
 * must not be used by two threads at once. The library never prints, exits or touches signals.
 *
 * Memory of a run is bounded by
 *     24 bytes a slice + 16 bytes a flow endpoint + 256 bytes a track
 *     + 40 bytes a slice of the largest track + 32 bytes an edit
 *     + (threads + 2) * 3 MiB of buffers + twice the largest single event,
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
    LANEFIX_ERR_MEMORY = 4,   /* an allocation failed */
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

/* The library's version, "MAJOR.MINOR.PATCH"; static storage. */
LANEFIX_API const char *lanefix_version(void);

#ifdef __cplusplus
}
#endif

#endif
