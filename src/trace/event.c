/* Decoding one event. Every rule of what counts as a time, a track or a phase is Perfetto's. */
#include "trace/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/record.h"
#include "trace/time.h"

static const char *const event_keys[LF_N_MEMBERS] = {"name", "cat", "ph",  "ts", "dur",
                                                     "pid",  "tid", "bp", "s",  "args"};

/* Members of few different texts. */
#define STEADY                                                                                     \
    (1u << LF_MEMBER_CAT | 1u << LF_MEMBER_PH | 1u << LF_MEMBER_PID | 1u << LF_MEMBER_TID |        \
     1u << LF_MEMBER_BP | 1u << LF_MEMBER_SCOPE)

enum { ARG_NAME, ARG_SORT_INDEX, N_ARGS };
static const char *const args_keys[N_ARGS] = {"name", "sort_index"};

enum lanefix_status lf_event_reader_init(struct lf_event_reader *r, uint64_t hash_seed,
                                         bool use_shapes, bool exact_times,
                                         struct lanefix_error *err)
{
    memset(r, 0, sizeof *r);
    r->exact_times = exact_times;
    r->hash_seed = hash_seed;
    LF_TRY(lf_alloc_zero(&r->known, LF_TOKEN_ALIKE, sizeof *r->known, err));
    LF_TRY(lf_tokenizer_create(&r->event, event_keys, LF_N_MEMBERS, use_shapes, STEADY, err));
    return lf_tokenizer_create(&r->args, args_keys, N_ARGS, false, 0, err);
}

void lf_event_reader_fini(struct lf_event_reader *r)
{
    lf_tokenizer_destroy(r->event);
    lf_tokenizer_destroy(r->args);
    free(r->known);
    r->event = NULL;
    r->args = NULL;
    r->known = NULL;
}

static bool value_is(const uint8_t *event, const struct lf_value *v, const char *text)
{
    size_t n = strlen(text);

    return v->end - v->start == n && memcmp(event + v->start, text, n) == 0;
}

static bool is_number_like(const struct lf_value *v)
{
    return v->kind == LF_VALUE_PRIMITIVE || v->kind == LF_VALUE_STRING;
}

static bool read_time(const uint8_t *event, const struct lf_value *v, int64_t *ns)
{
    return is_number_like(v) &&
           lf_time_read((const char *)event + v->start, v->end - v->start, ns);
}

/* See lf_event.decimals. */
static int8_t decimals_of(const uint8_t *event, const struct lf_value *ts)
{
    const uint8_t *point = memchr(event + ts->start, '.', ts->end - ts->start);
    size_t n = point != NULL ? (size_t)(event + ts->end - point) - 1 : 0;

    return n < 3 ? -1 : n == 3 && point[3] == '0' ? 1 : 0;
}

static struct lf_id read_id(const uint8_t *event, const struct lf_value *v)
{
    struct lf_id id = {LF_ID_MISSING, 0, {v->start, v->end}};
    const char *text = (const char *)event + v->start;

    if (v->kind == LF_VALUE_STRING) {
        id.kind = LF_ID_STRING;
    } else if (v->kind == LF_VALUE_PRIMITIVE) {
        if (lf_id_read(text, v->end - v->start, &id.number)) {
            id.kind = LF_ID_NUMBER;
        } else if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
            id.kind = LF_ID_ODD;
        }
    }
    return id;
}

bool lf_event_ts(const struct lf_event_reader *r, const uint8_t *event, int64_t *ns, bool *rounded)
{
    const struct lf_value *v = &r->values[LF_MEMBER_TS];
    int64_t visible, exact;

    *rounded = false;
    if (!is_number_like(v) || !lf_time_read_exact((const char *)event + v->start,
                                                  v->end - v->start, &visible, &exact)) {
        return false;
    }
    *rounded = visible - exact > 1 || exact - visible > 1;
    *ns = r->exact_times ? exact : visible;
    return true;
}

void lf_event_ids(const struct lf_event_reader *r, const uint8_t *event, struct lf_id *pid,
                  struct lf_id *tid)
{
    *pid = read_id(event, &r->values[LF_MEMBER_PID]);
    *tid = read_id(event, &r->values[LF_MEMBER_TID]);
}

char lf_event_phase(const uint8_t *event, const struct lf_value *ph)
{
    return ph->kind == LF_VALUE_STRING && ph->end > ph->start ? (char)event[ph->start] : '\0';
}

