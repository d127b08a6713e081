/* The tokenizer: what an event says, where it is malformed, and that shapes change nothing. In one
 * file, as every event is read with and without shapes by the same few lines. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/split.h"
#include "json/token.h"

static const char *const keys[] = {"name", "ph", "ts", "args", ""};
enum { NAME, PH, TS, ARGS, EMPTY, N_KEYS, STEADY = 1 << PH | 1 << ARGS };

static struct lf_tokenizer *make_steady(bool use_shapes, uint32_t steady)
{
    struct lf_tokenizer *t;
    struct lanefix_error err;

    cr_assert_eq(lf_tokenizer_create(&t, keys, N_KEYS, use_shapes, steady, &err), LANEFIX_OK);
    return t;
}

static struct lf_tokenizer *make(bool use_shapes)
{
    return make_steady(use_shapes, STEADY);
}

/* Nested direct members of event, by a plain walk. */
static size_t find_nested(const char *event, size_t n, uint32_t base, struct lf_span *spans)
{
    size_t n_spans = 0;
    int depth = 0;

    for (size_t i = 0; i < n; i++) {
        if (event[i] == '"') {
            for (i++; i < n && event[i] != '"'; i++) {
                i += event[i] == '\\';
            }
        } else if (event[i] == '{' || event[i] == '[') {
            if (depth++ == 1) {
                spans[n_spans].start = base + (uint32_t)i;
            }
        } else if (event[i] == '}' || event[i] == ']') {
            if (--depth == 1) {
                spans[n_spans++].end = base + (uint32_t)i + 1;
            }
        }
    }
    return n_spans;
}

struct outcome {
    enum lanefix_status status;
    struct lf_value values[N_KEYS];
    struct lf_token_fault fault;
};

static struct outcome read_with(struct lf_tokenizer *t, const char *event, size_t n, uint32_t base,
                                bool give_nested)
{
    struct lf_span spans[64];
    size_t n_spans = give_nested ? find_nested(event, n, base, spans) : 0;
    struct outcome o = {.fault = {0, NULL}};
    struct lanefix_error err;

    o.status =
        lf_tokenize(t, (const uint8_t *)event, n, spans, n_spans, base, o.values, &o.fault, &err);
    return o;
}

static void assert_same(const struct outcome *a, const struct outcome *b, const char *event)
{
    cr_assert_eq(a->status, b->status, "%s", event);
    if (a->status != LANEFIX_OK) {
        cr_assert_eq(a->fault.off, b->fault.off, "%s", event);
        cr_assert_str_eq(a->fault.expected, b->fault.expected, "%s", event);
        return;
    }
    for (int k = 0; k < N_KEYS; k++) {
        cr_assert_eq(a->values[k].kind, b->values[k].kind, "%s: %s", event, keys[k]);
        cr_assert_eq(a->values[k].start, b->values[k].start, "%s: %s", event, keys[k]);
        cr_assert_eq(a->values[k].end, b->values[k].end, "%s: %s", event, keys[k]);
    }
}

/* Reads the event ahead, alone and with bytes behind it: 0 (which is returned) or the event, and
 * its values are expected's. Never where it is none, or where bytes are missing. */
static size_t assert_same_ahead(struct lf_tokenizer *t, const char *event, size_t n,
                                const struct outcome *expected)
{
    static const char *const tails[] = {"", ",", " {}", "}", "\"", "0"};
    struct outcome o = {.status = LANEFIX_OK, .fault = {0, NULL}};
    size_t end = 0;

    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        size_t n_tail = strlen(tails[i]);
        uint8_t *text = malloc(n + n_tail + 1);
        size_t this_end;

        memcpy(text, event, n);
        memcpy(text + n, tails[i], n_tail);
        text = realloc(text, n + n_tail != 0 ? n + n_tail : 1);
        this_end = lf_tokenize_ahead(t, text, n + n_tail, o.values);
        free(text);
        if (expected->status != LANEFIX_OK) {
            cr_assert(this_end == 0 || this_end != n, "%s: taken", event);
        } else if (this_end != 0) { /* else it is not known, or the shapes begin to rest */
            lf_tokenize_steady(t, o.values);
            cr_assert_eq(this_end, n, "%s: ends at %zu", event, this_end);
            assert_same(expected, &o, event);
            end = n;
        }
    }
    if (n > 1 && expected->status == LANEFIX_OK) {
        uint8_t *cut = malloc(n - 1);

        memcpy(cut, event, n - 1);
        cr_assert_eq(lf_tokenize_ahead(t, cut, n - 1, o.values), 0, "%s: cut", event);
        free(cut);
    }
    return end;
}

