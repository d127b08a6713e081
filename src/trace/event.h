/* One event, as far as lanefix needs it: what kind it is, where in time, on which track. Reads the
 * tokenizer's values; owns the list of members that count. Pure. */
#ifndef LF_TRACE_EVENT_H
#define LF_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "json/split.h"
#include "json/token.h"

enum lf_event_type {
    LF_EVENT_OTHER,  /* only its track counts */
    LF_EVENT_SLICE,  /* with slice_kind */
    LF_EVENT_FLOW,   /* with flow_kind */
    LF_EVENT_THREAD_NAME,
    LF_EVENT_THREAD_SORT_INDEX,
    LF_EVENT_PROCESS_NAME
};

/* How a pid or tid is written. Numbers that are no uint32 are told apart by the file though
 * Perfetto reads all of them as 0; they are kept by their text, as strings are. */
enum lf_id_kind {
    LF_ID_NUMBER,  /* a uint32 */
    LF_ID_STRING,
    LF_ID_ODD,     /* any other number */
    LF_ID_MISSING  /* no member, or neither number nor string */
};

struct lf_id {
    enum lf_id_kind kind;
    uint32_t number;       /* LF_ID_NUMBER */
    struct lf_span text;   /* string, odd: counted from the event's first byte */
};

struct lf_event {
    enum lf_event_type type;
    uint8_t slice_kind;    /* enum lf_slice_kind */
    uint8_t flow_kind;     /* enum lf_flow_kind */
    bool has_ts;           /* else ts is 0 */
    bool is_metadata;
    bool is_annotation;    /* a complete slice of a category that says what the program was at */
    bool is_rounded;       /* the visible ts is off by more than 1 ns from what is written */
    int8_t decimals;       /* with exact times: 1: ts has three decimals, needed or not, and the last is
                              0; -1: it has fewer; 0: it tells nothing of how the file writes them */
    bool bad_time;         /* a slice or flow endpoint that cannot be placed: no readable ts or dur */
    int64_t ts;            /* visible ns; with exact times, as written */
    union {
        int64_t dur;        /* complete slices: visible ns */
        uint64_t name_hash; /* begin, end */
        int64_t sort_index; /* LF_EVENT_THREAD_SORT_INDEX */
    } u;
    struct lf_id pid, tid;
    struct lf_span name;   /* thread and process names: text between the quotes, from the event */
    uint64_t alike;        /* not 0: events read by one reader with the same number have the same pid
                              and tid as written; see lf_tokenizer_alike */
};

/* Members, in the order of lf_event_keys. */
enum lf_member {
    LF_MEMBER_NAME,
    LF_MEMBER_CAT,
    LF_MEMBER_PH,
    LF_MEMBER_TS,
    LF_MEMBER_DUR,
    LF_MEMBER_PID,
    LF_MEMBER_TID,
    LF_MEMBER_BP,
    LF_MEMBER_SCOPE,
    LF_MEMBER_ARGS,
    LF_N_MEMBERS
};

/* Reads events one after the other; used by one thread at a time. */
struct lf_event_reader {
    struct lf_tokenizer *event;
    struct lf_tokenizer *args; /* of metadata events */
    uint64_t hash_seed;
    bool exact_times;                     /* ts are read by lf_time_read_exact */
    struct lf_value values[LF_N_MEMBERS]; /* of the event read last */
    struct lf_event *known;               /* LF_TOKEN_ALIKE: what steady members made of events */
};

/* use_shapes: see lf_tokenizer_create. Release with lf_event_reader_fini, also after a failure. */
enum lanefix_status lf_event_reader_init(struct lf_event_reader *r, uint64_t hash_seed,
                                         bool use_shapes, bool exact_times,
                                         struct lanefix_error *err) LF_MUST_USE;
void lf_event_reader_fini(struct lf_event_reader *r);

/* Reads window[e->start..e->end), whose nested values are nested[...] and which stands at off in
 * the stream, into r->values only. */
enum lanefix_status lf_event_tokenize(struct lf_event_reader *r, const uint8_t *window,
                                      const struct lf_split_event *e, const struct lf_span *nested,
                                      uint64_t off, struct lanefix_error *err) LF_MUST_USE;

/* As lf_event_tokenize, and decodes. LANEFIX_ERR_INPUT with the offset in the stream. */
enum lanefix_status lf_event_read(struct lf_event_reader *r, const uint8_t *window,
                                  const struct lf_split_event *e, const struct lf_span *nested,
                                  uint64_t off, struct lf_event *out,
                                  struct lanefix_error *err) LF_MUST_USE;

/* As lf_event_read, of an event that begins at text and whose end is not known: *end is set to it,
 * counted from text; to 0 where the reader does not know the event's layout, or it is not
 * well-formed, or does not end in text[0..n). n < INT_MAX. LANEFIX_ERR_MEMORY only. */
enum lanefix_status lf_event_read_ahead(struct lf_event_reader *r, const uint8_t *text, size_t n,
                                        struct lf_event *out, size_t *end,
                                        struct lanefix_error *err) LF_MUST_USE;

/* The ts of the event read last, as the reader reads times; false where it has none. *rounded: what
 * Perfetto reads is more than 1 ns off what is written. */
bool lf_event_ts(const struct lf_event_reader *r, const uint8_t *event, int64_t *ns, bool *rounded);

/* The ids of the event read last. */
void lf_event_ids(const struct lf_event_reader *r, const uint8_t *event, struct lf_id *pid,
                  struct lf_id *tid);

/* The first character of ph, 0 where there is none. */
char lf_event_phase(const uint8_t *event, const struct lf_value *ph);

#endif
