/* The splitter: where each event of the top-level traceEvents array (or of a top-level array)
 * starts and ends, and where its nested values are. Exact and serial; it sees every byte of the
 * trace once.
 *
 * It owns the reading of everything outside the events: the top-level object, the keys beside
 * traceEvents, the white space and commas between events. It does not look into an event beyond
 * strings and brackets: that is the tokenizer's.
 *
 * What it takes and refuses is what Perfetto's importer takes and refuses (one comma too many or
 * missing between events, an array form that is never closed; see split.c). JSON to the letter is
 * asked for outside the events only.
 */
#ifndef LF_JSON_SPLIT_H
#define LF_JSON_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Bytes [start, end) of the window given to lf_splitter_feed. */
struct lf_span {
    uint32_t start, end;
};

static inline bool lf_is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Whether c may stand between two events: Perfetto minds neither missing commas nor more of them. */
static inline bool lf_is_gap(uint8_t c)
{
    return lf_is_space(c) || c == ',';
}

/* One event: [start, end) is "{" to behind "}". Its nested objects and arrays (direct members only,
 * brackets included, in order) are nested[first_nested .. first_nested + n_nested). */
struct lf_split_event {
    uint32_t start, end;
    uint32_t first_nested, n_nested;
};

/* What one feed found. Arrays grow as needed and are reused by the next feed; release with
 * lf_split_batch_fini. Zero-initialise. */
struct lf_split_batch {
    struct lf_split_event *events;
    size_t n_events, cap_events;
    struct lf_span *nested;
    size_t n_nested, cap_nested;
};

void lf_split_batch_fini(struct lf_split_batch *batch);

enum lf_split_place {
    LF_SPLIT_START,  /* before the first byte that is not white space */
    LF_SPLIT_HEAD,   /* inside the top-level object, outside traceEvents */
    LF_SPLIT_EVENTS, /* inside the events array, between events */
    LF_SPLIT_DONE    /* behind the closed top-level value */
};

/* Deeper nesting outside traceEvents is refused (Perfetto's own limit is 1000). */
#define LF_SPLIT_HEAD_LEVELS 1024

/* Plain data, may be copied: a copy continues on its own. The fields above the line may be read by
 * anyone; the rest is the splitter's. */
struct lf_splitter {
    enum lf_split_place place;
    bool array_form;   /* the top-level value is the array of events */
    bool seen_events;  /* a traceEvents array was entered */
    bool unclosed;     /* set at the end: an array form that was never closed */
    bool cut_event;    /* set with unclosed: the input ended inside an event, which is left out */
    uint64_t off;      /* stream offset of the first byte not yet consumed */
    uint64_t n_events; /* events found so far */
    uint64_t first_event_off; /* LANEFIX_NO_OFFSET while there is none; likewise the next ones */
    uint64_t last_event_off;  /* start of the last event found */
    uint64_t last_event_end;  /* behind its closing brace */
    uint64_t array_off;       /* of the '[' of the (last) events array */
    uint64_t object_off;      /* of the '{' of the object form */
    /* The number at the top-level key baseTimeNanoseconds: where it stands, and its text. */
    uint64_t base_time_off, base_time_end;
    char base_time[24]; /* terminated; cut where longer */
    /* ---- */
    uint32_t head_depth; /* open brackets outside events, that of the top-level object first */
    uint8_t head_state;
    uint8_t head_key_pos;  /* bytes of a key that agree with "traceEvents" */
    uint8_t head_base_pos; /* the same of "baseTimeNanoseconds" */
    bool in_base_time;     /* in the primitive that is its value */
    bool head_escape;     /* behind a backslash in a string */
    bool events_fresh;    /* nothing but white space seen in the array yet */
    uint64_t head_kinds[LF_SPLIT_HEAD_LEVELS / 64]; /* a bit an open bracket: 1 for '{' */
};

void lf_splitter_init(struct lf_splitter *s);

/* Makes s go on in the events of a trace of the given form, at off: where an event starts, or
 * between two. Counters and offsets of events begin anew. */
void lf_splitter_resume(struct lf_splitter *s, uint64_t off, bool array_form);

/* Makes s go on behind n events, n > 0, that were found without it: the first starts where s stands,
 * between two events; the last is bytes [last.start, last.end) from there. */
void lf_splitter_take(struct lf_splitter *s, size_t n, struct lf_span last);

/* Splits the event at data[0] alone: batch holds it, or nothing where it is not whole in data[0..n).
 * LANEFIX_ERR_INPUT where it is not well-formed; LANEFIX_ERR_MEMORY. Events behind it may be in batch
 * too, and what is wrong behind it may be what is said: then it is in batch all the same. */
enum lanefix_status lf_split_one(const uint8_t *data, size_t n, struct lf_split_batch *batch,
                                 struct lanefix_error *err) LF_MUST_USE;

/* A kernel scans 64 bytes at a time; all give the same result. */
enum lf_split_kernel { LF_SPLIT_AUTO, LF_SPLIT_PORTABLE, LF_SPLIT_AVX2, LF_SPLIT_NEON };

/* Whether this build and this CPU have the kernel. */
bool lf_split_kernel_available(enum lf_split_kernel kernel);

/* Scans data[0..n), n < 2 GiB, the stream from s->off on. last: no bytes follow. Replaces batch's
 * content by the whole events found and sets *consumed to the bytes that need not be shown again:
 * data[*consumed..n) is the beginning of an event not yet complete (or empty) and must be shown
 * again, with more behind it, by the next call; s->off has advanced by *consumed. No byte of
 * data[-1] or data[n] is read: any alignment and any length, down to one byte more than the last
 * time, are fine and give the same events.
 *
 * LANEFIX_ERR_INPUT with the byte offset in the stream, where the text is none that Perfetto loads;
 * LANEFIX_ERR_MEMORY. The splitter cannot be used after an error. */
enum lanefix_status lf_splitter_feed(struct lf_splitter *s, enum lf_split_kernel kernel,
                                     const uint8_t *data, size_t n, bool last,
                                     struct lf_split_batch *batch, size_t *consumed,
                                     struct lanefix_error *err) LF_MUST_USE;

#endif