enum lanefix_status lf_event_tokenize(struct lf_event_reader *r, const uint8_t *window,
                                      const struct lf_split_event *e, const struct lf_span *nested,
                                      uint64_t off, struct lanefix_error *err)
{
    struct lf_token_fault fault = {0, NULL};
    enum lanefix_status status;

    err->status = LANEFIX_OK;
    status = lf_tokenize(r->event, window + e->start, e->end - e->start, nested + e->first_nested,
                         e->n_nested, e->start, r->values, &fault, err);
    if (status == LANEFIX_ERR_INPUT) {
        return lf_fail(err, status, off + fault.off, "malformed event: expected %s",
                       fault.expected);
    }
    return status;
}

/* Categories of what PyTorch's profiler adds beside the work: ranges that the program marked, the same
 * as projected onto the GPU, and waits for it. */
static bool is_annotation(const uint8_t *event, const struct lf_value *cat)
{
    return cat->kind == LF_VALUE_STRING &&
           (value_is(event, cat, "user_annotation") || value_is(event, cat, "gpu_user_annotation") ||
            value_is(event, cat, "cuda_sync"));
}

/* The number or text that the metadata event holds in its args. */
static enum lanefix_status decode_metadata(struct lf_event_reader *r, const uint8_t *event,
                                           uint64_t off, struct lf_event *out,
                                           struct lanefix_error *err)
{
    const struct lf_value *name = &r->values[LF_MEMBER_NAME];
    const struct lf_value *args = &r->values[LF_MEMBER_ARGS];
    enum lf_event_type type = LF_EVENT_OTHER;
    struct lf_value values[N_ARGS];
    struct lf_token_fault fault = {0, NULL};
    enum lanefix_status status;

    if (value_is(event, name, "thread_name")) {
        type = LF_EVENT_THREAD_NAME;
    } else if (value_is(event, name, "thread_sort_index")) {
        type = LF_EVENT_THREAD_SORT_INDEX;
    } else if (value_is(event, name, "process_name")) {
        type = LF_EVENT_PROCESS_NAME;
    }
    if (type == LF_EVENT_OTHER || args->kind != LF_VALUE_OBJECT) {
        return LANEFIX_OK;
    }
    status = lf_tokenize(r->args, event + args->start, args->end - args->start, NULL, 0, 0, values,
                         &fault, err);
    if (status == LANEFIX_ERR_INPUT) {
        return lf_fail(err, status, off + args->start + fault.off,
                       "malformed args of a metadata event: expected %s", fault.expected);
    }
    LF_TRY(status);
    if (type == LF_EVENT_THREAD_SORT_INDEX) {
        const struct lf_value *v = &values[ARG_SORT_INDEX];

        if (is_number_like(v) && lf_integer_read((const char *)event + args->start + v->start,
                                                 v->end - v->start, &out->u.sort_index)) {
            out->type = type;
        }
    } else if (values[ARG_NAME].kind == LF_VALUE_STRING) {
        out->type = type;
        out->name.start = args->start + values[ARG_NAME].start;
        out->name.end = args->start + values[ARG_NAME].end;
    }
    return LANEFIX_OK;
}

/* What the steady members say. */
static void decode_steady(const struct lf_event_reader *r, const uint8_t *event,
                          struct lf_event *out)
{
    const struct lf_value *scope = &r->values[LF_MEMBER_SCOPE];

    memset(out, 0, sizeof *out);
    out->alike = lf_tokenizer_alike(r->event);
    lf_event_ids(r, event, &out->pid, &out->tid);
    switch (lf_event_phase(event, &r->values[LF_MEMBER_PH])) {
    case 'X':
        out->type = LF_EVENT_SLICE;
        out->slice_kind = LF_SLICE_COMPLETE;
        out->is_annotation = is_annotation(event, &r->values[LF_MEMBER_CAT]);
        break;
    case 'B':
        out->type = LF_EVENT_SLICE;
        out->slice_kind = LF_SLICE_BEGIN;
        break;
    case 'E':
        out->type = LF_EVENT_SLICE;
        out->slice_kind = LF_SLICE_END;
        break;
    case 'i':
    case 'I':
    case 'R':
        if (scope->kind != LF_VALUE_STRING || value_is(event, scope, "t")) {
            out->type = LF_EVENT_SLICE;
            out->slice_kind = LF_SLICE_INSTANT;
        }
        break;
    case 's':
    case 't':
        out->type = LF_EVENT_FLOW;
        out->flow_kind = LF_FLOW_HERE;
        break;
    case 'f':
        out->type = LF_EVENT_FLOW;
        out->flow_kind =
            value_is(event, &r->values[LF_MEMBER_BP], "e") ? LF_FLOW_HERE : LF_FLOW_NEXT;
        break;
    case 'M':
        out->is_metadata = true;
        break;
    default:
        break;
    }
}

