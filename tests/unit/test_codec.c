/* The codecs alone, fed in pieces of any size: what they make, take and refuse. Where a build has
 * zlib instead of ISA-L the same tests run on it. */
#include "io_support.h"

#include "io/codec.h"

TestSuite(codec, .init = make_folder, .fini = clean_up, .timeout = 60);

static const enum lanefix_form forms[] = {LANEFIX_FORM_GZIP, LANEFIX_FORM_ZSTD};
static const size_t steps[] = {1, 2, 3, 7, 64, 1000, 1 << 20};
#define N_STEPS (sizeof steps / sizeof steps[0])

struct result {
    enum lanefix_status status;
    char fault[160]; /* empty where none */
    bool complete; /* the stream may end where the input ended */
    struct blob text;
};

/* Decodes all of in, fed by in_step bytes into pieces of out_step bytes; out_max bounds what a
 * damaged stream may unfold to. */
static struct result unpack(enum lanefix_form form, struct blob in, size_t in_step, size_t out_step,
                            size_t out_max)
{
    const struct lf_codec *codec = lf_codec_of_form(form);
    struct result r = {LANEFIX_OK, "", false, {NULL, 0}};
    uint8_t *piece = malloc(out_step);
    const char *fault = NULL;
    struct lanefix_error err;
    size_t at = 0;
    void *d;

    lf_error_init(&err);
    cr_assert_eq(codec->decoder_create(&d, 27, &err), LANEFIX_OK);
    while (r.status == LANEFIX_OK && r.text.n <= out_max) {
        size_t n_in = in.n - at < in_step ? in.n - at : in_step;
        /* input of exactly its size, so that reading over its end is seen */
        uint8_t *input = malloc(n_in + (n_in == 0));
        struct lf_codec_io io = {input, n_in, piece, out_step};

        memcpy(input, in.data + at, n_in);
        r.status = codec->decode(d, &io, &fault, &err);
        append(&r.text, piece, out_step - io.n_out);
        at += n_in - io.n_in;
        free(input);
        if (at == in.n && io.n_out == out_step && r.status == LANEFIX_OK) {
            r.complete = codec->decoder_idle(d);
            break;
        }
    }
    snprintf(r.fault, sizeof r.fault, "%s", fault != NULL ? fault : "");
    codec->decoder_destroy(d);
    free(piece);
    return r;
}

static bool unpacks_to(enum lanefix_form form, struct blob in, struct blob text)
{
    for (size_t i = 0; i < N_STEPS; i++) {
        for (size_t o = 0; o < N_STEPS; o++) {
            struct result r = unpack(form, in, steps[i], steps[o], text.n);
            bool good = r.status == LANEFIX_OK && r.complete && same(r.text, text);

            blob_free(r.text);
            if (!good) {
                fprintf(stderr, "in by %zu, out by %zu: %s\n", steps[i], steps[o],
                        r.fault[0] != '\0' ? r.fault : "other bytes");
                return false;
            }
        }
    }
    return true;
}

Test(codec, round_trip_at_every_level)
{
    static const size_t sizes[] = {0, 1, 2, 100, 4096, 70000};

    for (size_t f = 0; f < 2; f++) {
        const struct lf_codec *codec = lf_codec_of_form(forms[f]);

        for (int level = codec->level_min; level <= codec->level_max; level += 4) {
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                struct blob text = trace_text(sizes[i]);
                struct blob b = packed(forms[f], text, level, 1);

                cr_assert(sizes[i] < 4096 || b.n < text.n);
                cr_assert(unpacks_to(forms[f], b, text), "%s -%d, %zu bytes", codec->name, level,
                          sizes[i]);
                blob_free(text);
                blob_free(b);
            }
        }
    }
}

Test(codec, large_and_incompressible)
{
    static const unsigned threads[] = {1, 2, 5};
    struct blob text = trace_text((5 << 20) + 12345);
    uint64_t x = 1;

    for (size_t i = 1 << 20; i < (3 << 20) + 77; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        text.data[i] = (uint8_t)(x >> 56);
    }
    for (size_t f = 0; f < 2; f++) {
        for (size_t t = 0; t < 3; t++) {
            struct blob b = packed(forms[f], text, LF_LEVEL_DEFAULT, threads[t]);
            struct result r = unpack(forms[f], b, 100003, 70001, text.n);

            cr_assert_eq(r.status, LANEFIX_OK, "%s", r.fault);
            cr_assert(r.complete && same(r.text, text));
            blob_free(b);
            blob_free(r.text);
        }
    }
}

