/* SPDX-License-Identifier: MIT */
/* Files of weights: what is saved comes back bit for bit, and nothing else is taken for it. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "files.h"
#include "run.h"
#include "sha256.h"

static cg_loaded small;

static void digests(void **state)
{
    static const char *const texts[] = {
        "", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    };
    /* FIPS 180-4's examples; the first of the empty text. */
    static const unsigned char want[][4] = { { 0xe3, 0xb0, 0xc4, 0x42 },
                                             { 0xba, 0x78, 0x16, 0xbf },
                                             { 0x24, 0x8d, 0x6a, 0x61 } };
    static const unsigned char last[][4] = { { 0x78, 0x52, 0xb8, 0x55 },
                                             { 0xf2, 0x00, 0x15, 0xad },
                                             { 0x19, 0xdb, 0x06, 0xc1 } };
    unsigned char digest[32];
    (void)state;
    for (int i = 0; i < 3; i++) {
        ck_sha256(digest, (const unsigned char *)texts[i], strlen(texts[i]));
        assert_memory_equal(digest, want[i], 4);
        assert_memory_equal(digest + 28, last[i], 4);
    }
}

/* The same weights, bytes and logits after a way through a file. */
static void roundtrip(const cg_loaded *l, ck_weights_kind kind)
{
    ck_model *const a = cg_open_model(l, 1), *const b = cg_open_model(l, 2);
    const size_t vocab = l->program->decoder.vocab;
    float *const x = malloc(2 * vocab * sizeof *x);
    assert_non_null(x);
    cg_save(a, kind);
    const file first = cg_read_file();
    if (ck_model_load(b, cg_path) != CK_MODEL_OK) fail_msg("%s", ck_model_error(b));
    cg_save(b, kind);
    const file second = cg_read_file();
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    assert_int_equal(ck_model_decode(a, 0, x, vocab), CK_MODEL_OK);
    assert_int_equal(ck_model_decode(b, 0, x + vocab, vocab), CK_MODEL_OK);
    assert_memory_equal(x, x + vocab, vocab * sizeof *x);
    free(first.bytes);
    free(second.bytes);
    free(x);
    ck_model_close(a);
    ck_model_close(b);
}

static void files_roundtrip(void **state)
{
    uint64_t seed = 4;
    (void)state;
    roundtrip(&small, CK_WEIGHTS_NAMED);
    roundtrip(&small, CK_WEIGHTS_BUMP3);
    for (int i = 0; i < 12; i++) {
        const cg_config c = cg_draw_config(&seed);
        cg_loaded l = cg_load(&c, 0);
        const int fits = c.tied && !c.qk_norm && c.qkv_bias && c.output_bias && c.mlp_bias;
        ck_model *const m = cg_open_model(&l, 1);
        roundtrip(&l, CK_WEIGHTS_NAMED);
        if (fits) roundtrip(&l, CK_WEIGHTS_BUMP3);
        if (!fits) {
            assert_int_equal(ck_model_save(m, cg_path, CK_WEIGHTS_BUMP3), CK_MODEL_FILE);
            assert_non_null(strstr(ck_model_error(m), "cannot hold"));
        }
        ck_model_close(m);
        cg_unload(&l);
    }
}

/* Where each tensor of the small decoder lies in a BUMPWGT3 file, by section 5's order and counts: the
 * payload behind 128 + 4 + 32 bytes. wo is by heads there. */
