/* A note is the last member of its args, and braces are escaped within it: so it is found from the
 * end of args, whatever stands before it, and simple tools find its end. */
#include "rewrite/note.h"

#include <string.h>

const char *const lf_note_names[LF_N_NOTE_KEYS] = {"ts",
                                                   "dur",
                                                   "pid",
                                                   "tid",
                                                   "args",
                                                   "added_bytes",
                                                   "trace_bytes",
                                                   "crc32",
                                                   "rebased_ns",
                                                   "decimals",
                                                   "baseTimeNanoseconds",
                                                   "indent"};

static const char member_name[] = "\"lanefix\"";

enum lanefix_status lf_note_reader_init(struct lf_note_reader *r, struct lanefix_error *err)
{
    memset(r, 0, sizeof *r);
    return lf_tokenizer_create(&r->note, lf_note_names, LF_N_NOTE_KEYS, false, 0, err);
}

void lf_note_reader_fini(struct lf_note_reader *r)
{
    lf_tokenizer_destroy(r->note);
    memset(r, 0, sizeof *r);
}

uint32_t lf_behind_last_value(const uint8_t *event, uint32_t end)
{
    uint32_t at = end - 1;

    while (memchr(" \t\r\n,", event[at - 1], 5) != NULL) {
        at--;
    }
    return at;
}

/* The last value of args[0..n) as an object without braces within, and the quote before the name of
 * a member "lanefix" that it is the value of; false where it is not. */
static bool find_object(const uint8_t *args, uint32_t n, uint32_t *name, struct lf_span *object)
{
    uint32_t n_name = sizeof member_name - 1;
    uint32_t at;

    object->end = lf_behind_last_value(args, n);
    at = object->end - 1;
    if (args[at] != '}') {
        return false;
    }
    do {
        at--;
    } while (args[at] != '{' && args[at] != '}' && at > 0);
    object->start = at;
    while (at > 0 && memchr(" \t\r\n:", args[at - 1], 5) != NULL) {
        at--;
    }
    if (args[object->start] != '{' || at <= n_name ||
        memcmp(args + at - n_name, member_name, n_name) != 0) {
        return false;
    }
    *name = at - n_name;
    return true;
}

enum lanefix_status lf_note_find(struct lf_note_reader *r, const uint8_t *event,
                                 const struct lf_value *args, struct lf_note *note, bool *found,
                                 struct lanefix_error *err)
{
    const uint8_t *text = event + args->start;
    struct lf_token_fault fault;
    struct lf_span object;
    enum lanefix_status status;

    *found = false;
    if (args->kind != LF_VALUE_OBJECT ||
        !find_object(text, args->end - args->start, &note->member.start, &object)) {
        return LANEFIX_OK;
    }
    status = lf_tokenize(r->note, text + object.start, object.end - object.start, NULL, 0, 0,
                         note->texts, &fault, err);
    if (status != LANEFIX_OK) {
        return status == LANEFIX_ERR_MEMORY ? status : LANEFIX_OK;
    }
    note->member.start += args->start;
    note->member.end = args->start + object.end;
    note->open = args->start + object.start + 1;
    for (size_t k = 0; k < LF_N_NOTE_KEYS; k++) {
        struct lf_value *v = &note->texts[k];

        if (v->kind == LF_VALUE_STRING) {
            v->start += args->start + object.start;
            v->end += args->start + object.start;
            *found = true;
        } else {
            v->kind = LF_VALUE_ABSENT;
        }
    }
    return LANEFIX_OK;
}

static enum lanefix_status put_escaped(struct lf_bytes *out, const uint8_t *text, size_t n,
                                       struct lanefix_error *err)
{
    size_t from = 0;

    for (size_t i = 0; i < n; i++) {
        uint8_t c = text[i];

        if (c >= 0x20 && c != '"' && c != '\\' && c != '{' && c != '}') {
            continue;
        }
        LF_TRY(lf_bytes_append(out, text + from, i - from, err));
        if (c == '"' || c == '\\') {
            LF_TRY(lf_bytes_printf(out, err, "\\%c", c));
        } else {
            LF_TRY(lf_bytes_printf(out, err, "\\u%04x", c));
        }
        from = i + 1;
    }
    return lf_bytes_append(out, text + from, n - from, err);
}

enum lanefix_status lf_note_put(struct lf_bytes *out, enum lf_note_key key, const void *text,
                                size_t n, bool comma, struct lanefix_error *err)
{
    LF_TRY(lf_bytes_append(out, comma ? ",\"" : "\"", comma ? 2 : 1, err));
    LF_TRY(lf_bytes_append(out, lf_note_names[key], strlen(lf_note_names[key]), err));
    LF_TRY(lf_bytes_append(out, "\":\"", 3, err));
    LF_TRY(put_escaped(out, text, n, err));
    return lf_bytes_append(out, "\"", 1, err);
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum lanefix_status lf_note_get(struct lf_bytes *out, const uint8_t *event,
                                const struct lf_value *text, bool *good, struct lanefix_error *err)
{
    uint32_t from = text->start;

    *good = true;
    for (uint32_t i = text->start; i < text->end; i++) {
        uint8_t c = event[i];

        if (c != '\\') {
            continue;
        }
        LF_TRY(lf_bytes_append(out, event + from, i - from, err));
        c = i + 1 < text->end ? event[i + 1] : 0;
        if (c == 'u' && text->end - i >= 6 && event[i + 2] == '0' && event[i + 3] == '0' &&
            hex_digit(event[i + 4]) >= 0 && hex_digit(event[i + 5]) >= 0) {
            c = (uint8_t)(hex_digit(event[i + 4]) * 16 + hex_digit(event[i + 5]));
            i += 5;
        } else if (c == '"' || c == '\\') {
            i += 1;
        } else {
            *good = false;
            return LANEFIX_OK;
        }
        LF_TRY(lf_bytes_append(out, &c, 1, err));
        from = i + 1;
    }
    return lf_bytes_append(out, event + from, text->end - from, err);
}