/* Plain, with shapes (twice: learnt then), at several bases: one outcome, which is returned. The
 * event is a copy of its exact size, so that a sanitizer sees what is read beyond it. */
static struct outcome read_all_ways(const char *text, size_t n)
{
    struct lf_tokenizer *plain = make(false);
    struct lf_tokenizer *shaped = make(true);
    char *event = malloc(n + 1);
    struct outcome first, other;

    memcpy(event, text, n);
    event = realloc(event, n != 0 ? n : 1);
    first = read_with(plain, event, n, 0, true);
    for (uint32_t round = 0; round < 6; round++) {
        other = read_with(shaped, event, n, round * 1000, true);
        assert_same(&first, &other, text);
        (void)assert_same_ahead(shaped, event, n, &first);
    }
    other = read_with(plain, event, n, 77, true);
    assert_same(&first, &other, text);
    free(event);
    lf_tokenizer_destroy(plain);
    lf_tokenizer_destroy(shaped);
    return first;
}

static void assert_value(const struct outcome *o, int key, const char *text,
                         enum lf_value_kind kind, const char *want)
{
    const struct lf_value *v = &o->values[key];

    cr_assert_eq(v->kind, kind, "%s: %s: kind %d", text, keys[key], (int)v->kind);
    if (want != NULL) {
        cr_assert(v->end - v->start == strlen(want) &&
                      memcmp(text + v->start, want, strlen(want)) == 0,
                  "%s: %s is '%.*s'", text, keys[key], (int)(v->end - v->start), text + v->start);
    }
}

static void assert_fault_n(const char *text, size_t n, uint32_t off, const char *expected)
{
    struct outcome o = read_all_ways(text, n);

    cr_assert_eq(o.status, LANEFIX_ERR_INPUT, "%s: taken", text);
    cr_assert_eq(o.fault.off, off, "%s: fault at %u, expected %s", text, o.fault.off,
                 o.fault.expected);
    cr_assert(strstr(o.fault.expected, expected) != NULL, "%s: expected %s", text,
              o.fault.expected);
}

static void assert_fault(const char *text, uint32_t off, const char *expected)
{
    assert_fault_n(text, strlen(text), off, expected);
}

Test(token, reads_members)
{
    const char *text =
        "{ \"ph\" : \"X\",\n\t\"ts\":1.5,\"name\":\"a b\" , \"args\": {\"ts\":[2]}, \"x\":[3] }";
    struct outcome o = read_all_ways(text, strlen(text));

    cr_assert_eq(o.status, LANEFIX_OK);
    assert_value(&o, PH, text, LF_VALUE_STRING, "X");
    assert_value(&o, TS, text, LF_VALUE_PRIMITIVE, "1.5");
    assert_value(&o, NAME, text, LF_VALUE_STRING, "a b");
    assert_value(&o, ARGS, text, LF_VALUE_OBJECT, "{\"ts\":[2]}");
    assert_value(&o, EMPTY, text, LF_VALUE_ABSENT, NULL);
}

Test(token, reads_small_objects)
{
    struct outcome o = read_all_ways("{}", 2);

    cr_assert_eq(o.status, LANEFIX_OK);
    o = read_all_ways("{ \n}", 4);
    cr_assert_eq(o.status, LANEFIX_OK);
    assert_value(&o, NAME, "", LF_VALUE_ABSENT, NULL);
    o = read_all_ways("{\"\":[]}", 7);
    assert_value(&o, EMPTY, "{\"\":[]}", LF_VALUE_ARRAY, "[]");
    o = read_all_ways("{\"ts\":\"\"}", 9);
    assert_value(&o, TS, "{\"ts\":\"\"}", LF_VALUE_STRING, "");
}

