/* An open hash table of pairs. A search that starts at a taken id leaves there how far it came, so
 * that a thousand lanes with one wish do not each walk over all the others. */
#include "solve/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void lf_id_set_init(struct lf_id_set *set, uint64_t seed)
{
    memset(set, 0, sizeof *set);
    set->seed = seed;
}

void lf_id_set_fini(struct lf_id_set *set)
{
    free(set->slots);
    memset(set, 0, sizeof *set);
}

static size_t find_slot(const struct lf_id_set *set, struct lf_key pid, struct lf_key tid)
{
    uint64_t p = (uint64_t)pid.kind << 32 | pid.value;
    uint64_t q = (uint64_t)tid.kind << 32 | tid.value;
    size_t at = (size_t)lf_hash_mix(lf_hash_mix(p ^ set->seed, set->seed) ^ q,
                                    set->seed ^ 0x94d049bb133111ebu) &
                (set->n_slots - 1);

    while (set->slots[at].taken &&
           !(lf_key_equal(set->slots[at].pid, pid) && lf_key_equal(set->slots[at].tid, tid))) {
        at = (at + 1) & (set->n_slots - 1);
    }
    return at;
}

enum lanefix_status lf_id_set_add(struct lf_id_set *set, struct lf_key pid, struct lf_key tid,
                                  struct lanefix_error *err)
{
    size_t at;

    if ((set->n + 1) * 4 > set->n_slots * 3) {
        struct lf_id_pair *old = set->slots;
        size_t n_old = set->n_slots;
        size_t n_slots = n_old != 0 ? n_old * 2 : 64;

        LF_TRY(lf_alloc_zero(&set->slots, n_slots, sizeof *set->slots, err));
        set->n_slots = n_slots;
        for (size_t i = 0; i < n_old; i++) {
            if (old[i].taken) {
                set->slots[find_slot(set, old[i].pid, old[i].tid)] = old[i];
            }
        }
        free(old);
    }
    at = find_slot(set, pid, tid);
    if (!set->slots[at].taken) {
        set->slots[at] = (struct lf_id_pair){pid, tid, tid.value + 1, true};
        set->n++;
    }
    return LANEFIX_OK;
}

bool lf_id_set_has(const struct lf_id_set *set, struct lf_key pid, struct lf_key tid)
{
    return set->n_slots != 0 && set->slots[find_slot(set, pid, tid)].taken;
}

enum lanefix_status lf_id_set_take(struct lf_id_set *set, struct lf_key pid, uint64_t wish,
                                   struct lf_key *tid, struct lanefix_error *err)
{
    struct lf_key at = {LF_ID_NUMBER, wish <= UINT32_MAX ? (uint32_t)wish : 1};
    struct lf_key first = at;
    uint64_t steps = 0;

    while (at.value == 0 || lf_key_equal(at, pid) || lf_id_set_has(set, pid, at)) {
        uint32_t next = at.value + 1;

        if (at.value != 0 && lf_id_set_has(set, pid, at)) {
            next = set->slots[find_slot(set, pid, at)].next;
        }
        at.value = next;
        if (++steps > UINT32_MAX) {
            return lf_fail(err, LANEFIX_ERR_LIMIT, LANEFIX_NO_OFFSET,
                           "no free thread id is left in a process");
        }
    }
    LF_TRY(lf_id_set_add(set, pid, at, err));
    if (lf_id_set_has(set, pid, first)) {
        set->slots[find_slot(set, pid, first)].next = at.value + 1;
    }
    *tid = at;
    return LANEFIX_OK;
}
