/* Matching ahead: an event that agrees is found with its end and its values, and all kernels say the
 * same of every text, cut or changed anywhere. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/shape.h"

static const enum lf_split_kernel kernels[] = {LF_SPLIT_PORTABLE, LF_SPLIT_AVX2, LF_SPLIT_NEON,
                                               LF_SPLIT_AUTO};
#define N_KERNELS (sizeof kernels / sizeof kernels[0])

enum { TEXT_MAX = 2048, MEMBERS_MAX = 12 };

/* An event under construction, with its members as jsmn would tell them. */
struct event {
    char text[TEXT_MAX];
    size_t n;
    struct lf_member_value members[MEMBERS_MAX];
    size_t n_members;
    struct lf_span nested[MEMBERS_MAX];
    size_t n_nested;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void put(struct event *e, const char *text)
{
    size_t n = strlen(text);

    cr_assert_lt(e->n + n, (size_t)TEXT_MAX);
    memcpy(e->text + e->n, text, n);
    e->n += n;
}

/* The kth member: its name, white space and kind by layout, its value by rng. */
static void put_member(struct event *e, size_t k, uint64_t layout, uint64_t *rng)
{
    static const char *const strings[] = {"", "a", "aten::add_", "0123456789abcdef0123456789abcde",
                                          "a name of forty characters and some more, no 40"};
    static const char *const numbers[] = {"0", "-1", "123456.789", "1e+9", "5936512345678.125"};
    static const char *const nested[] = {"{}", "[1,2]", "{\"a\": [\"]\", {}], \"b c d e f g h i\": 1}"};
    static const char *const gaps[] = {"", " ", "\n      "};
    struct lf_member_value *m = &e->members[e->n_members++];
    const char *gap = gaps[(layout >> 2) % 3];
    char head[64];
    uint32_t from;

    snprintf(head, sizeof head, "%s%s\"key%.*s%zu\":%s", k == 0 ? "" : ",", gap,
             (int)((layout >> 4) % 20), "aaaaaaaaaaaaaaaaaaaa", k, gap);
    put(e, head);
    m->key = layout >> 9 & 1 ? (int)k : LF_KEY_NONE;
    from = (uint32_t)e->n;
    switch (layout % 3) {
    case 0:
        put(e, "\"");
        put(e, strings[next_random(rng) % 5]);
        m->value = (struct lf_value){from + 1, (uint32_t)e->n, LF_VALUE_STRING};
        put(e, "\"");
        break;
    case 1:
        put(e, numbers[next_random(rng) % 5]);
        m->value = (struct lf_value){from, (uint32_t)e->n, LF_VALUE_PRIMITIVE};
        break;
    default:
        put(e, nested[next_random(rng) % 3]);
        m->value = (struct lf_value){from, (uint32_t)e->n,
                                     e->text[from] == '{' ? LF_VALUE_OBJECT : LF_VALUE_ARRAY};
        e->nested[e->n_nested++] = (struct lf_span){from, (uint32_t)e->n};
    }
}

/* Events of one layout differ in their values only. */
static void make_event(struct event *e, uint64_t layout, uint64_t *rng)
{
    size_t n = 1 + layout % 8;

    memset(e, 0, sizeof *e);
    put(e, "{");
    for (size_t k = 0; k < n; k++) {
        put_member(e, k, next_random(&layout), rng);
    }
    put(e, "}");
}

static bool make_shape(struct lf_shape *shape, struct event *e, uint32_t steady)
{
    struct lf_event_text text = {(const uint8_t *)e->text, e->n, e->nested, e->n_nested, 0};
    struct lf_member_list members = {e->members, e->n_members, MEMBERS_MAX};

    lf_shape_make(shape, &text, &members, steady);
    return shape->n_parts != 0;
}

/* What a kernel says; zeroed, so that what is not set compares. */
struct answer {
    size_t end;
    struct lf_value values[MEMBERS_MAX];
    uint32_t literal_at[LF_SHAPE_PARTS];
};

/* The text is copied, so that a sanitizer sees what is read behind it. */
static struct answer ask(const struct lf_shape *shape, const char *text, size_t n)
{
    struct answer first;
    uint8_t *copy = malloc(n == 0 ? 1 : n);