Test(token, last_of_a_repeated_key_counts)
{
    const char *text = "{\"ts\":1,\"ph\":\"B\",\"ts\":\"2\",\"ph\":{},\"ts\":3}";
    struct outcome o = read_all_ways(text, strlen(text));

    assert_value(&o, TS, text, LF_VALUE_PRIMITIVE, "3");
    assert_value(&o, PH, text, LF_VALUE_OBJECT, "{}");
}

Test(token, compares_keys_as_bytes)
{
    const char *text = "{\"Name\":1,\"name \":2,\"nam\":3,\"names\":4,\"na\\u006de\":5}";
    struct outcome o = read_all_ways(text, strlen(text));

    cr_assert_eq(o.status, LANEFIX_OK);
    assert_value(&o, NAME, text, LF_VALUE_ABSENT, NULL);
}

Test(token, looks_at_direct_members_only)
{
    const char *text = "{\"args\":{\"name\":\"x\",\"ts\":[{\"ph\":1}]},\"ts\":2}";
    struct lf_tokenizer *t = make(false);
    struct outcome o = read_with(t, text, strlen(text), 0, false); /* jsmn reads args too */

    cr_assert_eq(o.status, LANEFIX_OK);
    assert_value(&o, NAME, text, LF_VALUE_ABSENT, NULL);
    assert_value(&o, PH, text, LF_VALUE_ABSENT, NULL);
    assert_value(&o, TS, text, LF_VALUE_PRIMITIVE, "2");
    assert_value(&o, ARGS, text, LF_VALUE_OBJECT, "{\"name\":\"x\",\"ts\":[{\"ph\":1}]}");
    lf_tokenizer_destroy(t);
}

Test(token, takes_any_primitive)
{
    static const char *const words[] = {"NaN",   "-inf",  "null", "true",
                                        "1e999", "+1",    "0x10", "123456789012345678901234567890",
                                        "-",     "1.2.3", "."};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[128];
        struct outcome o;

        snprintf(text, sizeof text, "{\"ts\":%s,\"name\":\"\"}", words[i]);
        o = read_all_ways(text, strlen(text));
        cr_assert_eq(o.status, LANEFIX_OK, "%s", text);
        assert_value(&o, TS, text, LF_VALUE_PRIMITIVE, words[i]);
    }
}

Test(token, takes_any_bytes_in_strings)
{
    static const char *const strings[] = {
        "torch\\cuda", "\\",          "a\\u12",  "\\uZZZZ", "\x01\n\t\x7f", "caf\xc3\xa9 \xff\x80",
        "\\\\\\\"",    "\\\\x\\qq\\", "\\u0041", "{[}],:",  "\\u00e9\\/",   "\\x"};

    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        char text[128];
        struct outcome o;

        snprintf(text, sizeof text,
                 "{\"ph\":\"%s%s\",\"ts\":1,\"args\":{\"a\":\"%s%s\"},\"name\":\"n\"}", strings[i],
                 strings[i][strlen(strings[i]) - 1] == '\\' ? " " : "", strings[i],
                 strings[i][strlen(strings[i]) - 1] == '\\' ? " " : "");
        o = read_all_ways(text, strlen(text));
        cr_assert_eq(o.status, LANEFIX_OK, "%s: %s at %u", text, o.fault.expected, o.fault.off);
        assert_value(&o, TS, text, LF_VALUE_PRIMITIVE, "1");
        assert_value(&o, NAME, text, LF_VALUE_STRING, "n");
    }
}

