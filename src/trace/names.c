/* The pool: an open hash table of entry numbers over one array of bytes. */
#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void lf_names_init(struct lf_names *names, uint64_t seed)
{
    memset(names, 0, sizeof *names);
    names->seed = seed;
}

void lf_names_fini(struct lf_names *names)
{
    free(names->bytes);
    free(names->entries);
    free(names->slots);
    memset(names, 0, sizeof *names);
}

static enum lanefix_status rehash(struct lf_names *names, struct lanefix_error *err)
{
    size_t n_slots = names->n_slots != 0 ? names->n_slots * 2 : 64;
    uint32_t *slots;

    LF_TRY(lf_alloc_zero(&slots, n_slots, sizeof *slots, err));
    for (size_t i = 0; i < names->n_entries; i++) {
        size_t at = (size_t)names->entries[i].hash & (n_slots - 1);

        while (slots[at] != 0) {
            at = (at + 1) & (n_slots - 1);
        }
        slots[at] = (uint32_t)i + 1;
    }
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    return LANEFIX_OK;
}

/* The slot that holds the text, or the free one where it would stand. */
static size_t find_slot(const struct lf_names *names, uint64_t hash, uint32_t tag, const char *text,
                        size_t n)
{
    size_t at = (size_t)hash & (names->n_slots - 1);

    for (; names->slots[at] != 0; at = (at + 1) & (names->n_slots - 1)) {
        const struct lf_name_entry *e = &names->entries[names->slots[at] - 1];

        if (e->hash == hash && e->tag == tag && e->len == n &&
            memcmp(names->bytes + e->start, text, n) == 0) {
            break;
        }
    }
    return at;
}

uint32_t lf_names_find(const struct lf_names *names, uint32_t tag, const char *text, size_t n)
{
    if (names->n_slots == 0) {
        return LF_NO_NAME;
    }
    /* a free slot holds 0: one less is LF_NO_NAME */
    return names->slots[find_slot(names, lf_hash_bytes(names->seed ^ tag, text, n), tag, text, n)] -
           1;
}

enum lanefix_status lf_names_intern(struct lf_names *names, uint32_t tag, const char *text,
                                    size_t n, uint32_t *id, struct lanefix_error *err)
{
    uint64_t hash = lf_hash_bytes(names->seed ^ tag, text, n);
    size_t at;

    if ((names->n_entries + 1) * 4 > names->n_slots * 3) {
        LF_TRY(rehash(names, err));
    }
    at = find_slot(names, hash, tag, text, n);
    if (names->slots[at] == 0) {
        LF_TRY(lf_grow(&names->entries, &names->cap_entries, names->n_entries + 1,
                       sizeof *names->entries, err));
        /* one more: there are bytes, also where all texts are empty */
        LF_TRY(lf_grow(&names->bytes, &names->cap_bytes, names->n_bytes + n + 1, 1, err));
        memcpy(names->bytes + names->n_bytes, text, n);
        names->entries[names->n_entries] =
            (struct lf_name_entry){hash, names->n_bytes, (uint32_t)n, tag};
        names->n_bytes += n;
        names->slots[at] = (uint32_t)++names->n_entries;
    }
    *id = names->slots[at] - 1;
    return LANEFIX_OK;
}

const char *lf_names_text(const struct lf_names *names, uint32_t id, size_t *n)
{
    *n = names->entries[id].len;
    return names->bytes + names->entries[id].start;
}
