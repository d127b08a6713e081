/* The slow, obvious judge: what Perfetto's importer does with the events of one row. Written from
 * the rules, not from the solver; quadratic where that is plainer. */
#ifndef TESTS_ORACLE_JUDGE_H
#define TESTS_ORACLE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"

#define ORACLE_NOTHING UINT64_MAX

enum oracle_kind { ORACLE_X, ORACLE_B, ORACLE_E, ORACLE_INSTANT, ORACLE_HERE, ORACLE_NEXT };

struct oracle_event {
    enum oracle_kind kind;
    int64_t ts, dur; /* dur: X as written; B: filled by oracle_pairs */
    uint64_t name;
    uint64_t off;
    unsigned member;
    unsigned row;

    /* filled by oracle_judge */
    bool refused, crossing;
    /* X: starts where a slice ended that a B without an E keeps on the stack, so that Perfetto
     * ends all of them together as soon as a later event comes */
    bool truncated;
    uint64_t binds; /* flow endpoints: off of the slice, or ORACLE_NOTHING */

    bool hard;   /* B: closed by its own E (filled by oracle_pairs) */
    bool closed; /* B: an E closes it, complete slices taken into account */
};

/* Sorts events of one row into the importer's order. */
void oracle_sort(struct oracle_event *events, size_t n);

/* events: one row's, sorted. */
void oracle_judge(struct oracle_event *events, size_t n);

/* Which B an E of the row closes if there were nothing but B and E. */
void oracle_pairs(struct oracle_event *events, size_t n);

#endif
