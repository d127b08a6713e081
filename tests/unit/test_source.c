/* Sources: files, pipes and descriptors, plain and compressed, read twice. In one file: every test
 * reads the same trace from another place. */
#include "io_support.h"

#include <sys/socket.h>

TestSuite(source, .init = make_folder, .fini = clean_up, .timeout = 30);

static const enum lanefix_form forms[] = {LANEFIX_FORM_PLAIN, LANEFIX_FORM_GZIP, LANEFIX_FORM_ZSTD};

static struct lanefix_error err;

static enum lanefix_status try_open(struct lf_source **s, const char *path, int fd, uint64_t memory)
{
    struct lf_source_options options = {.path = path,
                                        .fd = fd,
                                        .name = "the input",
                                        .spool_dir = folder,
                                        .spool_memory = memory,
                                        .window_log_max = 27};

    lf_error_init(&err);
    return lf_source_open(s, &options, &err);
}

static struct lf_source *open_source(const char *path, int fd, uint64_t memory)
{
    struct lf_source *s;

    cr_assert_eq(try_open(&s, path, fd, memory), LANEFIX_OK, "%s", err.message);
    return s;
}

static struct blob in_form(enum lanefix_form form, struct blob text)
{
    return form == LANEFIX_FORM_PLAIN ? text : packed(form, text, LF_LEVEL_DEFAULT, 1);
}

static void assert_reads(struct lf_source *s, size_t step, struct blob text)
{
    struct blob got;
    uint8_t more[8];
    size_t n;

    cr_assert_eq(read_all(s, step, &got, &err), LANEFIX_OK, "%s", err.message);
    cr_assert(same(got, text), "by %zu: %zu bytes, not the %zu written", step, got.n, text.n);
    blob_free(got);
    for (int i = 0; i < 40; i++) {
        n = 1;
        cr_assert_eq(lf_source_read(s, more, sizeof more, &n, &err), LANEFIX_OK, "%s", err.message);
        cr_assert_eq(n, 0);
    }
}

static void assert_reads_again(struct lf_source *s, size_t step, struct blob text)
{
    cr_assert_eq(lf_source_rewind(s, &err), LANEFIX_OK, "%s", err.message);
    assert_reads(s, step, text);
}

Test(source, file_of_every_form)
{
    static const size_t sizes[] = {1, 3, 4, 5, 1000, 300000};
    static const size_t steps[] = {1, 7, 4096, 1 << 20};

    for (size_t f = 0; f < 3; f++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct blob text = trace_text(sizes[i]);
            struct blob file = in_form(forms[f], text);
            const char *path = in_folder("input");
            struct lf_source *s;
            uint64_t n = 0;

            write_file(path, file);
            s = open_source(path, -1, 0);
            cr_assert_eq(lf_source_form(s), forms[f]);
            cr_assert_str_eq(lf_source_name(s), "the input");
            cr_assert_eq(lf_source_plain_fd(s) >= 0, forms[f] == LANEFIX_FORM_PLAIN);
            cr_assert(lf_source_packed_fd(s, &n) >= 0 && n == file.n);
            cr_assert_eq(lf_source_packed_size(s), file.n);
            for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
                assert_reads_again(s, steps[k], text);
                cr_assert_eq(lf_source_packed_pos(s), file.n);
            }
            cr_assert_eq(lf_source_check_unchanged(s, &err), LANEFIX_OK);
            lf_source_close(s);
        }
    }
}

Test(source, rewind_from_anywhere)
{
    struct blob text = trace_text(200000);

    for (size_t f = 0; f < 3; f++) {
        const char *path = in_folder("input");
        uint8_t buf[5000];
        size_t n;
        struct lf_source *s;

        write_file(path, in_form(forms[f], text));
        s = open_source(path, -1, 0);
        for (int i = 0; i < 5; i++) {
            cr_assert_eq(lf_source_read(s, buf, sizeof buf, &n, &err), LANEFIX_OK);
            cr_assert_eq(n, sizeof buf);
        }
        assert_reads_again(s, 9999, text);
        lf_source_close(s);
    }
}

Test(source, reads_plain_files_anywhere)
{
    struct blob text = trace_text(5000);
    struct lf_source *s;
    char buf[2000];
    size_t got;

    write_file(in_folder("input"), text);
    s = open_source(in_folder("input"), -1, 0);
    for (size_t off = 0; off < text.n + 3000; off += 701) {
        size_t expected = off > text.n ? 0 : text.n - off < sizeof buf ? text.n - off : sizeof buf;

        cr_assert_eq(lf_source_read_at(s, buf, sizeof buf, off, &got, &err), LANEFIX_OK);
        cr_assert_eq(got, expected);
        cr_assert_eq(memcmp(buf, text.data + off, got), 0);
    }
    assert_reads(s, 64, text); /* and in order, as if nothing had been read */
    lf_source_close(s);
}

