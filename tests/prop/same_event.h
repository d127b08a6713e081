/* Whether two readers said the same of an event. */
#ifndef LF_TESTS_PROP_SAME_EVENT_H
#define LF_TESTS_PROP_SAME_EVENT_H

#include <stdbool.h>

#include "trace/event.h"

static inline bool same_value(const struct lf_value *a, const struct lf_value *b)
{
    return a->kind == b->kind &&
           (a->kind == LF_VALUE_ABSENT || (a->start == b->start && a->end == b->end));
}

static inline bool same_id(const struct lf_id *a, const struct lf_id *b)
{
    bool has_text = a->kind == LF_ID_STRING || a->kind == LF_ID_ODD;

    return a->kind == b->kind && a->number == b->number &&
           (!has_text || (a->text.start == b->text.start && a->text.end == b->text.end));
}

static inline bool same_event(const struct lf_event *a, const struct lf_event *b)
{
    return a->type == b->type && a->slice_kind == b->slice_kind && a->flow_kind == b->flow_kind &&
           a->has_ts == b->has_ts && a->is_metadata == b->is_metadata &&
           a->is_rounded == b->is_rounded && a->is_annotation == b->is_annotation &&
           a->decimals == b->decimals && a->bad_time == b->bad_time && a->ts == b->ts &&
           a->u.name_hash == b->u.name_hash && same_id(&a->pid, &b->pid) &&
           same_id(&a->tid, &b->tid) && a->name.start == b->name.start &&
           a->name.end == b->name.end;
}

#endif
