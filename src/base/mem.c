/* Checked memory. Large arrays ask for huge pages: with small ones the first touch of each page
 * costs more than what is done with it, above all in a virtual machine. */
#include "base/mem.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_NBYTES 4096u
#define HUGE_MIN    ((size_t)4 << 20)

/* The out parameters are void * so that a pointer to any object pointer can be given; memcpy keeps
 * that within the aliasing rules. */
static void store_pointer(void *out, void *p)
{
    memcpy(out, &p, sizeof p);
}

/* Only what the system gives page by page as it is touched gains by it, and no more than a page is
 * wasted at either end. Where it is refused nothing is lost. */
static void prefer_huge_pages(void *p, size_t n)
{
    uintptr_t start = ((uintptr_t)p + PAGE_NBYTES - 1) & ~(uintptr_t)(PAGE_NBYTES - 1);
    uintptr_t end = ((uintptr_t)p + n) & ~(uintptr_t)(PAGE_NBYTES - 1);

    if (n >= HUGE_MIN) {
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
    }
}

enum lanefix_status lf_alloc(void *out, size_t n, size_t size, struct lanefix_error *err)
{
    size_t nbytes;
    void *p;

    if (__builtin_mul_overflow(n != 0 ? n : 1, size, &nbytes)) {
        return lf_fail_memory(err, SIZE_MAX);
    }
    p = malloc(nbytes);
    if (p == NULL) {
        return lf_fail_memory(err, nbytes);
    }
    prefer_huge_pages(p, nbytes);
    store_pointer(out, p);
    return LANEFIX_OK;
}

enum lanefix_status lf_alloc_zero(void *out, size_t n, size_t size, struct lanefix_error *err)
{
    void *p = calloc(n != 0 ? n : 1, size);

    if (p == NULL) {
        return lf_fail_memory(err, n * size);
    }
    prefer_huge_pages(p, n * size);
    store_pointer(out, p);
    return LANEFIX_OK;
}

enum lanefix_status lf_grow(void *array, size_t *cap, size_t need, size_t size,
                            struct lanefix_error *err)
{
    size_t want = *cap + *cap / 2;
    size_t nbytes;
    void *p;

    if (need <= *cap) {
        return LANEFIX_OK;
    }
    want = want < need ? need : want;
    want = want < 16 ? 16 : want;
    if (__builtin_mul_overflow(want, size, &nbytes)) {
        return lf_fail_memory(err, SIZE_MAX);
    }
    memcpy(&p, array, sizeof p);
    p = realloc(p, nbytes);
    if (p == NULL) {
        return lf_fail_memory(err, nbytes);
    }
    prefer_huge_pages(p, nbytes);
    store_pointer(array, p);
    *cap = want;
    return LANEFIX_OK;
}

enum lanefix_status lf_pages_alloc(void *out, size_t n, struct lanefix_error *err)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        return lf_fail_memory(err, n);
    }
    store_pointer(out, p);
    return LANEFIX_OK;
}

void lf_pages_free(void *p, size_t n)
{
    munmap(p, n);
}

uint64_t lf_memory_resident(void)
{
    unsigned long long total, resident;
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0) {
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%llu %llu", &total, &resident) == 2
               ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE)
               : 0;
}
