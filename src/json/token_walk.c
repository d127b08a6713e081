/* A member is a string, ':', a value; members are separated by ','. White space may stand anywhere
 * between them, nothing else may. */
#include "json/token_walk.h"

#include "base/mem.h"

static enum lanefix_status fail(struct lf_walk *w, uint32_t off, const char *expected)
{
    w->fault->off = off;
    w->fault->expected = expected;
    return LANEFIX_ERR_INPUT;
}

static void skip_space(struct lf_walk *w)
{
    while (w->pos < w->n && lf_is_space(w->text[w->pos])) {
        w->pos++;
    }
}

/* Between the last token and begin stands mark (0: nothing) once, and white space. */
static enum lanefix_status expect_between(struct lf_walk *w, uint32_t begin, char mark,
                                          const char *mark_text, const char *token_text)
{
    skip_space(w);
    if (mark != '\0') {
        if (w->pos >= begin || w->text[w->pos] != (uint8_t)mark) {
            return fail(w, w->pos, mark_text);
        }
        w->pos++;
        skip_space(w);
    }
    return w->pos == begin ? LANEFIX_OK : fail(w, w->pos, token_text);
}

enum lanefix_status lf_walk_begin(struct lf_walk *w, const struct lf_event_text *event,
                                  const struct lf_key_table *table, struct lf_member_list *list,
                                  struct lf_token_fault *fault)
{
    *w = (struct lf_walk){.text = event->text,
                          .n = event->n,
                          .table = table,
                          .list = list,
                          .fault = fault,
                          .state = LF_WALK_FIRST_KEY,
                          .pos = 1,
                          .key = LF_KEY_NONE};
    list->n = 0;
    return event->n != 0 && event->text[0] == '{' ? LANEFIX_OK : fail(w, 0, "an object");
}

static enum lanefix_status take_key(struct lf_walk *w, const struct lf_value *token, uint32_t begin)
{
    if (w->state == LF_WALK_FIRST_KEY) {
        LF_TRY(expect_between(w, begin, '\0', NULL, "a key or '}'"));
    } else {
        LF_TRY(expect_between(w, begin, ',', "',' or '}'", "a key"));
    }
    if (token->kind != LF_VALUE_STRING) {
        return fail(w, begin, "a key");
    }
    w->key = lf_key_find(w->table, w->text + token->start, token->end - token->start);
    w->state = LF_WALK_VALUE;
    return LANEFIX_OK;
}

/* jsmn ends a primitive only at white space, ':', ',' and closing brackets. */
static enum lanefix_status check_primitive(struct lf_walk *w, const struct lf_value *token)
{
    for (uint32_t i = token->start; i < token->end; i++) {
        uint8_t c = w->text[i];

        if (c == '"' || c == '\\' || c == '{' || c == '[') {
            return fail(w, i, "',' or '}'");
        }
    }
    return LANEFIX_OK;
}

static enum lanefix_status take_value(struct lf_walk *w, const struct lf_value *token,
                                      uint32_t begin, struct lanefix_error *err)
{
    struct lf_member_list *list = w->list;

    LF_TRY(expect_between(w, begin, ':', "':'", "a value"));
    if (token->kind == LF_VALUE_PRIMITIVE) {
        LF_TRY(check_primitive(w, token));
    }
    if (list->n == list->cap) {
        LF_TRY(lf_grow(&list->members, &list->cap, list->n + 1, sizeof *list->members, err));
    }
    list->members[list->n].value = *token;
    list->members[list->n].key = w->key;
    list->n++;
    w->state = LF_WALK_NEXT_KEY;
    return LANEFIX_OK;
}

enum lanefix_status lf_walk_token(struct lf_walk *w, struct lf_value token,
                                  struct lanefix_error *err)
{
    uint32_t quote = token.kind == LF_VALUE_STRING ? 1 : 0;
    uint32_t begin = token.start - quote;

    if (w->state == LF_WALK_VALUE) {
        LF_TRY(take_value(w, &token, begin, err));
    } else {
        LF_TRY(take_key(w, &token, begin));
    }
    w->pos = token.end + quote;
    return LANEFIX_OK;
}

enum lanefix_status lf_walk_end(struct lf_walk *w)
{
    skip_space(w);
    if (w->state == LF_WALK_VALUE) {
        if (w->pos < w->n && w->text[w->pos] == ':') {
            w->pos++;
            skip_space(w);
            return fail(w, w->pos, "a value");
        }
        return fail(w, w->pos, "':'");
    }
    if (w->pos < w->n && w->text[w->pos] == '}') {
        return w->pos + 1 == w->n ? LANEFIX_OK : fail(w, w->pos + 1, "the event's end");
    }
    if (w->state == LF_WALK_FIRST_KEY) {
        return fail(w, w->pos, "a key or '}'");
    }
    if (w->pos < w->n && w->text[w->pos] == ',') {
        w->pos++;
        skip_space(w);
        return fail(w, w->pos, "a key");
    }
    return fail(w, w->pos, "',' or '}'");
}