/* A pipe that stays in memory, goes to a file at once, or in the middle. */
Test(source, pipe_of_every_form)
{
    static const uint64_t memories[] = {0, 3, 1000, 5000, 1 << 20};
    struct blob text = trace_text(300000);

    for (size_t f = 0; f < 3; f++) {
        struct blob file = in_form(forms[f], text);

        for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
            bool to_file = file.n > memories[i];
            struct lf_source *s;
            uint64_t n = 0;
            int ends[2];
            pid_t pid;

            cr_assert_eq(pipe(ends), 0);
            pid = write_in_child(ends[1], file, 777, 0);
            close(ends[1]);
            s = open_source(NULL, ends[0], memories[i]);
            cr_assert_eq(lf_source_form(s), forms[f]);
            cr_assert_eq(lf_source_plain_fd(s), -1);
            cr_assert_eq(lf_source_packed_fd(s, &n), -1);
            cr_assert_eq(lf_source_packed_size(s), 0);
            assert_reads(s, 1 + i * 1000, text);
            wait_child(pid);
            cr_assert_eq(lf_source_plain_fd(s) >= 0, to_file && forms[f] == LANEFIX_FORM_PLAIN);
            cr_assert_eq(lf_source_packed_fd(s, &n) >= 0, to_file);
            cr_assert_eq(n, file.n);
            cr_assert_eq(lf_source_packed_size(s), file.n);
            cr_assert_eq(count_files(false), 0, "the spool has a name");
            assert_reads_again(s, 4096, text);
            assert_reads_again(s, 99, text);
            lf_source_close(s);
            cr_assert_eq(fcntl(ends[0], F_GETFD), 0, "the descriptor was closed");
            close(ends[0]);
        }
    }
}

/* What is read is kept later, two pieces behind; the first bytes were kept when the source was
 * opened, and nothing is kept twice. */
Test(source, pipe_kept_later)
{
    enum { PIECE = 1000 };
    static const uint64_t memories[] = {0, 2500, 1 << 20};
    struct blob text = trace_text(30500);

    for (size_t f = 0; f < 3; f++) {
        for (size_t i = 0; i < 3; i++) {
            struct blob got = {NULL, 0};
            struct lf_source *s;
            char buf[PIECE];
            uint64_t kept = 0;
            int ends[2];
            pid_t pid;
            size_t n;

            cr_assert_eq(pipe(ends), 0);
            pid = write_in_child(ends[1], in_form(forms[f], text), 777, 0);
            close(ends[1]);
            s = open_source(NULL, ends[0], memories[i]);
            lf_source_defer(s);
            do {
                cr_assert_eq(lf_source_read(s, buf, PIECE, &n, &err), LANEFIX_OK);
                append(&got, buf, n);
                while (got.n - kept > (n < PIECE ? 0 : 2 * PIECE)) {
                    size_t part = got.n - kept < PIECE ? got.n - kept : PIECE;

                    for (int twice = 0; twice < 2; twice++) {
                        cr_assert_eq(lf_source_keep(s, kept, got.data + kept, part, &err),
                                     LANEFIX_OK, "%s", err.message);
                    }
                    kept += part;
                }
            } while (n == PIECE);
            wait_child(pid);
            cr_assert(same(got, text));
            assert_reads_again(s, 321, text);
            cr_assert_eq(lf_source_keep(s, 0, text.data, PIECE, &err), LANEFIX_OK);
            assert_reads_again(s, 4096, text);
            lf_source_close(s);
            close(ends[0]);
        }
    }
}

Test(source, pipe_is_rewound_before_its_end)
{
    struct blob text = trace_text(50000);
    uint8_t buf[1000];
    struct lf_source *s;
    int ends[2];
    pid_t pid;
    size_t n;

    cr_assert_eq(pipe(ends), 0);
    pid = write_in_child(ends[1], text, 500, 0);
    close(ends[1]);
    s = open_source(NULL, ends[0], 3000);
    cr_assert_eq(lf_source_read(s, buf, sizeof buf, &n, &err), LANEFIX_OK);
    assert_reads_again(s, 321, text);
    wait_child(pid);
    lf_source_close(s);
}

Test(source, fifo_and_slow_writer)
{
    struct blob text = trace_text(1000);
    const char *path = in_folder("fifo");
    struct lf_source *s;
    pid_t pid;
    int fd;

    cr_assert_eq(mkfifo(path, 0600), 0);
    fd = open(path, O_RDWR);
    pid = write_in_child(fd, text, 100, 2000);
    s = open_source(path, -1, 1 << 20);
    close(fd);
    assert_reads(s, 4096, text);
    wait_child(pid);
    assert_reads_again(s, 10, text);
    lf_source_close(s);
}