Test(token, takes_nul_in_strings_only)
{
    struct outcome o = read_all_ways("{\"ph\":\"a\0b\",\"ts\":1}", 19);

    cr_assert_eq(o.status, LANEFIX_OK);
    cr_assert_eq(o.values[PH].end - o.values[PH].start, 3);
    cr_assert_eq(o.values[TS].start, 17);
    assert_fault_n("{\"ts\":1\0}", 9, 7, "a value");
    assert_fault_n("{\"ts\":1,\0\"ph\":2}", 16, 8, "a value");
    assert_fault_n("{\0}", 3, 1, "a value");
    assert_fault_n("{\"ts\":\"\\\0\",x\0:1}", 16, 11, "a");
}

Test(token, refuses_what_is_no_object)
{
    assert_fault("", 0, "an object");
    assert_fault("[]", 0, "an object");
    assert_fault(" {}", 0, "an object");
    assert_fault("{} ", 2, "the event's end");
    assert_fault("{", 1, "a key or '}'");
    assert_fault("{\"ts\":1", 7, "',' or '}'");
}

Test(token, refuses_members_that_are_none)
{
    assert_fault("{\"ts\"}", 5, "':'");
    assert_fault("{\"ts\":}", 6, "a value");
    assert_fault("{\"ts\" 1}", 6, "':'");
    assert_fault("{\"ts\"::1}", 6, "a value");
    assert_fault("{\"ts\":,}", 6, "a value");
    assert_fault("{\"ts\",\"ph\":1}", 5, "':'");
    assert_fault("{1:2}", 1, "a key");
    assert_fault("{ts:1}", 1, "a key");
    assert_fault("{\"ts\":1,2}", 8, "a key");
    assert_fault("{:1}", 1, "a key");
    assert_fault("{{}}", 1, "a key");
    assert_fault("{[]}", 1, "a key");
    assert_fault("{\"ts\":1 2}", 8, "',' or '}'");
    assert_fault("{\"ts\":1:2}", 7, "',' or '}'");
    assert_fault("{\"ts\":\"1\" \"2\"}", 10, "',' or '}'");
    assert_fault("{\"args\":{}{}}", 10, "',' or '}'");
    assert_fault("{\"args\":1{}}", 9, "',' or '}'");
    assert_fault("{\"ts\":1\"x\"}", 7, "',' or '}'");
    assert_fault("{\"ts\":1\\}", 7, "',' or '}'");
    assert_fault("{\"a\":{} \"ts\":1}", 8, "',' or '}'");
}

Test(token, refuses_commas_too_many_or_missing)
{
    assert_fault("{,}", 1, "a key or '}'");
    assert_fault("{,\"ts\":1}", 1, "a key or '}'");
    assert_fault("{\"ts\":1,}", 8, "a key");
    assert_fault("{\"ts\":{}, }", 10, "a key");
    assert_fault("{\"ts\":1,,\"ph\":1}", 8, "a key");
    assert_fault("{\"ts\":\"1\"\"ph\":1}", 9, "',' or '}'");
    assert_fault("{\"ts\":1 \"ph\":1}", 8, "',' or '}'");
}

Test(token, refuses_odd_bytes_outside_strings)
{
    assert_fault("{\"ts\":1\xc3\xa9}", 6, "a value");
    assert_fault("{\"ts\":\x01}", 6, "a value");
    assert_fault("{\"ts\":1,\x0b\"ph\":2}", 8, "a value");
}

Test(token, refuses_escaped_surrogates)
{
    struct outcome o;

    assert_fault("{\"name\":\"a\\ud83d\"}", 10, "surrogate");
    assert_fault("{\"name\":\"\\uD83D\\uDE00\"}", 9, "surrogate");
    assert_fault("{\"name\":\"\\\\\\uDfFf\"}", 11, "surrogate");
    assert_fault("{\"x\\ud800\":1}", 3, "surrogate");
    o = read_all_ways("{\"name\":\"\\\\ud83d\\ud7ff\\ue000\\ud8\"}", 34);
    cr_assert_eq(o.status, LANEFIX_OK, "%s at %u", o.fault.expected, o.fault.off);
    o = read_all_ways("{\"args\":{\"x\":\"\\ud83d\"},\"ts\":1}", 30);
    cr_assert_eq(o.status, LANEFIX_OK);
}