static bool has_text(const struct lf_id *id)
{
    return id->kind == LF_ID_STRING || id->kind == LF_ID_ODD;
}

/* As decode_steady, which is asked only about events that are not like one known. ahead: values of
 * steady members are not set. */
static void recall_steady(struct lf_event_reader *r, const uint8_t *event, bool ahead,
                          struct lf_event *out)
{
    uint64_t alike = lf_tokenizer_alike(r->event);
    struct lf_event *known = &r->known[alike % LF_TOKEN_ALIKE];
    bool is_known = alike != 0 && known->alike == alike;
    bool has_texts = is_known && (has_text(&known->pid) || has_text(&known->tid));

    if (ahead && (!is_known || has_texts)) {
        lf_tokenize_steady(r->event, r->values);
    }
    if (!is_known) {
        decode_steady(r, event, out);
        *known = alike != 0 ? *out : *known;
        return;
    }
    *out = *known;
    if (has_texts) { /* they are the same, but not where they stand */
        out->pid.text =
            (struct lf_span){r->values[LF_MEMBER_PID].start, r->values[LF_MEMBER_PID].end};
        out->tid.text =
            (struct lf_span){r->values[LF_MEMBER_TID].start, r->values[LF_MEMBER_TID].end};
    }
}

static void decode_slice(const struct lf_event_reader *r, const uint8_t *event,
                         struct lf_event *out)
{
    const struct lf_value *name = &r->values[LF_MEMBER_NAME];
    int64_t end;

    if (out->slice_kind == LF_SLICE_COMPLETE) {
        if (!read_time(event, &r->values[LF_MEMBER_DUR], &out->u.dur) ||
            __builtin_add_overflow(out->ts, out->u.dur, &end)) {
            out->bad_time = true;
        }
    } else if (out->slice_kind != LF_SLICE_INSTANT && name->kind == LF_VALUE_STRING &&
               name->end > name->start) {
        out->u.name_hash =
            lf_hash_bytes(r->hash_seed, event + name->start, name->end - name->start) | 1;
    }
}

/* The event whose values were read; ahead: as by lf_tokenize_ahead. */
static enum lanefix_status decode(struct lf_event_reader *r, const uint8_t *event, bool ahead,
                                  uint64_t off, struct lf_event *out, struct lanefix_error *err)
{
    const struct lf_value *dur = &r->values[LF_MEMBER_DUR];

    recall_steady(r, event, ahead, out);
    out->has_ts = lf_event_ts(r, event, &out->ts, &out->is_rounded);
    if (r->exact_times && out->has_ts) {
        out->decimals = decimals_of(event, &r->values[LF_MEMBER_TS]);
    }
    if (dur->kind == LF_VALUE_PRIMITIVE && value_is(event, dur, "null")) {
        return lf_fail(err, LANEFIX_ERR_INPUT, off + dur->start,
                       "\"dur\" is null: expected a number");
    }
    if (out->type == LF_EVENT_SLICE || out->type == LF_EVENT_FLOW) {
        out->bad_time = !out->has_ts;
    }
    if (out->type == LF_EVENT_SLICE) {
        decode_slice(r, event, out);
    }
    return out->is_metadata ? decode_metadata(r, event, off, out, err) : LANEFIX_OK;
}

enum lanefix_status lf_event_read(struct lf_event_reader *r, const uint8_t *window,
                                  const struct lf_split_event *e, const struct lf_span *nested,
                                  uint64_t off, struct lf_event *out, struct lanefix_error *err)
{
    LF_TRY(lf_event_tokenize(r, window, e, nested, off, err));
    return decode(r, window + e->start, false, off, out, err);
}

enum lanefix_status lf_event_read_ahead(struct lf_event_reader *r, const uint8_t *text, size_t n,
                                        struct lf_event *out, size_t *end,
                                        struct lanefix_error *err)
{
    enum lanefix_status status;

    *end = lf_tokenize_ahead(r->event, text, n, r->values);
    if (*end == 0) {
        return LANEFIX_OK;
    }
    status = decode(r, text, true, 0, out, err);
    if (status == LANEFIX_ERR_INPUT) {
        *end = 0;
        status = LANEFIX_OK;
    }
    return status;
}
