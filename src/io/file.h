/* Plain reading and writing of descriptors: whole counts, EINTR tried again. */
#ifndef LF_IO_FILE_H
#define LF_IO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Reads up to n bytes; *got < n only at the end. */
enum lanefix_status lf_file_read(int fd, const char *name, void *buf, size_t n, size_t *got,
                                 struct lanefix_error *err) LF_MUST_USE;
enum lanefix_status lf_file_read_at(int fd, const char *name, void *buf, size_t n, uint64_t off,
                                    size_t *got, struct lanefix_error *err) LF_MUST_USE;

/* Writes all n bytes. */
enum lanefix_status lf_file_write(int fd, const char *name, const void *buf, size_t n,
                                  struct lanefix_error *err) LF_MUST_USE;

#endif
