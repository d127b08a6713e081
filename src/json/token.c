/* The tokenizer: from members to wanted values. */
#include "json/token.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/shape_cache.h"
#include "json/token_internal.h"

struct lf_tokenizer {
    struct lf_key_table table;
    struct lf_token_reader *reader;
    struct lf_member_list members;
    struct lf_shape_cache *shapes; /* NULL: not wanted */
    uint64_t alike;
};

static void init_table(struct lf_key_table *table, const char *const *keys, size_t n_keys)
{
    table->keys = keys;
    table->n_keys = n_keys;
    memset(table->heads, LF_KEY_NONE, sizeof table->heads);
    for (size_t i = 0; i < n_keys; i++) {
        size_t len = strlen(keys[i]);
        int8_t *head = &table->heads[len != 0 ? (uint8_t)keys[i][0] + 1 : 0];

        assert(len <= UINT32_MAX);
        table->lens[i] = (uint32_t)len;
        table->nexts[i] = *head;
        *head = (int8_t)i;
    }
}

int lf_key_find(const struct lf_key_table *table, const uint8_t *text, size_t n)
{
    int key = table->heads[n != 0 ? text[0] + 1 : 0];

    while (key != LF_KEY_NONE &&
           (table->lens[key] != n || memcmp(table->keys[key], text, n) != 0)) {
        key = table->nexts[key];
    }
    return key;
}

enum lanefix_status lf_tokenizer_create(struct lf_tokenizer **out, const char *const *keys,
                                        size_t n_keys, bool use_shapes, uint32_t steady,
                                        struct lanefix_error *err)
{
    struct lf_tokenizer *t;
    enum lanefix_status status;

    assert(n_keys <= LF_TOKEN_MAX_KEYS);
    *out = NULL;
    LF_TRY(lf_alloc_zero(&t, 1, sizeof *t, err));
    init_table(&t->table, keys, n_keys);
    status = lf_token_reader_create(&t->reader, err);
    if (status == LANEFIX_OK && use_shapes) {
        status = lf_shape_cache_create(&t->shapes, steady, err);
    }
    if (status != LANEFIX_OK) {
        lf_tokenizer_destroy(t);
        return status;
    }
    *out = t;
    return LANEFIX_OK;
}

void lf_tokenizer_destroy(struct lf_tokenizer *t)
{
    if (t != NULL) {
        lf_token_reader_destroy(t->reader);
        lf_shape_cache_destroy(t->shapes);
        free(t->members.members);
        free(t);
    }
}

enum lanefix_status lf_tokenize(struct lf_tokenizer *t, const uint8_t *event, size_t n,
                                const struct lf_span *nested, size_t n_nested, uint32_t base,
                                struct lf_value *values, struct lf_token_fault *fault,
                                struct lanefix_error *err)
{
    const struct lf_event_text text = {event, n, nested, n_nested, base};

    if (n >= INT_MAX) {
        fault->off = 0;
        fault->expected = "an event of less than 2 GiB";
        return LANEFIX_ERR_INPUT;
    }
    memset(values, 0, t->table.n_keys * sizeof *values);
    if (t->shapes != NULL && lf_shape_cache_find(t->shapes, &text, values, &t->alike)) {
        return LANEFIX_OK;
    }
    LF_TRY(lf_token_read(t->reader, &text, &t->table, &t->members, fault, err));
    memset(values, 0, t->table.n_keys * sizeof *values);
    for (size_t i = 0; i < t->members.n; i++) {
        const struct lf_member_value *m = &t->members.members[i];

        if (m->key != LF_KEY_NONE) {
            values[m->key] = m->value;
        }
    }
    if (t->shapes != NULL) {
        lf_shape_cache_learn(t->shapes, &text, &t->members);
    }
    return LANEFIX_OK;
}

size_t lf_tokenize_ahead(struct lf_tokenizer *t, const uint8_t *text, size_t n,
                         struct lf_value *values)
{
    memset(values, 0, t->table.n_keys * sizeof *values);
    return t->shapes != NULL ? lf_shape_cache_find_ahead(t->shapes, text, n, values, &t->alike) : 0;
}

void lf_tokenize_steady(const struct lf_tokenizer *t, struct lf_value *values)
{
    lf_shape_cache_steady(t->shapes, values);
}

uint64_t lf_tokenizer_alike(const struct lf_tokenizer *t)
{
    return t->alike;
}
