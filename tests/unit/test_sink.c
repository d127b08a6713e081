/* Sinks: a file appears whole or not at all; streams; copies. In one file: the tests share what looks
 * for leftovers. */
#include "io_support.h"

#include <signal.h>

TestSuite(sink, .init = make_folder, .fini = clean_up, .timeout = 30);

static struct lanefix_error err;

static enum lanefix_status try_open(struct lf_sink **s, const char *path, int fd)
{
    struct lf_sink_options options = {.path = path,
                                      .fd = fd,
                                      .name = "the output",
                                      .level = LF_LEVEL_DEFAULT,
                                      .threads = 1};

    lf_error_init(&err);
    return lf_sink_open(s, &options, &err);
}

static struct lf_sink *open_sink(const char *path, int fd)
{
    struct lf_sink *s;

    cr_assert_eq(try_open(&s, path, fd), LANEFIX_OK, "%s", err.message);
    return s;
}

static void put(struct lf_sink *s, struct blob b)
{
    cr_assert_eq(lf_sink_write(s, b.data, b.n, &err), LANEFIX_OK, "%s", err.message);
}

static void commit(struct lf_sink *s)
{
    cr_assert_eq(lf_sink_commit(s, &err), LANEFIX_OK, "%s", err.message);
    lf_sink_close(s);
}

