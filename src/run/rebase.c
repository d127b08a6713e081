/* Rebasing: which base, and how the file tells it. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "trace/time.h"

#define SECOND_NS INT64_C(1000000000)

enum lanefix_status lf_rebase_prepare(struct lf_run *run, struct lanefix_error *err)
{
    const struct lf_splitter *found = &run->found;
    int64_t first = run->tracks.first_ts;
    int64_t old = 0;

    if (first == INT64_MAX || first < SECOND_NS) {
        return LANEFIX_OK; /* nothing to take off */
    }
    run->base_ns = first / SECOND_NS * SECOND_NS;
    run->rebase = true;
    run->report->counters.rebased_ns = run->base_ns;
    if (run->found.array_form) {
        return LANEFIX_OK; /* there is no place for it */
    }
    if (found->base_time_off != LANEFIX_NO_OFFSET) {
        if (!lf_integer_read(found->base_time, strlen(found->base_time), &old)) {
            return lf_fail(err, LANEFIX_ERR_INPUT, found->base_time_off,
                           "baseTimeNanoseconds is \"%s\": expected a whole number to add to",
                           found->base_time);
        }
    }
    if (__builtin_add_overflow(old, run->base_ns, &old)) {
        return lf_fail(err, LANEFIX_ERR_INPUT, found->base_time_off,
                       "baseTimeNanoseconds %s and the base of %lld ns are more than an int64 holds",
                       found->base_time, (long long)run->base_ns);
    }
    if (found->base_time_off != LANEFIX_NO_OFFSET) {
        return lf_bytes_printf(&run->base_time, err, "%lld", (long long)old);
    }
    return lf_bytes_printf(&run->base_time, err, "\"baseTimeNanoseconds\":%lld,", (long long)old);
}