Test(codec, other_programs_read_it)
{
    static const char *const programs[] = {"gzip -dc <", "zstd -qdc <"};
    struct blob text = trace_text((2 << 20) + 5);

    for (size_t f = 0; f < 2; f++) {
        for (int level = 1; level <= 9; level += 2) {
            const char *path = in_folder("packed.by.us");
            char command[300];
            FILE *pipe;
            struct blob b;

            write_file(path, packed(forms[f], text, level, (unsigned)level));
            snprintf(command, sizeof command, "%s %s 2>/dev/null", programs[f], path);
            pipe = popen(command, "r");
            b = read_stream(pipe);
            if (WEXITSTATUS(pclose(pipe)) == 127) {
                break; /* not installed here */
            }
            cr_assert(same(b, text), "%s level %d", command, level);
            blob_free(b);
        }
    }
}

Test(codec, output_is_the_same_at_any_thread_count)
{
    struct blob text = trace_text((7 << 20) + 99);
    struct blob one = packed(LANEFIX_FORM_GZIP, text, 5, 1);

    for (unsigned threads = 2; threads < 6; threads++) {
        cr_assert(same(packed(LANEFIX_FORM_GZIP, text, 5, threads), one));
    }
}

Test(codec, gzip_header_fields)
{
    struct blob text = trace_text(3000);

    for (unsigned flags = 0; flags < 32; flags += 2) {
        cr_assert(unpacks_to(LANEFIX_FORM_GZIP, gzip_stored(text, flags), text), "flags %u", flags);
    }
}

Test(codec, gzip_members_and_padding)
{
    struct blob text = trace_text(5000);
    struct blob empty = {NULL, 0};
    struct blob all = {NULL, 0};
    struct blob b = {NULL, 0};
    static const char zeros[700];

    append_blob(&b, gzip_stored(text, GZ_NAME));
    append_blob(&b, packed(LANEFIX_FORM_GZIP, text, 1, 1));
    append_blob(&b, gzip_stored(empty, GZ_HCRC | GZ_EXTRA));
    append_blob(&b, packed(LANEFIX_FORM_GZIP, empty, 9, 1));
    append_blob(&b, packed(LANEFIX_FORM_GZIP, text, 9, 1));
    append_blob(&all, text);
    append_blob(&all, text);
    append_blob(&all, text);
    cr_assert(unpacks_to(LANEFIX_FORM_GZIP, b, all));
    append(&b, zeros, 1);
    cr_assert(unpacks_to(LANEFIX_FORM_GZIP, b, all));
    append(&b, zeros, sizeof zeros);
    cr_assert(unpacks_to(LANEFIX_FORM_GZIP, b, all));
}

Test(codec, zstd_frames_and_skippable_ones)
{
    struct blob text = trace_text(5000);
    struct blob all = {NULL, 0};
    struct blob b = {NULL, 0};

    append(&b, "\x50\x2a\x4d\x18\x05\0\0\0hello", 13);
    append_blob(&b, packed(LANEFIX_FORM_ZSTD, text, 1, 1));
    append(&b, "\x5f\x2a\x4d\x18\0\0\0\0", 8);
    append_blob(&b, packed(LANEFIX_FORM_ZSTD, text, 19, 1));
    append_blob(&b, packed(LANEFIX_FORM_ZSTD, (struct blob){NULL, 0}, 3, 1));
    append(&b, "\x51\x2a\x4d\x18\x02\0\0\0hi", 10);
    append_blob(&all, text);
    append_blob(&all, text);
    cr_assert_eq(lf_codec_detect(b.data, 4), LANEFIX_FORM_ZSTD);
    cr_assert(unpacks_to(LANEFIX_FORM_ZSTD, b, all));
}

/* A stream cut anywhere is no stream, however it is fed. */
static void assert_cut_refused(enum lanefix_form form, struct blob b, size_t text_n)
{
    static const size_t few[] = {1, 64, 1 << 20};

    for (size_t n = 1; n < b.n; n++) {
        for (size_t i = 0; i < 3; i++) {
            for (size_t o = 0; o < 3; o++) {
                struct result r = unpack(form, (struct blob){b.data, n}, few[i], few[o], text_n);

                cr_assert(r.status != LANEFIX_OK || !r.complete, "cut at %zu of %zu: taken", n,
                          b.n);
                blob_free(r.text);
            }
        }
    }
}

Test(codec, cut_anywhere)
{
    struct blob text = trace_text(600);

    assert_cut_refused(LANEFIX_FORM_GZIP, packed(LANEFIX_FORM_GZIP, text, 1, 1), text.n);
    assert_cut_refused(LANEFIX_FORM_GZIP, gzip_stored(text, 30), text.n);
    assert_cut_refused(LANEFIX_FORM_ZSTD, packed(LANEFIX_FORM_ZSTD, text, 3, 1), text.n);
}