Test(source, descriptor_that_does_not_block)
{
    struct blob text = trace_text(1000);
    struct lf_source *s;
    int ends[2];
    pid_t pid;

    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    pid = write_in_child(ends[1], text, 100, 2000);
    close(ends[1]);
    s = open_source(NULL, ends[0], 1 << 20);
    assert_reads(s, 300, text);
    wait_child(pid);
    lf_source_close(s);
}

Test(source, socket_as_standard_input)
{
    struct blob text = trace_text(1000);
    struct lf_source *s;
    int ends[2];
    pid_t pid;

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid = write_in_child(ends[1], text, 100, 0);
    close(ends[1]);
    cr_assert_eq(dup2(ends[0], 0), 0);
    s = open_source("/dev/stdin", -1, 1 << 20);
    assert_reads(s, 300, text);
    wait_child(pid);
    lf_source_close(s);
}

/* The rest of a file, as a shell hands it on. */
Test(source, descriptor_behind_the_start)
{
    struct blob text = trace_text(9000);
    struct lf_source *s;
    int fd;

    write_file(in_folder("input"), text);
    fd = open(in_folder("input"), O_RDONLY);
    s = open_source(NULL, fd, 0);
    cr_assert_eq(lf_source_plain_fd(s), fd);
    assert_reads(s, 100, text);
    lf_source_close(s);
    cr_assert_eq(lseek(fd, 0, SEEK_CUR), 0, "the offset was moved");

    cr_assert_eq(lseek(fd, 2000, SEEK_SET), 2000);
    s = open_source(NULL, fd, 0);
    cr_assert_eq(lf_source_plain_fd(s), -1);
    assert_reads(s, 100, (struct blob){text.data + 2000, 7000});
    assert_reads_again(s, 99, (struct blob){text.data + 2000, 7000});
    lf_source_close(s);
}

Test(source, file_whose_size_says_nothing)
{
    struct blob text = read_file("/proc/version");
    struct lf_source *s = open_source("/proc/version", -1, 0);
    uint64_t n;

    assert_reads(s, 10, text);
    assert_reads_again(s, 11, text);
    cr_assert(lf_source_packed_fd(s, &n) >= 0 && n == text.n);
    lf_source_close(s);
}

static void assert_not_opened(const char *path, int fd, enum lanefix_status status, int sys_errno,
                              const char *message)
{
    struct lf_source *s = NULL;

    cr_assert_eq(try_open(&s, path, fd, 0), status);
    cr_assert_null(s);
    cr_assert_eq(err.status, status);
    cr_assert_eq(err.sys_errno, sys_errno, "%s", err.message);
    cr_assert_not_null(strstr(err.message, "the input"), "%s", err.message);
    cr_assert_not_null(strstr(err.message, message), "%s", err.message);
}

Test(source, refuses_what_is_no_file)
{
    int ends[2];

    write_file(in_folder("empty"), (struct blob){(uint8_t *)"", 0});
    assert_not_opened(in_folder("empty"), -1, LANEFIX_ERR_INPUT, 0, "empty");
    assert_not_opened("/dev/null", -1, LANEFIX_ERR_INPUT, 0, "empty");
    assert_not_opened(folder, -1, LANEFIX_ERR_IO, EISDIR, "irectory");
    assert_not_opened(in_folder("missing"), -1, LANEFIX_ERR_IO, ENOENT, "No such file");
    assert_not_opened(NULL, -1, LANEFIX_ERR_IO, EBADF, "");
    assert_not_opened(NULL, 999, LANEFIX_ERR_IO, EBADF, "");
    cr_assert_eq(pipe(ends), 0);
    assert_not_opened(NULL, ends[1], LANEFIX_ERR_IO, EBADF, "cannot be read");
    close(ends[1]);
    assert_not_opened(NULL, ends[0], LANEFIX_ERR_INPUT, 0, "empty");
}

static void assert_changed(struct lf_source *s, bool by_read)
{
    struct blob got;
    enum lanefix_status status =
        by_read ? read_all(s, 1000, &got, &err) : lf_source_rewind(s, &err);

    cr_assert_eq(status, LANEFIX_ERR_IO);
    cr_assert_not_null(strstr(err.message, "the input: was changed"), "%s", err.message);
    cr_assert_eq(lf_source_check_unchanged(s, &err), LANEFIX_ERR_IO);
}