Test(token, refuses_two_gibibytes)
{
    struct lf_tokenizer *t = make(true);
    struct lf_value values[N_KEYS];
    struct lf_token_fault fault;
    struct lanefix_error err;

    cr_assert_eq(
        lf_tokenize(t, (const uint8_t *)"{}", (size_t)1 << 31, NULL, 0, 0, values, &fault, &err),
        LANEFIX_ERR_INPUT);
    cr_assert_eq(fault.off, 0);
    cr_assert(strstr(fault.expected, "2 GiB") != NULL);
    lf_tokenizer_destroy(t);
}

Test(token, reads_thousands_of_keys)
{
    enum { N = 20000 };
    size_t cap = N * 24 + 64;
    char *text = malloc(cap);
    size_t n = (size_t)snprintf(text, cap, "{\"name\":\"first\"");
    struct lf_tokenizer *t = make(true);
    struct outcome o;

    for (int i = 0; i < N; i++) {
        n += (size_t)snprintf(text + n, cap - n, ",\"k%d\":%d", i, i);
    }
    n += (size_t)snprintf(text + n, cap - n, ",\"ts\":7}");
    for (int round = 0; round < 3; round++) {
        o = read_with(t, text, n, 0, true);
        cr_assert_eq(o.status, LANEFIX_OK);
        cr_assert_eq(o.values[NAME].start, 9);
        cr_assert_eq(o.values[TS].end, n - 1);
    }
    lf_tokenizer_destroy(t);
    free(text);
}

Test(token, reads_thousands_of_nested_values)
{
    enum { N = 20000 };
    char *text = malloc(N * 16 + 64);
    struct lf_span *spans = malloc(N * sizeof *spans);
    struct lf_tokenizer *t = make(true);
    struct lf_value values[N_KEYS];
    struct lf_token_fault fault;
    struct lanefix_error err;
    size_t n = 0;

    text[n++] = '{';
    for (int i = 0; i < N; i++) {
        n += (size_t)sprintf(text + n, "\"k%d\":", i);
        spans[i].start = (uint32_t)n;
        n += (size_t)sprintf(text + n, "[]");
        spans[i].end = (uint32_t)n;
        text[n++] = ',';
    }
    n += (size_t)sprintf(text + n, "\"ts\":7}");
    cr_assert_eq(lf_tokenize(t, (const uint8_t *)text, n, spans, N, 0, values, &fault, &err),
                 LANEFIX_OK);
    cr_assert_eq(values[TS].end, n - 1);
    lf_tokenizer_destroy(t);
    free(spans);
    free(text);
}

/* What an event may be like that is read ahead: one of the same layout and the same values at
 * steady keys as one before. */
Test(token, reads_known_layouts_ahead)
{
    static const char *const known[] = {
        "{\"ph\":\"X\",\"ts\":17,\"name\":\"other\",\"args\":{\"b\":[\"}\"]}}",
        "{\"ph\":\"X\",\"ts\":-1e5,\"name\":\"\",\"args\":[]}",
        "{\"ph\":\"X\",\"ts\":0,\"name\":\"a,{\",\"args\":{ }}"};
    static const char *const unknown[] = {
        "{\"ph\":\"B\",\"ts\":17,\"name\":\"other\",\"args\":{}}", /* another steady value */
        "{\"ph\":\"X\",\"ts\":17,\"name\":\"other\"}",
        "{\"ph\":\"X\",\"ts\":17,\"name\":\"other\",\"args\":1}",
        "{\"ph\":\"X\",\"ts\":\"17\",\"name\":\"other\",\"args\":{}}",
        "{\"ph\":\"X\",\"ts\":17,\"name\":\"a\\\"b\",\"args\":{}}",
        "{\"ph\":\"X\",\"ts\":17, \"name\":\"other\",\"args\":{}}",
        "{\"ph\":\"X\",\"ts\":17,\"name\":\"other\",\"args\":{]}}",
        "{\"ph\":\"X\"",
        "{"};
    static const char first[] = "{\"ph\":\"X\",\"ts\":1,\"name\":\"n\",\"args\":{\"a\":1}}";
    struct lf_tokenizer *t = make_steady(true, 1 << PH);
    struct lf_tokenizer *plain = make(false);
    struct lf_value values[N_KEYS];

    cr_assert_eq(lf_tokenize_ahead(t, (const uint8_t *)first, sizeof first - 1, values), 0);
    for (int round = 0; round < 2; round++) { /* the shape, then the close one */
        (void)read_with(t, first, sizeof first - 1, 0, true);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct outcome o = read_with(plain, known[i], strlen(known[i]), 0, true);

        cr_assert_neq(assert_same_ahead(t, known[i], strlen(known[i]), &o), 0, "%s", known[i]);
        cr_assert_eq(lf_tokenize_ahead(plain, (const uint8_t *)known[i], strlen(known[i]), values),
                     0);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        cr_assert_eq(lf_tokenize_ahead(t, (const uint8_t *)unknown[i], strlen(unknown[i]), values),
                     0, "%s", unknown[i]);
    }
    lf_tokenizer_destroy(t);
    lf_tokenizer_destroy(plain);
}

