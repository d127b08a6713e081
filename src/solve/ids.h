/* The (pid, tid) pairs that are taken, and where the next free one is. */
#ifndef LF_SOLVE_IDS_H
#define LF_SOLVE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/tracks.h"

struct lf_id_set {
    struct lf_id_pair {
        struct lf_key pid, tid;
        uint32_t next; /* from here on the search for the next free id goes on */
        bool taken;
    } *slots;
    size_t n, n_slots;
    uint64_t seed;
};

void lf_id_set_init(struct lf_id_set *set, uint64_t seed);
void lf_id_set_fini(struct lf_id_set *set);

enum lanefix_status lf_id_set_add(struct lf_id_set *set, struct lf_key pid, struct lf_key tid,
                                  struct lanefix_error *err) LF_MUST_USE;
bool lf_id_set_has(const struct lf_id_set *set, struct lf_key pid, struct lf_key tid);

/* Takes the first numeric tid from wish on (then from 1 on) that is not 0, not the pid and not taken
 * in pid. LANEFIX_ERR_LIMIT where all 2^32 are taken. */
enum lanefix_status lf_id_set_take(struct lf_id_set *set, struct lf_key pid, uint64_t wish,
                                   struct lf_key *tid, struct lanefix_error *err) LF_MUST_USE;

#endif