/* Any one bit turned over: refused, or without effect. */
static void assert_flips_seen(enum lanefix_form form, struct blob b, struct blob text)
{
    static const size_t few[] = {1, 1 << 20};

    for (size_t bit = 0; bit < 8 * b.n; bit++) {
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (size_t i = 0; i < 2; i++) {
            struct result r = unpack(form, b, few[i], 1 << 16, 1 << 20);

            cr_assert(r.status != LANEFIX_OK || !r.complete || same(r.text, text),
                      "bit %zu of byte %zu: other data", bit % 8, bit / 8);
            cr_assert((r.status == LANEFIX_ERR_INPUT) == (r.fault[0] != '\0'));
            blob_free(r.text);
        }
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

Test(codec, flipped_anywhere)
{
    struct blob text = trace_text(400);

    assert_flips_seen(LANEFIX_FORM_GZIP, packed(LANEFIX_FORM_GZIP, text, 1, 1), text);
    assert_flips_seen(LANEFIX_FORM_GZIP, gzip_stored(text, 0), text);
    assert_flips_seen(LANEFIX_FORM_ZSTD, packed(LANEFIX_FORM_ZSTD, text, 3, 1), text);
}

static void assert_fault(enum lanefix_form form, struct blob b, const char *fault)
{
    for (size_t i = 0; i < N_STEPS; i++) {
        struct result r = unpack(form, b, steps[i], 4096, 1 << 20);

        cr_assert_eq(r.status, LANEFIX_ERR_INPUT, "taken: expected '%s'", fault);
        cr_assert_not_null(strstr(r.fault, fault), "'%s' is not in '%s'", fault, r.fault);
    }
}

Test(codec, says_what_is_wrong)
{
    struct blob text = trace_text(900);
    struct blob gz = gzip_stored(text, GZ_NAME);
    struct blob zst = packed(LANEFIX_FORM_ZSTD, text, 3, 1);
    struct blob large_window = {(uint8_t *)"\x28\xb5\x2f\xfd\0\x90\1\0\0", 9};
    struct blob odd_window = {(uint8_t *)"\x28\xb5\x2f\xfd\0\x91\1\0\0", 9};
    struct blob huge = {(uint8_t *)"\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\1\0\0\1\0\0", 16};
    struct blob dictionary = {(uint8_t *)"\x28\xb5\x2f\xfd\1\x50\7\1\0\0", 10};

    gz.data[gz.n - 8] ^= 1;
    assert_fault(LANEFIX_FORM_GZIP, gz, "checksum");
    gz.data[gz.n - 8] ^= 1;
    gz.data[gz.n - 1] ^= 1;
    assert_fault(LANEFIX_FORM_GZIP, gz, "gzip");
    gz.data[gz.n - 1] ^= 1;
    append(&gz, "x", 1);
    assert_fault(LANEFIX_FORM_GZIP, gz, "followed by something else");
    gz.data[gz.n - 1] = 0;
    append(&gz, "\0\0y", 3);
    assert_fault(LANEFIX_FORM_GZIP, gz, "followed by something else");
    zst.data[zst.n - 1] ^= 1;
    assert_fault(LANEFIX_FORM_ZSTD, zst, "checksum");
    zst.data[zst.n - 1] ^= 1;
    append(&zst, "xxxxx", 5);
    assert_fault(LANEFIX_FORM_ZSTD, zst, "no zstd frame");
    assert_fault(LANEFIX_FORM_ZSTD, large_window, "--long=28");
    assert_fault(LANEFIX_FORM_ZSTD, odd_window, "--long=29");
    assert_fault(LANEFIX_FORM_ZSTD, huge, "2^40 bytes: too large");
    assert_fault(LANEFIX_FORM_ZSTD, dictionary, "dictionary");
}

Test(codec, table)
{
    cr_assert_null(lf_codec_of_form(LANEFIX_FORM_PLAIN));
    cr_assert_null(lf_codec_of_form(LANEFIX_FORM_AUTO));
    cr_assert_eq(lf_form_of_name("a.json.gz"), LANEFIX_FORM_GZIP);
    cr_assert_eq(lf_form_of_name("a.gz/b.zst"), LANEFIX_FORM_ZSTD);
    cr_assert_eq(lf_form_of_name("a.zst/b.json"), LANEFIX_FORM_PLAIN);
    cr_assert_eq(lf_form_of_name("gz"), LANEFIX_FORM_PLAIN);
    cr_assert_eq(lf_codec_detect((const uint8_t *)"\x1f\x8b", 2), LANEFIX_FORM_GZIP);
    cr_assert_eq(lf_codec_detect((const uint8_t *)"\x28\xb5\x2f", 3), LANEFIX_FORM_PLAIN);
    cr_assert_eq(lf_codec_detect((const uint8_t *)"\x60\x2a\x4d\x18", 4), LANEFIX_FORM_PLAIN);
    cr_assert_eq(lf_codec_detect((const uint8_t *)"[", 1), LANEFIX_FORM_PLAIN);
}