static void bump_is_laid_out_as_specified(void **state)
{
    ck_model *const m = cg_open_model(&small, 7);
    const ref_model r = cg_reference(m);
    const size_t D = 32, h = 16, H = 4;
    (void)state;
    cg_save(m, CK_WEIGHTS_BUMP3);
    file f = cg_read_file();
    assert_memory_equal(f.bytes,
                        "BUMPWGT3\3\0\0\0\1\0\0\0\2\0\0\0\62\0\0\0\40\0\0\0\20\0\0\0\4\0\0\0"
                        "\10\0\0\0\40\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0",
                        64);
    assert_memory_equal(f.bytes + 128, "\40\0\0\0", 4);
    for (size_t i = 0; i < 32; i++) assert_int_equal(f.bytes[132 + i], 0);
    const float *x = (const float *)(const void *)(f.bytes + 164); /* 164 is a multiple of 4 */
    assert_memory_equal(x, r.tokens.at, 50 * D * 4);
    x += 50 * D;
    assert_memory_equal(x, r.positions.at, 16 * D * 4);
    x += 16 * D;
    for (size_t l = 0; l < 2; l++) {
        const ref_layer *const y = &r.layers[l];
        const struct {
            const float *at;
            size_t n;
        } parts[] = { { y->ln1, D },           { y->ln2, D },           { y->wq.at, H * h * D },
                      { y->bq, H * h },        { y->wk.at, 2 * h * D }, { y->bk, 2 * h },
                      { y->wv.at, 2 * h * D }, { y->bv, 2 * h } };
        const struct {
            const float *at;
            size_t n;
        } rest[] = {
            { y->bo, D }, { y->w1.at, 96 * D }, { y->b1, 96 }, { y->w2.at, D * 48 }, { y->b2, D }
        };
        for (size_t k = 0; k < 8; x += parts[k].n, k++)
            assert_memory_equal(x, parts[k].at, parts[k].n * 4);
        for (size_t head = 0; head < H; head++)
            for (size_t d = 0; d < D; d++, x += h)
                assert_memory_equal(x, y->wo.at + d * y->wo.ld + head * h, h * 4);
        for (size_t k = 0; k < 5; x += rest[k].n, k++)
            assert_memory_equal(x, rest[k].at, rest[k].n * 4);
    }
    assert_memory_equal(x, r.final_norm, D * 4);
    assert_int_equal((const unsigned char *)(x + 2 * D) - f.bytes, f.size);
    ref_model gone = r;
    cg_reference_free(&gone);
    free(f.bytes);
    ck_model_close(m);
}

/* BUMPWGT2 and flat files are the payload with less before it. */
static void older_kinds(void **state)
{
    ck_model *const a = cg_open_model(&small, 1), *const b = cg_open_model(&small, 2);
    float x[2][50];
    (void)state;
    cg_save(a, CK_WEIGHTS_BUMP3);
    file f = cg_read_file();
    cg_write_file(f.bytes + 164, f.size - 164);
    if (ck_model_load(b, cg_path) != CK_MODEL_OK) fail_msg("%s", ck_model_error(b));
    assert_int_equal(ck_model_decode(a, 3, x[0], 50), CK_MODEL_OK);
    assert_int_equal(ck_model_decode(b, 3, x[1], 50), CK_MODEL_OK);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    ck_model_randomise(b, 2);
    memmove(f.bytes + 36, f.bytes, 128);
    f.bytes[36 + 7] = '2';
    f.bytes[36 + 8] = 2;
    ck_sha256(f.bytes + 36 + 64, f.bytes + 164, f.size - 164);
    cg_write_file(f.bytes + 36, f.size - 36);
    if (ck_model_load(b, cg_path) != CK_MODEL_OK) fail_msg("%s", ck_model_error(b));
    assert_int_equal(ck_model_decode(b, 3, x[1], 50), CK_MODEL_OK);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    free(f.bytes);
    ck_model_close(a);
    ck_model_close(b);
}

/* The file is refused by a line that names it, and the model works as before. */
static void refused(const file *f, const char *says)
{
    ck_model *const m = cg_open_model(&small, 3);
    float before[50], after[50];
    cg_write_file(f->bytes, f->size);
    assert_int_equal(ck_model_decode(m, 1, before, 50), CK_MODEL_OK);
    const int status = ck_model_load(m, cg_path);
    const char *const text = ck_model_error(m);
    if (status != CK_MODEL_FILE) fail_msg("%d, wanted a refusal: %s", status, says);
    if (!strstr(text, says) || strncmp(text, cg_path, strlen(cg_path)) != 0)
        fail_msg("says %s\n  wanted %s", text, says);
    assert_int_equal(ck_model_position(m), 1);
    ck_model_reset(m);
    assert_int_equal(ck_model_decode(m, 1, after, 50), CK_MODEL_OK);
    assert_memory_equal(before, after, sizeof before);
    ck_model_close(m);
}