static void assert_holds(const char *path, struct blob text)
{
    cr_assert(same(read_file(path), text), "%s holds something else", path);
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    cr_assert_eq(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

Test(sink, file_appears_on_commit)
{
    struct blob text = trace_text(700000);
    struct lf_sink *s = open_sink(in_folder("out.json"), -1);

    cr_assert(lf_sink_is_file(s));
    put(s, text);
    cr_assert_neq(access(in_folder("out.json"), F_OK), 0);
    cr_assert_eq(count_files(false), 1);
    cr_assert_eq(lf_sink_commit(s, &err), LANEFIX_OK);
    cr_assert_eq(lf_sink_bytes_written(s), text.n);
    assert_holds(in_folder("out.json"), text);
    lf_sink_close(s);
    cr_assert_eq(count_files(false), 1);
}

Test(sink, nothing_is_left_without_commit)
{
    static const char *const names[] = {"out.json", "out.json.gz", "out.json.zst"};
    struct blob text = trace_text(700000);
    struct blob old = trace_text(10);

    for (int i = 0; i < 3; i++) {
        struct lf_sink *s = open_sink(in_folder(names[i]), -1);

        put(s, text);
        lf_sink_close(s);
        cr_assert_eq(count_files(false), 0);
        write_file(in_folder(names[i]), old);
        s = open_sink(in_folder(names[i]), -1);
        put(s, text);
        lf_sink_close(s);
        assert_holds(in_folder(names[i]), old);
        cr_assert_eq(count_files(true), 1);
    }
    lf_sink_close(NULL);
}

Test(sink, mode_is_kept_or_the_umask_s)
{
    umask(027);
    commit(open_sink(in_folder("new"), -1));
    cr_assert_eq(mode_of(in_folder("new")), 0640);
    chmod(in_folder("new"), 0604);
    commit(open_sink(in_folder("new"), -1));
    cr_assert_eq(mode_of(in_folder("new")), 0604);
    cr_assert_eq(umask(0), 027);
}

Test(sink, links_are_followed)
{
    struct blob text = trace_text(10);
    struct lf_sink *s;
    struct stat st;

    cr_assert_eq(mkdir(in_folder("sub"), 0700), 0);
    cr_assert_eq(symlink("sub/real", in_folder("second")), 0);
    cr_assert_eq(symlink(in_folder("second"), in_folder("first")), 0);
    for (int i = 0; i < 2; i++) {
        s = open_sink(in_folder("first"), -1);
        put(s, text);
        commit(s);
        assert_holds(in_folder("sub/real"), text);
        cr_assert(lstat(in_folder("first"), &st) == 0 && S_ISLNK(st.st_mode));
        cr_assert(lstat(in_folder("second"), &st) == 0 && S_ISLNK(st.st_mode));
        text = trace_text(20);
    }
    unlink(in_folder("sub/real"));
    cr_assert_eq(rmdir(in_folder("sub")), 0, "something is left beside the target");
}

static void assert_not_opened(const char *path, int sys_errno)
{
    struct lf_sink *s = NULL;

    cr_assert_eq(try_open(&s, path, -1), LANEFIX_ERR_IO, "%s: opened", path);
    cr_assert_null(s);
    cr_assert_eq(err.sys_errno, sys_errno, "%s: %s", path, err.message);
    cr_assert_not_null(strstr(err.message, "the output: "), "%s", err.message);
}

Test(sink, refuses_what_cannot_be_made)
{
    write_file(in_folder("file"), trace_text(3));
    cr_assert_eq(symlink("loop", in_folder("loop")), 0);
    cr_assert_eq(symlink("nowhere/file", in_folder("dangling")), 0);
    assert_not_opened(folder, EISDIR);
    assert_not_opened(in_folder("missing/out"), ENOENT);
    assert_not_opened(in_folder("missing/"), ENOENT);
    assert_not_opened(in_folder("file/out"), ENOTDIR);
    assert_not_opened(in_folder("loop"), ELOOP);
    assert_not_opened(in_folder("dangling"), ENOENT);
    assert_not_opened("", ENOENT);
    cr_assert_eq(count_files(false), 3);
}

Test(sink, levels_out_of_range)
{
    static const struct {
        enum lanefix_form form;
        int level;
    } bad[] = {{LANEFIX_FORM_GZIP, 0},  {LANEFIX_FORM_GZIP, 10}, {LANEFIX_FORM_ZSTD, 0},
               {LANEFIX_FORM_ZSTD, 20}, {LANEFIX_FORM_ZSTD, -1}};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct lf_sink_options options = {.path = in_folder("out"),
                                          .fd = -1,
                                          .name = "out",
                                          .form = bad[i].form,
                                          .level = bad[i].level,
                                          .threads = 1};
        struct lf_sink *s;

        cr_assert_eq(lf_sink_open(&s, &options, &err), LANEFIX_ERR_ARGUMENT);
        cr_assert_not_null(strstr(err.message, "level"), "%s", err.message);
    }
    cr_assert_eq(count_files(false), 0);
}

Test(sink, leftovers_of_dead_runs_go)
{
    struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    struct blob text = trace_text(10);
    struct lf_sink *live = open_sink(in_folder("out"), -1);
    char name[300];
    pid_t pid = fork();

    if (pid == 0) { /* dies with its sink open */
        struct lf_sink *s = open_sink(in_folder("out"), -1);

        put(s, text);
        _exit(0);
    }
    wait_child(pid);
    cr_assert_eq(count_files(false), 2);
    snprintf(name, sizeof name, ".out.lanefix-0badcafe-%d-1", (int)pid);
    write_file(in_folder(name), text); /* another host's */
    snprintf(name, sizeof name, ".out.lanefix-0badcafe-%d-2", (int)pid);
    write_file(in_folder(name), text);
    utimensat(AT_FDCWD, in_folder(name), old, 0); /* and an old one */
    write_file(in_folder(".out.lanefix-mine"), text);
    write_file(in_folder(".outer.lanefix-0badcafe-1-1"), text);
    utimensat(AT_FDCWD, in_folder(".outer.lanefix-0badcafe-1-1"), old, 0);
    commit(open_sink(in_folder("out"), -1));
    cr_assert_eq(count_files(false), 5);
    cr_assert_neq(access(in_folder(name), F_OK), 0);
    put(live, text);
    commit(live);
    assert_holds(in_folder("out"), text);
}

Test(sink, names_at_the_limit)
{
    char name[256];

    memset(name, 'n', 255);
    name[255] = '\0';
    commit(open_sink(in_folder(name), -1));
    cr_assert_eq(count_files(true), 1);
}

/* Writes of all sizes keep their order, whatever is gathered and whatever passes through. */
Test(sink, writes_of_every_size_keep_their_order)
{
    static const size_t sizes[] = {1000,   140000, 1, 262144, 5, 262143, 131072, 131073,
                                   130000, 131073, 0, 300000, 7, 200000, 100,    62000};
    static const char *const names[] = {"out.json", "out.json.gz", "out.json.zst"};
    static const enum lanefix_form forms[] = {LANEFIX_FORM_PLAIN, LANEFIX_FORM_GZIP,
                                              LANEFIX_FORM_ZSTD};
    size_t n = 0;
    struct blob text;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        n += sizes[i];
    }
    text = trace_text(n);
    for (int f = 0; f < 3; f++) {
        struct lf_sink *s = open_sink(in_folder(names[f]), -1);
        struct lf_source_options in = {
            .path = in_folder(names[f]), .fd = -1, .name = "in", .window_log_max = 27};
        struct lf_source *source;
        struct blob got;
        size_t at = 0;

        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            put(s, (struct blob){text.data + at, sizes[i]});
            at += sizes[i];
        }
        commit(s);
        cr_assert_eq(lf_source_open(&source, &in, &err), LANEFIX_OK);
        cr_assert_eq(lf_source_form(source), forms[f]);
        cr_assert_eq(read_all(source, 65536, &got, &err), LANEFIX_OK);
        cr_assert(same(got, text), "%s", names[f]);
        lf_source_close(source);
    }
}

