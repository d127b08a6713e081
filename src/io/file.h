/* Opening, reading and writing of descriptors: whole counts; EINTR is tried again, a descriptor that
 * does not block is waited for. */
#ifndef LF_IO_FILE_H
#define LF_IO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A duplicate of the descriptor that path names (/dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N,
 * /proc/self/fd/N): unlike a file opened by that name it shares the offset, and it may be a socket.
 * -1 where path is no such name. */
int lf_file_dup_named(const char *path);

/* open(2) with O_CLOEXEC and O_NOCTTY, or lf_file_dup_named; -1 and errno. */
int lf_file_open(const char *path, int flags);

/* Reads up to n bytes; *got < n only at the end. */
enum lanefix_status lf_file_read(int fd, const char *name, void *buf, size_t n, size_t *got,
                                 struct lanefix_error *err) LF_MUST_USE;
enum lanefix_status lf_file_read_at(int fd, const char *name, void *buf, size_t n, uint64_t off,
                                    size_t *got, struct lanefix_error *err) LF_MUST_USE;

/* Writes all n bytes. */
enum lanefix_status lf_file_write(int fd, const char *name, const void *buf, size_t n,
                                  struct lanefix_error *err) LF_MUST_USE;

#endif
