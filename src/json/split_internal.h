/* What the splitter's files share: the scan of the events area that every kernel does, and the
 * byte-wise readers that say what is refused and where.
 *
 * A kernel is fast and silent. Where it meets anything but well-formed events it raises an alarm
 * and goes no further; lf_split_step then reads the same place byte by byte and either finds the
 * fault, with its offset, or the next event. An alarm for nothing costs time, never a result. */
#ifndef LF_JSON_SPLIT_INTERNAL_H
#define LF_JSON_SPLIT_INTERNAL_H

#include "json/skip.h"
#include "json/split.h"

enum lf_scan_stop {
    LF_SCAN_END,    /* no more bytes */
    LF_SCAN_CLOSED, /* pos is at the array's ']' */
    LF_SCAN_ALARM,  /* something here is for lf_split_step */
    LF_SCAN_MEMORY  /* no room for events */
};

/* A scan of data[pos..n), which begins between two events. Whole events go into batch. */
struct lf_scan {
    const uint8_t *data;
    size_t n;
    size_t pos;    /* behind all that is dealt with: never inside an event */
    bool in_event; /* LF_SCAN_END: an event starts at pos and is not complete */
    struct lf_split_batch *batch;
};

/* Blocks of 64 bytes that are read at once, and the events (nested values) that these can touch: the
 * end of one, whole ones of two bytes, the start of one. */
#define LF_SCAN_BATCH        32
#define LF_SCAN_BATCH_EVENTS (LF_SCAN_BATCH * 32 + 1)

/* Makes room for what a batch can touch. */
enum lanefix_status lf_scan_reserve(struct lf_split_batch *b,
                                    struct lanefix_error *err) LF_MUST_USE;

/* Each scans until it must stop; all take and leave the same. err is set with LF_SCAN_MEMORY only.
 */
typedef enum lf_scan_stop lf_scan_fn(struct lf_scan *scan, struct lanefix_error *err);

lf_scan_fn lf_scan_portable;
lf_skip_fn lf_skip_portable;
#if defined(__x86_64__)
lf_scan_fn lf_scan_avx2;
lf_skip_fn lf_skip_avx2;
#elif defined(__aarch64__)
lf_scan_fn lf_scan_neon;
lf_skip_fn lf_skip_neon;
#endif

/* NULL where this build or this CPU does not have the kernel. */
lf_scan_fn *lf_scan_kernel(enum lf_split_kernel kernel);

/* Reads white space and commas, then one event or the array's end. The definition of what is taken
 * between and inside events. off: of data[0]. LANEFIX_ERR_INPUT at the first byte that cannot stand
 * where it stands; LANEFIX_ERR_MEMORY. LF_SCAN_ALARM in *stop means: one event was added. */
enum lanefix_status lf_split_step(struct lf_scan *scan, uint64_t off, enum lf_scan_stop *stop,
                                  struct lanefix_error *err) LF_MUST_USE;

/* Reads what stands outside the events, from data[*pos] on, until place is LF_SPLIT_EVENTS (*pos
 * behind the array's '[') or the bytes end. off: of data[0]. */
enum lanefix_status lf_split_head(struct lf_splitter *s, const uint8_t *data, size_t n, size_t *pos,
                                  uint64_t off, bool last, struct lanefix_error *err) LF_MUST_USE;

/* The events array was closed. */
void lf_split_head_resume(struct lf_splitter *s);

/* Room for how a message shows a byte. */
struct lf_shown_byte {
    char text[16];
};

/* 'x' for what can be shown, else "byte 0x00". */
struct lf_shown_byte lf_split_show(uint8_t c);

#endif