/* A good file of the small decoder; each kind is made once. */
static file saved(ck_weights_kind kind)
{
    static file good[2];
    if (!good[kind].bytes) {
        ck_model *const m = cg_open_model(&small, 1);
        cg_save(m, kind);
        ck_model_close(m);
        good[kind] = cg_read_file();
    }
    const file f = { malloc(2 * good[kind].size + 200), good[kind].size };
    assert_non_null(f.bytes);
    memcpy(f.bytes, good[kind].bytes, 2 * f.size);
    return f;
}

/* One change of a good file each. */
#define WRONG(kind, change, says) \
    do {                          \
        file f = saved(kind);     \
        change;                   \
        refused(&f, says);        \
        free(f.bytes);            \
    } while (0)
#define SEALED(kind, change, says) WRONG(kind, change; cg_seal(&f), says)

static void wrong_bump_files(void **state)
{
    const uint32_t nan = 0x7fc00000, inf = 0xff800000;
    (void)state;
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[7] = '4', "magic");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[0] = 'C', "of a flat file");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 8, 77), "version: 77");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 12, 2), "model_type: 2");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 16, 9), "layers: 9");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 20, 999), "vocab: 999");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 24, 33), "embed: 33");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 28, 17), "context: 17");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 32, 8), "heads: 8");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 36, 4), "head_dim: 4");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 40, 48), "aligned embed: 48");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 52, 1), "aligned head: 4294967312");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 56, 32), "aligned context: 32");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[64] ^= 1, "checksum");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[f.size - 1] ^= 1, "checksum");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[100] = 1, "byte 100");
    SEALED(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 128, 0xffffffff), "dtypes: 4294967295, wanted 32");
    SEALED(CK_WEIGHTS_BUMP3, f.bytes[134] = 7, "dtype of ln1_gamma of layer 0: 7 (q4_k)");
    SEALED(CK_WEIGHTS_BUMP3, f.bytes[163] = 200,
           "dtype of final_ln_bias of layer 0: 200 (unknown)");
    SEALED(CK_WEIGHTS_BUMP3, f.size -= 1, "wanted");
    SEALED(CK_WEIGHTS_BUMP3, f.size += 1, "wanted");
    SEALED(CK_WEIGHTS_BUMP3, f.size = 140, "ends within the dtypes");
    SEALED(CK_WEIGHTS_BUMP3, f.size = 130, "dtypes: 0");
    WRONG(CK_WEIGHTS_BUMP3, f.size = 127, "header has 128");
    WRONG(CK_WEIGHTS_BUMP3, f.size = 3, "flat file");
    WRONG(CK_WEIGHTS_BUMP3, f.size = 0, "flat file");
    SEALED(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 164, nan),
           "token_emb of layer 0: byte 164: not finite");
    SEALED(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + f.size - 4, inf), "final_ln_bias of layer 0");
    /* the first lane beyond head_dim in wq's first row; the last one of bq */
    SEALED(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 164 + 4 * (66 * 32 + 64 + 8 * 32), 1),
           "wq of layer 0: byte 9892: a pad lane");
    SEALED(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + 164 + 4 * (66 * 32 + 64 + 2048 + 63), 0x80000000),
           "bq of layer 0: byte 17312: a pad lane");
    /* wo is checked in the order of the file: lane 8 of the first row of the first head */
    SEALED(CK_WEIGHTS_BUMP3,
           cg_put32(f.bytes + 164 + 4 * (66 * 32 + 64 + 2048 + 64 + 1024 + 32 + 1024 + 32 + 8), 1),
           "wo of layer 0: byte 25796: a pad lane");
    /* flat, with a value that is none */
    WRONG(CK_WEIGHTS_BUMP3, f.bytes += 164; f.size -= 164; cg_put32(f.bytes, nan);
          refused(&f, "token_emb of layer 0: byte 0: not finite"); f.size -= 4; refused(&f, "flat");
          f.size += 8; refused(&f, "flat"); f.bytes -= 164; f.size = 2, "flat file");
}

