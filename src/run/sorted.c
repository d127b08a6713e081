/* A merge of chunks that opens each as late as it can: when no slice that is left comes before its
 * least time. Open chunks are a heap by their first slice that is left. */
#include "run/sorted.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rewrite/patch.h"
#include "run/run.h"
#include "solve/order.h"

#define CHUNK_SLICES ((size_t)LF_RECORD_CHUNK)

struct chunk {
    const struct lf_records *list;
    struct lf_record_cursor at; /* its beginning in the list */
    int64_t least_ts;
    struct lf_slice *slices; /* NULL: not open */
    size_t n, next;
};

struct lf_sorted {
    const struct lf_run *run;
    struct chunk *chunks; /* by least_ts */
    size_t n_chunks, cap_chunks;
    size_t n_opened;
    struct chunk **heap;
    size_t n_heap, cap_heap;
    struct lf_slice *tmp;
    struct lf_slice *spare; /* of a chunk that is done */
};

static int compare_chunks(const void *x, const void *y)
{
    const struct chunk *a = x;
    const struct chunk *b = y;

    if (a->least_ts != b->least_ts) {
        return a->least_ts < b->least_ts ? -1 : 1;
    }
    return a->at.off < b->at.off ? -1 : a->at.off > b->at.off;
}

static size_t unpack(const struct lf_sorted *sorted, const struct lf_records *list,
                     struct lf_record_cursor *at, struct lf_slice *slices)
{
    size_t n = lf_records_read_slices(list, at, slices, CHUNK_SLICES, 0);

    for (size_t i = 0; sorted->run->rebase && i < n; i++) {
        slices[i].ts = lf_rebased_ts(slices[i].ts, sorted->run->base_ns);
    }
    return n;
}

static enum lanefix_status list_chunks(struct lf_sorted *sorted, const struct lf_records *list,
                                       struct lanefix_error *err)
{
    struct lf_record_mark mark;

    for (size_t k = 0; lf_records_mark(list, k, &mark); k++) {
        int64_t least = sorted->run->rebase ? lf_rebased_ts(mark.least_ts, sorted->run->base_ns)
                                            : mark.least_ts;

        LF_TRY(lf_grow(&sorted->chunks, &sorted->cap_chunks, sorted->n_chunks + 1,
                       sizeof *sorted->chunks, err));
        sorted->chunks[sorted->n_chunks++] =
            (struct chunk){.list = list, .at = mark.at, .least_ts = least};
    }
    return LANEFIX_OK;
}

enum lanefix_status lf_sorted_create(struct lf_sorted **out, const struct lf_run *run,
                                     const struct lf_records *const *lists, size_t n_lists,
                                     struct lanefix_error *err)
{
    struct lf_sorted *sorted;
    enum lanefix_status status;

    LF_TRY(lf_alloc_zero(&sorted, 1, sizeof *sorted, err));
    sorted->run = run;
    status = lf_alloc(&sorted->tmp, CHUNK_SLICES / 2, sizeof *sorted->tmp, err);
    for (size_t i = 0; status == LANEFIX_OK && i < n_lists; i++) {
        status = list_chunks(sorted, lists[i], err);
    }
    if (status != LANEFIX_OK) {
        lf_sorted_destroy(sorted);
        return status;
    }
    if (sorted->n_chunks != 0) {
        qsort(sorted->chunks, sorted->n_chunks, sizeof *sorted->chunks, compare_chunks);
    }
    *out = sorted;
    return LANEFIX_OK;
}

static const struct lf_slice *head(const struct chunk *chunk)
{
    return &chunk->slices[chunk->next];
}