static void copy(struct lf_sink *s, int fd, uint64_t off, uint64_t n)
{
    cr_assert_eq(lf_sink_copy(s, fd, off, n, "the input", &err), LANEFIX_OK, "%s", err.message);
}

/* Copies stand where writes around them put them, into files and into what cannot seek. */
static void assert_copies(struct lf_sink *s, int fd, struct blob text)
{
    copy(s, fd, 0, text.n);
    put(s, (struct blob){text.data, 10});
    copy(s, fd, 5, 0);
    copy(s, fd, 100, text.n - 200);
    put(s, (struct blob){text.data, 300});
    put(s, (struct blob){text.data, 1});
    copy(s, fd, text.n - 1, 1);
    cr_assert_eq(lf_sink_commit(s, &err), LANEFIX_OK);
    cr_assert_eq(lf_sink_bytes_written(s), 2 * text.n + 112);
    lf_sink_close(s);
}

static struct blob copies_of(struct blob text)
{
    struct blob b = {NULL, 0};

    append_blob(&b, text);
    append(&b, text.data, 10);
    append(&b, text.data + 100, text.n - 200);
    append(&b, text.data, 300);
    append(&b, text.data, 1);
    append(&b, text.data + text.n - 1, 1);
    return b;
}

Test(sink, copies_between_writes)
{
    struct blob text = trace_text(900000);
    struct blob expected = copies_of(text);
    int fd, out;

    write_file(in_folder("in"), text);
    fd = open(in_folder("in"), O_RDONLY);
    assert_copies(open_sink(in_folder("out"), -1), fd, text);
    assert_holds(in_folder("out"), expected);
    out = open(in_folder("appended"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_copies(open_sink(NULL, out), fd, text);
    assert_holds(in_folder("appended"), expected);
    cr_assert_eq(lseek(fd, 0, SEEK_CUR), 0);
}

Test(sink, copies_into_a_pipe)
{
    struct blob text = trace_text(900000);
    struct lf_sink *s;
    int ends[2];
    pid_t pid;

    write_file(in_folder("in"), text);
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    pid = fork();
    if (pid == 0) {
        close(ends[1]);
        usleep(20000);
        _exit(same(read_stream(fdopen(ends[0], "rb")), copies_of(text)) ? 0 : 1);
    }
    close(ends[0]);
    s = open_sink(NULL, ends[1]);
    cr_assert_not(lf_sink_is_file(s));
    assert_copies(s, open(in_folder("in"), O_RDONLY), text);
    close(ends[1]);
    wait_child(pid);
}

Test(sink, copies_packed_files_as_they_are)
{
    struct blob file = packed(LANEFIX_FORM_ZSTD, trace_text(5000), 3, 1);
    struct lf_sink *s = open_sink(in_folder("out.zst"), -1);

    write_file(in_folder("in"), file);
    cr_assert_not(lf_sink_is_file(s));
    copy(s, open(in_folder("in"), O_RDONLY), 0, file.n);
    commit(s);
    assert_holds(in_folder("out.zst"), file);
}

Test(sink, sees_a_source_that_was_cut)
{
    static const uint64_t offsets[] = {0, 1000, 20000, 30000};
    int fd;

    write_file(in_folder("in"), trace_text(20000));
    fd = open(in_folder("in"), O_RDONLY);
    for (int i = 0; i < 4; i++) {
        struct lf_sink *s = open_sink(in_folder("out"), -1);

        cr_assert_eq(lf_sink_copy(s, fd, offsets[i], 20001, "the input", &err), LANEFIX_ERR_IO);
        cr_assert_not_null(strstr(err.message, "the input: was cut"), "%s", err.message);
        lf_sink_close(s);
        cr_assert_eq(count_files(false), 1);
    }
}

Test(sink, fifo_is_streamed)
{
    struct blob text = trace_text(1200000);
    const char *path = in_folder("fifo");
    struct lf_sink *s;
    struct stat st;
    pid_t pid;

    cr_assert_eq(mkfifo(path, 0600), 0);
    pid = fork();
    if (pid == 0) {
        _exit(same(read_file(path), text) ? 0 : 1);
    }
    s = open_sink(path, -1);
    put(s, text);
    commit(s);
    wait_child(pid);
    cr_assert(stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
    cr_assert_eq(count_files(false), 1);
}

/* A file behind /dev/stdout is written on from where it is, not replaced. */
Test(sink, standard_output_is_streamed)
{
    struct blob text = trace_text(3000);
    struct blob expected = {NULL, 0};
    int fd = open(in_folder("out"), O_RDWR | O_CREAT, 0600);
    int saved = dup(1);
    struct lf_sink *s;

    append(&expected, "before", 6);
    append_blob(&expected, text);
    append_blob(&expected, text);
    cr_assert_eq(write(fd, "before", 6), 6);
    write_file(in_folder("in"), text);
    dup2(fd, 1);
    s = open_sink("/dev/stdout", -1);
    copy(s, open(in_folder("in"), O_RDONLY), 0, text.n);
    commit(s);
    s = open_sink("/dev/fd/1", -1);
    put(s, text);
    commit(s);
    dup2(saved, 1);
    assert_holds(in_folder("out"), expected);
    commit(open_sink("/dev/null", -1));
    cr_assert_eq(count_files(false), 2);
}

static void assert_write_fails(const char *path, int fd, int sys_errno)
{
    struct blob text = trace_text(1200000);
    struct lf_sink *s = open_sink(path, fd);

    cr_assert_eq(lf_sink_write(s, text.data, text.n, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.sys_errno, sys_errno, "%s", err.message);
    cr_assert_not_null(strstr(err.message, "the output: "), "%s", err.message);
    lf_sink_close(s);
    s = open_sink(path, fd);
    put(s, (struct blob){text.data, 10});
    cr_assert_eq(lf_sink_commit(s, &err), LANEFIX_ERR_IO);
    cr_assert_eq(err.sys_errno, sys_errno, "%s", err.message);
    lf_sink_close(s);
}

Test(sink, reports_the_system_s_refusals)
{
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    assert_write_fails(NULL, ends[1], EPIPE);
    assert_write_fails("/dev/full", -1, ENOSPC);
    assert_write_fails(NULL, open(in_folder("in"), O_RDONLY | O_CREAT, 0600), EBADF);
}