static void wrong_named_files(void **state)
{
    (void)state;
    WRONG(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 8, 2), "version: 2");
    WRONG(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 12, 31), "tensors: 31");
    WRONG(CK_WEIGHTS_NAMED, f.size -= 4, "header: bytes");
    WRONG(CK_WEIGHTS_NAMED, f.size += 4, "header: bytes");
    WRONG(CK_WEIGHTS_NAMED, f.size = 63, "header has 64");
    WRONG(CK_WEIGHTS_NAMED, f.bytes[60] = 1, "byte 56");
    WRONG(CK_WEIGHTS_NAMED, f.bytes[24] ^= 1, "checksum");
    WRONG(CK_WEIGHTS_NAMED, f.bytes[f.size - 1] ^= 1, "checksum");
    SEALED(CK_WEIGHTS_NAMED, f.size = 1000;
           cg_put32(f.bytes + 16, 1000), "ends within the directory");
    SEALED(CK_WEIGHTS_NAMED, f.bytes[64] = 'T', "tensor 0: \"Token_emb\"");
    SEALED(CK_WEIGHTS_NAMED, memcpy(f.bytes + 64 + 144, f.bytes + 64, 144), "or twice");
    SEALED(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 64 + 48, 0), "tensor 0");
    SEALED(CK_WEIGHTS_NAMED, f.bytes[64 + 32] = 'g',
           "dtype of token_emb of layer 0: \"g32\", the program has f32");
    SEALED(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 64 + 56, 51),
           "token_emb of layer 0: shape or place");
    SEALED(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 64 + 88, 49),
           "token_emb of layer 0: shape or place");
    SEALED(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 64 + 120, 0xffffffff),
           "token_emb of layer 0: shape or place");
    SEALED(CK_WEIGHTS_NAMED, cg_put32(f.bytes + 64 + 128, 1),
           "token_emb of layer 0: shape or place");
    SEALED(CK_WEIGHTS_NAMED, f.bytes[64 + 144 - 1] = 1, "token_emb of layer 0: shape or place");
    SEALED(CK_WEIGHTS_NAMED, cg_put32(f.bytes + f.size - 4, 0x7f800000), "b2 of layer 1");
}

/* Tensors may come in any order. */
static void names_count_not_places(void **state)
{
    ck_model *const m = cg_open_model(&small, 9);
    (void)state;
    cg_save(m, CK_WEIGHTS_NAMED);
    file f = cg_read_file();
    /* the last two, w2 and b2 of layer 1, trade places, each at a multiple of 64 */
    const size_t count = f.bytes[12];
    unsigned char *const last = f.bytes + 64 + (count - 1) * 144, *const before = last - 144;
    uint32_t at;
    memcpy(&at, before + 120, 4);
    unsigned char kept[144];
    memcpy(kept, before, 144);
    memcpy(before, last, 144);
    memcpy(last, kept, 144);
    assert_string_equal((char *)before, "b2");
    assert_string_equal((char *)last, "w2");
    unsigned char bias[128], *const weights = malloc(6144);
    assert_non_null(weights);
    memcpy(weights, f.bytes + at, 6144);
    memcpy(bias, f.bytes + at + 6144, 128);
    memcpy(f.bytes + at, bias, 128);
    memcpy(f.bytes + at + 128, weights, 6144);
    cg_put32(before + 120, at);
    cg_put32(last + 120, at + 128);
    cg_seal(&f);
    cg_write_file(f.bytes, f.size);
    ck_model *const other = cg_open_model(&small, 1);
    if (ck_model_load(other, cg_path) != CK_MODEL_OK) fail_msg("%s", ck_model_error(other));
    cg_save(m, CK_WEIGHTS_NAMED);
    const file one = cg_read_file();
    cg_save(other, CK_WEIGHTS_NAMED);
    const file two = cg_read_file();
    assert_memory_equal(one.bytes, two.bytes, one.size);
    free(weights);
    free(f.bytes);
    free(one.bytes);
    free(two.bytes);
    ck_model_close(m);
    ck_model_close(other);
}