static void sift_down(struct lf_sorted *sorted)
{
    struct chunk **heap = sorted->heap;
    struct chunk *x = heap[0];
    size_t k = 0;

    for (size_t child = 1; child < sorted->n_heap; child = 2 * k + 1) {
        if (child + 1 < sorted->n_heap &&
            lf_order_slice_less(head(heap[child + 1]), head(heap[child]))) {
            child++;
        }
        if (!lf_order_slice_less(head(heap[child]), head(x))) {
            break;
        }
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = x;
}

static enum lanefix_status open_next(struct lf_sorted *sorted, struct lanefix_error *err)
{
    struct chunk *chunk = &sorted->chunks[sorted->n_opened];
    struct lf_record_cursor at = chunk->at;
    size_t k = sorted->n_heap;

    LF_TRY(lf_grow(&sorted->heap, &sorted->cap_heap, k + 1, sizeof(struct chunk *), err));
    if (sorted->spare != NULL) {
        chunk->slices = sorted->spare;
        sorted->spare = NULL;
    } else {
        LF_TRY(lf_run_memory(sorted->run, CHUNK_SLICES * sizeof *chunk->slices, err));
        LF_TRY(lf_alloc(&chunk->slices, CHUNK_SLICES, sizeof *chunk->slices, err));
    }
    sorted->n_opened++;
    chunk->n = unpack(sorted, chunk->list, &at, chunk->slices);
    chunk->next = 0;
    if (!lf_order_slices_sorted(chunk->slices, chunk->n)) {
        lf_order_slices(chunk->slices, chunk->n, sorted->tmp);
    }
    for (sorted->n_heap++; k > 0; k = (k - 1) / 2) {
        struct chunk *parent = sorted->heap[(k - 1) / 2];

        if (!lf_order_slice_less(head(chunk), head(parent))) {
            break;
        }
        sorted->heap[k] = parent;
    }
    sorted->heap[k] = chunk;
    return LANEFIX_OK;
}

/* What came last from the chunk on top has been used. */
static void settle(struct lf_sorted *sorted)
{
    struct chunk *top = sorted->heap[0];

    if (top->next == top->n) {
        if (sorted->spare == NULL) {
            sorted->spare = top->slices;
        } else {
            free(top->slices);
        }
        top->slices = NULL;
        sorted->heap[0] = sorted->heap[--sorted->n_heap];
    }
    if (sorted->n_heap > 1) {
        sift_down(sorted);
    }
}

/* The chunk whose slices come next but for those of the top. */
static const struct chunk *second(const struct lf_sorted *sorted)
{
    struct chunk *const *heap = sorted->heap;

    if (sorted->n_heap < 2) {
        return NULL;
    }
    return sorted->n_heap > 2 && lf_order_slice_less(head(heap[2]), head(heap[1])) ? heap[2]
                                                                                   : heap[1];
}

/* How many slices of the top come before all that others hold: mostly few, so they are looked for
 * in growing steps. */
static size_t span(const struct lf_sorted *sorted)
{
    const struct chunk *top = sorted->heap[0];
    const struct chunk *other = second(sorted);
    bool all_open = sorted->n_opened == sorted->n_chunks;
    int64_t closed_ts = all_open ? INT64_MAX : sorted->chunks[sorted->n_opened].least_ts;
    size_t low = top->next + 1; /* the first does */
    size_t high = top->n;

    for (size_t step = 1; low < high;) {
        size_t look = high - low > step ? low + step - 1 : low + (high - low) / 2;
        const struct lf_slice *s = &top->slices[look];

        if ((all_open || s->ts < closed_ts) &&
            (other == NULL || lf_order_slice_less(s, head(other)))) {
            low = look + 1;
            step *= 2;
        } else {
            high = look;
            step = high;
        }
    }
    return low - top->next;
}

enum lanefix_status lf_sorted_next(struct lf_sorted *sorted, const struct lf_slice **slices,
                                   size_t *n, struct lanefix_error *err)
{
    if (sorted->n_heap > 0) {
        settle(sorted);
    }
    while (sorted->n_opened < sorted->n_chunks &&
           (sorted->n_heap == 0 ||
            sorted->chunks[sorted->n_opened].least_ts <= head(sorted->heap[0])->ts)) {
        LF_TRY(open_next(sorted, err));
    }
    *n = 0;
    if (sorted->n_heap > 0) {
        struct chunk *top = sorted->heap[0];

        *slices = head(top);
        *n = span(sorted);
        top->next += *n;
    }
    return LANEFIX_OK;
}

void lf_sorted_rewind(struct lf_sorted *sorted)
{
    for (size_t i = 0; i < sorted->n_opened; i++) {
        free(sorted->chunks[i].slices);
        sorted->chunks[i].slices = NULL;
    }
    sorted->n_opened = 0;
    sorted->n_heap = 0;
}

void lf_sorted_destroy(struct lf_sorted *sorted)
{
    if (sorted == NULL) {
        return;
    }
    lf_sorted_rewind(sorted);
    free(sorted->chunks);
    free(sorted->heap);
    free(sorted->tmp);
    free(sorted->spare);
    free(sorted);
}