/* Events of many layouts, some of them changed by a byte: shapes must not change the outcome. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* repeats: most events of a layout are the same. */
static size_t random_event(char *out, size_t cap, bool repeats, uint64_t *rng)
{
    /* the first nine can be values of a shape */
    static const char *const values[] = {"1",
                                         "-2.5e3",
                                         "\"\"",
                                         "\"abc\"",
                                         "{}",
                                         "[1]",
                                         "12345",
                                         "\"a long name of a kernel, with <brackets>\"",
                                         "{\"a\":{\"b\":[]}}",
                                         "null",
                                         "true",
                                         "\"\\n\"",
                                         "\"x\\y\"",
                                         "NaN"};
    static const char *const names[] = {"name", "ph", "ts", "args", "", "other", "k\\u0041"};
    size_t layout = next_random(rng) % 40;
    uint64_t layout_rng = layout;
    size_t members = next_random(&layout_rng) % 7;
    size_t n = (size_t)snprintf(out, cap, "{%s", layout % 3 == 0 ? "\n    " : "");

    for (size_t i = 0; i < members; i++) {
        const char *name = names[next_random(&layout_rng) % 7];
        size_t value = next_random(repeats ? &layout_rng : rng) % (repeats ? 9 : 14);

        if (repeats && next_random(rng) % 64 == 0) {
            value = next_random(rng) % 14;
        }
        n += (size_t)snprintf(out + n, cap - n, "%s\"%s\":%s%s", i != 0 ? "," : "", name,
                              layout % 2 == 0 ? " " : "", values[value]);
    }
    n += (size_t)snprintf(out + n, cap - n, "}");
    if (next_random(rng) % (repeats ? 64 : 16) == 0) {
        out[1 + next_random(rng) % (n - 1)] = "\"\\,:{ }1x\n"[next_random(rng) % 10];
    }
    return n;
}

static void compare_random(bool repeats, size_t min_ahead)
{
    struct lf_tokenizer *plain = make(false);
    struct lf_tokenizer *shaped = make(true);
    uint64_t rng = 5;
    size_t n_ahead = 0;

    for (int round = 0; round < 200000; round++) {
        char text[1024];
        char *event;
        size_t n = random_event(text, sizeof text, repeats, &rng);
        struct outcome a, b;

        event = malloc(n);
        memcpy(event, text, n);
        a = read_with(plain, event, n, 5, true);
        n_ahead += assert_same_ahead(shaped, event, n, &a) != 0;
        b = read_with(shaped, event, n, 5, true);
        assert_same(&a, &b, text);
        free(event);
    }
    cr_assert_gt(n_ahead, min_ahead, "%zu", n_ahead);
    lf_tokenizer_destroy(plain);
    lf_tokenizer_destroy(shaped);
}

Test(token, shapes_change_nothing_on_random_events)
{
    compare_random(false, 0);
    compare_random(true, 10000);
}