static void other_models_are_refused(void **state)
{
    cg_config c = cg_small;
    ck_model *const m = cg_open_model(&small, 1);
    (void)state;
    c.tied = false;
    cg_loaded l = cg_load(&c, 0);
    ck_model *const other = cg_open_model(&l, 1);
    cg_save(m, CK_WEIGHTS_BUMP3);
    assert_int_equal(ck_model_load(other, cg_path), CK_MODEL_FILE);
    assert_non_null(strstr(ck_model_error(other), "a head of its own"));
    cg_save(m, CK_WEIGHTS_NAMED);
    assert_int_equal(ck_model_load(other, cg_path), CK_MODEL_FILE);
    assert_non_null(strstr(ck_model_error(other), "tensors"));
    assert_int_equal(ck_model_load(m, "/nowhere/x"), CK_MODEL_FILE);
    assert_int_equal(ck_model_load(m, "/dev/zero"), CK_MODEL_FILE);
    assert_int_equal(ck_model_load(m, "/tmp"), CK_MODEL_FILE);
    assert_int_equal(ck_model_load(m, NULL), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_save(m, NULL, CK_WEIGHTS_NAMED), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_save(m, cg_path, (ck_weights_kind)7), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_save(m, "/dev/full", CK_WEIGHTS_NAMED), CK_MODEL_FILE);
    assert_int_equal(ck_model_save(m, "/nowhere/x", CK_WEIGHTS_NAMED), CK_MODEL_FILE);
    ck_model_close(m);
    ck_model_close(other);
    cg_unload(&l);
}

/* Half of them with their checksum made right again. */
static void damaged_files_are_refused(void **state)
{
    ck_model *const m = cg_open_model(&small, 1);
    size_t refusals = 0;
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        cg_save(m, (ck_weights_kind)kind);
        const file whole = cg_read_file();
        file f = { malloc(2 * whole.size + 200), 0 };
        assert_non_null(f.bytes);
        for (uint64_t seed = 1; seed <= 500; seed++) {
            uint64_t s = seed;
            memcpy(f.bytes, whole.bytes, whole.size);
            f.size = whole.size;
            if (seed % 2) { /* in the headers only */
                const size_t places = 1 + cg_draw(&s) % 3;
                for (size_t i = 0; i < places; i++)
                    f.bytes[cg_draw(&s) % 800] = (unsigned char)cg_draw(&s);
            } else {
                f.size = cg_mutate(f.bytes, f.size, 2 * whole.size + 200, &s);
            }
            const int same = f.size == whole.size && memcmp(f.bytes, whole.bytes, f.size) == 0;
            if (seed % 4 < 2) cg_seal(&f);
            if (cg_load_damaged(m, &f)) {
                assert_true(same || seed % 4 < 2); /* another finite value, sealed */
                continue;
            }
            refusals++;
        }
        free(f.bytes);
        free(whole.bytes);
    }
    assert_true(refusals > 750);
    ck_model_close(m);
}

static int begin(void **state)
{
    (void)state;
    small = cg_load(&cg_small, 0);
    return cg_begin_files();
}

static int end(void **state)
{
    (void)state;
    cg_unload(&small);
    return cg_end_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests),
        cmocka_unit_test(files_roundtrip),
        cmocka_unit_test(bump_is_laid_out_as_specified),
        cmocka_unit_test(older_kinds),
        cmocka_unit_test(wrong_bump_files),
        cmocka_unit_test(wrong_named_files),
        cmocka_unit_test(names_count_not_places),
        cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end) != 0;
}