Test(source, sees_that_the_file_was_changed)
{
    struct blob text = trace_text(20000);

    for (size_t f = 0; f < 3; f++) {
        for (int change = 0; change < 3; change++) {
            const char *path = in_folder("input");
            struct timespec times[2] = {{0, UTIME_OMIT}, {1000000000, 5}};

            for (int by_read = 0; by_read < 2; by_read++) {
                struct blob file = in_form(forms[f], text);
                struct lf_source *s;
                struct blob got;

                write_file(path, file);
                s = open_source(path, -1, 0);
                if (by_read == 0) {
                    cr_assert_eq(read_all(s, 1000, &got, &err), LANEFIX_OK);
                }
                if (change == 0) {
                    append(&file, " ", 1);
                    write_file(path, file);
                } else if (change == 1) {
                    cr_assert_eq(truncate(path, 2000), 0);
                } else {
                    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
                }
                if (forms[f] == LANEFIX_FORM_PLAIN || change == 2 || by_read == 0) {
                    assert_changed(s, by_read != 0);
                }
                lf_source_close(s);
            }
        }
    }
}

Test(source, says_where_compressed_data_is_cut)
{
    struct blob text = trace_text(100000);

    for (size_t f = 1; f < 3; f++) {
        struct blob file = in_form(forms[f], text);
        const char *path = in_folder("input");
        struct blob got;
        char place[80];

        for (size_t n = 4; n < file.n; n += 1 + file.n / 50) {
            struct lf_source *s;

            write_file(path, (struct blob){file.data, n});
            s = open_source(path, -1, 0);
            cr_assert_eq(read_all(s, 1000, &got, &err), LANEFIX_ERR_INPUT);
            cr_assert_eq(err.packed_offset, n);
            cr_assert(err.offset <= text.n);
            cr_assert_eq(err.sys_errno, 0);
            snprintf(place, sizeof place, "stream ends in the middle, at byte %zu of the file", n);
            cr_assert_not_null(strstr(err.message, place), "%s", err.message);
            cr_assert(memcmp(got.data, text.data, got.n) == 0);
            lf_source_close(s);
            blob_free(got);
        }
    }
}

Test(source, says_where_compressed_data_is_broken)
{
    struct blob text = trace_text(100000);
    struct blob file = gzip_stored(text, GZ_NAME);
    struct blob got;
    struct lf_source *s;

    append_blob(&file, gzip_stored(text, 0));
    file.data[file.n - 5] ^= 0x10;
    write_file(in_folder("input"), file);
    for (int i = 0; i < 2; i++) {
        s = open_source(in_folder("input"), -1, 0);
        cr_assert_eq(read_all(s, 999, &got, &err), LANEFIX_ERR_INPUT);
        cr_assert_eq(err.offset, 2 * text.n);
        cr_assert(err.packed_offset + 8 >= file.n && err.packed_offset <= file.n);
        cr_assert_not_null(strstr(err.message, "the input: "), "%s", err.message);
        cr_assert_eq(lf_source_rewind(s, &err), LANEFIX_OK);
        cr_assert_eq(read_all(s, 1 << 20, &got, &err), LANEFIX_ERR_INPUT, "taken the second time");
        lf_source_close(s);
    }
}

Test(source, spool_folder_is_refused)
{
    struct lf_source_options options = {.fd = -1,
                                        .name = "the input",
                                        .spool_dir = "/nowhere/at/all",
                                        .spool_memory = 2,
                                        .window_log_max = 27};
    struct blob text = trace_text(1000);
    struct lf_source *s;
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], text.data, text.n), (ssize_t)text.n);
    options.fd = ends[0];
    lf_error_init(&err);
    cr_assert_eq(lf_source_open(&s, &options, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.sys_errno, ENOENT);
    cr_assert_not_null(strstr(err.message, "/nowhere/at/all"), "%s", err.message);
}

Test(source, knows_one_file_by_two_names)
{
    int fd;

    write_file(in_folder("one"), trace_text(10));
    write_file(in_folder("two"), trace_text(10));
    cr_assert_eq(symlink("one", in_folder("link")), 0);
    cr_assert_eq(link(in_folder("one"), in_folder("hard")), 0);
    fd = open(in_folder("one"), O_RDONLY);
    cr_assert(lf_same_file(in_folder("one"), -1, in_folder("link")));
    cr_assert(lf_same_file(in_folder("hard"), -1, in_folder("one")));
    cr_assert(lf_same_file(NULL, fd, in_folder("hard")));
    cr_assert_not(lf_same_file(NULL, fd, in_folder("two")));
    cr_assert_not(lf_same_file(in_folder("one"), -1, in_folder("missing")));
    cr_assert_not(lf_same_file(in_folder("missing"), -1, in_folder("missing")));
    cr_assert_not(lf_same_file("/dev/null", -1, "/dev/null"));
}