    memcpy(copy, text, n);
    for (size_t k = 0; k < N_KERNELS; k++) {
        lf_match_ahead_fn *kernel = lf_match_ahead_kernel(kernels[k]);
        struct answer a;

        cr_assert_eq(kernel != NULL, lf_split_kernel_available(kernels[k]));
        if (kernel == NULL) {
            continue;
        }
        memset(&a, 0, sizeof a);
        a.end = kernel(shape, copy, n, lf_skip_kernel(LF_SPLIT_PORTABLE), a.values, a.literal_at);
        if (k == 0) {
            first = a;
        }
        cr_assert_eq(a.end, first.end, "%.*s: kernel %d: %zu, %zu", (int)n, text, (int)kernels[k],
                     a.end, first.end);
        cr_assert(a.end == 0 || memcmp(&a, &first, sizeof a) == 0, "%.*s: kernel %d", (int)n, text,
                  (int)kernels[k]);
    }
    free(copy);
    return first;
}

static void assert_found(const struct lf_shape *shape, const struct event *e, const char *text,
                         size_t n)
{
    struct answer a = ask(shape, text, n);

    cr_assert_eq(a.end, e->n, "%.*s: %zu", (int)n, text, a.end);
    lf_shape_fixed(shape, a.literal_at, a.values);
    for (size_t i = 0; i < e->n_members; i++) {
        const struct lf_member_value *m = &e->members[i];

        cr_assert(m->key == LF_KEY_NONE ||
                      memcmp(&m->value, &a.values[m->key], sizeof m->value) == 0,
                  "%.*s: member %zu", (int)n, text, i);
    }
}

/* Members of another event of the layout that agree with those that are part of the literals. */
static bool same_steady(const struct event *a, const struct event *b, uint32_t steady)
{
    for (size_t i = 0; i < a->n_members; i++) {
        const struct lf_value *v = &a->members[i].value;
        const struct lf_value *w = &b->members[i].value;

        if (a->members[i].key != LF_KEY_NONE && (steady >> a->members[i].key & 1) &&
            (v->end - v->start != w->end - w->start ||
             memcmp(a->text + v->start, b->text + w->start, v->end - v->start) != 0)) {
            return false;
        }
    }
    return true;
}

Test(shape, finds_events_of_its_layout_only)
{
    static const char *const tails[] = {"", ",{\"key0\":1}", "]}", "                               "};
    uint64_t rng = 7;
    size_t n_found = 0;
    size_t n_others = 0;

    for (int round = 0; round < 20000; round++) {
        uint64_t layout = next_random(&rng);
        uint32_t steady = round % 2 == 0 ? 0 : (uint32_t)next_random(&rng);
        struct lf_shape shape;
        struct event model, e;
        char text[TEXT_MAX];
        int n;

        make_event(&model, layout, &rng);
        if (!make_shape(&shape, &model, steady)) {
            continue;
        }
        make_event(&e, layout, &rng);
        n = snprintf(text, sizeof text, "%.*s%s", (int)e.n, e.text, tails[next_random(&rng) % 4]);
        if (same_steady(&model, &e, steady)) {
            assert_found(&shape, &e, text, (size_t)n);
            n_found++;
        } else {
            cr_assert_eq(ask(&shape, text, (size_t)n).end, 0, "%s", text);
            n_others++;
        }
        for (size_t cut = 0; round % 50 == 0 && cut < e.n; cut++) {
            cr_assert_eq(ask(&shape, text, cut).end, 0, "%.*s", (int)cut, text);
        }
    }
    cr_assert_gt(n_found, 5000);
    cr_assert_gt(n_others, 1000);
}

Test(shape, kernels_agree_on_changed_texts)
{
    static const char bytes[] = "\"\\{}[],: 0e+-/9a\n";
    uint64_t rng = 9;

    for (int round = 0; round < 100000; round++) {
        uint64_t layout = next_random(&rng);
        struct lf_shape shape;
        struct event e;
        size_t at;

        make_event(&e, layout, &rng);
        if (!make_shape(&shape, &e, 0)) {
            continue;
        }
        at = next_random(&rng) % e.n;
        e.text[at] = round % 8 == 0 ? '\0' : bytes[next_random(&rng) % (sizeof bytes - 1)];
        (void)ask(&shape, e.text, e.n);
    }
}
