/* SPDX-License-Identifier: MIT */
/* Files of weights in bf16, f16 and block formats: they come back bit for bit, and nothing else is taken for
 * them. */
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
#include "quant.h"
#include "run.h"

/* Every width has pad lanes: 250 of 256, 251 of 256, 14 of 16. */
static const cg_config decoder = { .layers = 2,
                                   .hidden = 250,
                                   .intermediate = 251,
                                   .heads = 16,
                                   .kv_heads = 4,
                                   .head_dim = 14,
                                   .vocab = 50,
                                   .context = 16,
                                   .eps = 1e-5f,
                                   .theta = 10000,
                                   .qkv_bias = true,
                                   .output_bias = true,
                                   .mlp_bias = true,
                                   .tied = true };
static const char *const wanted[] = { "token_emb=q8_0", "wq=q4_k", "wk=q5_1", "wv=q6_k",
                                      "wo=q4_0",        "w1=q5_k", "w2=q4_1", NULL };
static cg_loaded blocks;

static cg_formats formats_of(const char *const *texts)
{
    cg_formats f = { 0 };
    cg_error error;
    for (; *texts; texts++)
        if (cg_formats_read_one(&f, *texts, &error) != 0) fail_msg("%s", error.text);
    return f;
}

static cg_loaded load(const cg_config *c, const char *const *texts)
{
    const cg_formats f = formats_of(texts);
    return cg_load_formats(c, 0, &f);
}

static const ck_buffer *find(const char *name)
{
    const ck_program *const p = blocks.program;
    size_t i = 0;
    while (strcmp(p->buffers[i].name, name) != 0) i++;
    return &p->buffers[i];
}

/* The entry of a tensor in the directory of a CKWEIGHT file; layer -1: a global one. */
static unsigned char *entry(const file *f, const char *name, int layer)
{
    unsigned char *at = f->bytes + 64;
    for (;; at += 144) {
        int32_t of;
        assert_true(at + 144 <= f->bytes + f->size);
        memcpy(&of, at + 48, 4);
        if (strcmp((const char *)at, name) == 0 && of == layer) return at;
    }
}

/* Block b of row r of a tensor of a CKWEIGHT file: rows of 256 elements. */
static unsigned char *block(const file *f, const char *name, int layer, size_t r, size_t b)
{
    uint64_t at;
    const ck_dtype format = find(name)->dtype;
    memcpy(&at, entry(f, name, layer) + 120, 8);
    return f->bytes + at + r * ck_row_bytes(format, 256) + b * ck_row_bytes(format, 1);
}

static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static file saved(ck_weights_kind kind)
{
    ck_model *const m = cg_open_model(&blocks, 1);
    cg_save(m, kind);
    ck_model_close(m);
    return cg_read_file();
}

/* Loads it into a model with other weights; the logits of one token. */
static int load_into(const cg_loaded *l, const file *f, float logits[50], char says[512])
{
    ck_model *const m = cg_open_model(l, 3);
    cg_write_file(f->bytes, f->size);
    const int status = ck_model_load(m, cg_path);
    snprintf(says, 512, "%s", ck_model_error(m));
    assert_int_equal(ck_model_decode(m, 1, logits, 50), CK_MODEL_OK);
    ck_model_close(m);
    return status;
}

/* The file is refused by one line that names it, and the model works as before. */
static void refused_by(const cg_loaded *l, const file *f, const char *says)
{
    char text[512];
    float after[50], before[50];
    ck_model *const m = cg_open_model(l, 3);
    assert_int_equal(ck_model_decode(m, 1, before, 50), CK_MODEL_OK);
    ck_model_close(m);
    const int status = load_into(l, f, after, text);
    if (status != CK_MODEL_FILE) fail_msg("%d, wanted a refusal: %s", status, says);
    if (!strstr(text, says) || strncmp(text, cg_path, strlen(cg_path)) != 0 ||
        strpbrk(text, "\r\n"))
        fail_msg("says %s\n  wanted %s", text, says);
    assert_memory_equal(before, after, sizeof before);
}

#define WRONG(kind, change, says)      \
    do {                               \
        file f = saved(kind);          \
        change;                        \
        cg_seal(&f);                   \
        refused_by(&blocks, &f, says); \
        free(f.bytes);                 \
    } while (0)

/* Both kinds, with any formats; what is saved again is the same. */
static void files_roundtrip(void **state)
{
    static const ck_dtype formats[] = { CK_DTYPE_F32,  CK_DTYPE_BF16, CK_DTYPE_F16,  CK_DTYPE_Q4_0,
                                        CK_DTYPE_Q4_1, CK_DTYPE_Q5_0, CK_DTYPE_Q5_1, CK_DTYPE_Q8_0,
                                        CK_DTYPE_Q4_K, CK_DTYPE_Q5_K, CK_DTYPE_Q6_K };
    static const cg_buffer_id ids[] = { cg_b_token_emb, cg_b_wq, cg_b_wk, cg_b_wv,
                                        cg_b_wo,        cg_b_w1, cg_b_w2 };
    float x[2][50];
    char text[512];
    (void)state;
    for (size_t i = 0; i < 22; i++) {
        cg_formats f = { 0 };
        for (size_t k = 0; k < 7; k++) {
            f.asked_of[ids[k]] = true;
            f.of[ids[k]] = formats[(i + (i < 11 ? 1 : 4) * k) % 11];
        }
        const bool halves = f.of[cg_b_wo] == CK_DTYPE_BF16 || f.of[cg_b_wo] == CK_DTYPE_F16;
        cg_loaded l = cg_load_formats(&decoder, 0, &f);
        ck_model *const m = cg_open_model(&l, 7);
        assert_int_equal(ck_model_decode(m, 1, x[0], 50), CK_MODEL_OK);
        for (int kind = 0; kind < 2; kind++) {
            if (kind == CK_WEIGHTS_BUMP3 && halves) {
                assert_int_equal(ck_model_save(m, cg_path, CK_WEIGHTS_BUMP3), CK_MODEL_FILE);
                assert_non_null(strstr(ck_model_error(m), "wo in 16 bits, which a BUMPWGT"));
                continue;
            }
            cg_save(m, (ck_weights_kind)kind);
            const file first = cg_read_file();
            if (load_into(&l, &first, x[1], text) != CK_MODEL_OK) fail_msg("%s", text);
            assert_memory_equal(x[0], x[1], sizeof x[0]);
            ck_model *const other = cg_open_model(&l, 8);
            assert_int_equal(ck_model_load(other, cg_path), CK_MODEL_OK);
            assert_memory_equal(ck_model_arena(other) + l.program->buffers[0].offset,
                                ck_model_arena(m) + l.program->buffers[0].offset,
                                l.program->buffers[0].bytes);
            cg_save(other, (ck_weights_kind)kind);
            const file second = cg_read_file();
            assert_int_equal(first.size, second.size);
            assert_memory_equal(first.bytes, second.bytes, first.size);
            ck_model_close(other);
            free(first.bytes);
            free(second.bytes);
        }
        ck_model_close(m);
        cg_unload(&l);
    }
}

/* Where each tensor lies in a BUMPWGT3 file, by section 5's order: bytes as in memory, wo by rows too. */
static void bump_is_laid_out_as_specified(void **state)
{
    static const struct {
        const char *name;
        unsigned char code;
    } before[] = { { "token_emb", 9 }, { "pos_emb", 0 } },
      layer[] = { { "ln1_gamma", 0 }, { "ln2_gamma", 0 }, { "wq", 7 }, { "bq", 0 }, { "wk", 12 },
                  { "bk", 0 },        { "wv", 8 },        { "bv", 0 }, { "wo", 5 }, { "bo", 0 },
                  { "w1", 13 },       { "b1", 0 },        { "w2", 6 }, { "b2", 0 } },
      after[] = { { "final_ln_weight", 0 }, { "final_ln_bias", 0 } };
    ck_model *const m = cg_open_model(&blocks, 1);
    const file f = saved(CK_WEIGHTS_BUMP3);
    const unsigned char *code = f.bytes + 132, *at = code + 32;
    (void)state;
#define HAS(part, l)                                                                      \
    do {                                                                                  \
        const ck_buffer *const b = find((part).name);                                     \
        assert_int_equal(*code++, (part).code);                                           \
        assert_memory_equal(at, ck_model_arena(m) + b->offset + (l)*b->stride, b->bytes); \
        at += b->bytes;                                                                   \
    } while (0)
    for (size_t i = 0; i < 2; i++) HAS(before[i], 0);
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < 14; i++) HAS(layer[i], l);
    for (size_t i = 0; i < 2; i++) HAS(after[i], 0);
#undef HAS
    assert_ptr_equal(at, f.bytes + f.size);
    free(f.bytes);
    ck_model_close(m);
}

static void wrong_values(void **state)
{
    (void)state;
    /* scales and minimums, in the last block of the last layer among others */
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "token_emb", -1, 0, 0), 0x7c00),
          "token_emb of layer 0: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "token_emb", -1, 49, 7), 0xfc00), "not finite");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wq", 1, 253, 0), 0x7e00), "wq of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wq", 1, 253, 0) + 2, 0x7c00), "wq of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wk", 0, 0, 7) + 2, 0xfe00), "wk of layer 0: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wv", 1, 61, 0) + 208, 0x7c00), "wv of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wo", 1, 249, 7), 0x7c01), "wo of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "w1", 1, 506, 0) + 2, 0x7c00), "w1 of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "w2", 1, 249, 7), 0x7c00), "w2 of layer 1: byte");
    /* rows of pad lanes: of the last head, behind gates and factors, of the last output */
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wq", 1, 255, 0) + 2, 0x3c00);
          block(&f, "wq", 1, 255, 0)[8] = 1, "wq of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "wk", 0, 14, 7) + 2, 1), "a pad lane is not 0");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "w1", 1, 251, 0) + 2, 0x3c00);
          block(&f, "w1", 1, 251, 0)[8] = 1, "w1 of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, put16(block(&f, "w2", 1, 250, 0) + 2, 0x3c00), "a pad lane is not 0");
    /* pad lanes beside used ones, where the format can say 0: lane 250 of an embedding, lane 14 of a head */
    WRONG(CK_WEIGHTS_NAMED, block(&f, "token_emb", -1, 49, 7)[2 + 26] = 1, "a pad lane is not 0");
    WRONG(CK_WEIGHTS_NAMED, block(&f, "wo", 1, 249, 7)[2 + 14] ^= 1, "wo of layer 1: byte");
    WRONG(CK_WEIGHTS_NAMED, block(&f, "wo", 1, 249, 7)[2 + 15] ^= 0x10, "a pad lane is not 0");
    WRONG(CK_WEIGHTS_BUMP3, put16(f.bytes + 164, 0x7c00),
          "token_emb of layer 0: byte 164: not finite");
    WRONG(CK_WEIGHTS_BUMP3, cg_put32(f.bytes + f.size - 4, 0x7fc00000), "final_ln_bias");
}

/* The line tells the byte of the block. */
static void the_place_of_a_value_is_told(void **state)
{
    file f = saved(CK_WEIGHTS_NAMED);
    unsigned char *const at = block(&f, "wv", 1, 3, 0);
    char says[80];
    (void)state;
    put16(at + 208, 0x7c00);
    cg_seal(&f);
    snprintf(says, sizeof says, "wv of layer 1: byte %zu: not finite", (size_t)(at - f.bytes));
    refused_by(&blocks, &f, says);
    free(f.bytes);
}

/* Lanes that nothing is multiplied with may be anything where the format has a minimum. */
static void pad_lanes_beside_others_do_not_count(void **state)
{
    file f = saved(CK_WEIGHTS_NAMED);
    float x[2][50];
    char text[512];
    (void)state;
    assert_int_equal(load_into(&blocks, &f, x[0], text), CK_MODEL_OK);
    block(&f, "w2", 1, 249, 7)[4 + 15] ^= 0xf0;   /* lane 255 of 251 */
    block(&f, "wq", 1, 253, 0)[16 + 127] ^= 0xf0; /* lane 255 of 250 */
    cg_seal(&f);
    if (load_into(&blocks, &f, x[1], text) != CK_MODEL_OK) fail_msg("%s", text);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    block(&f, "w2", 1, 249, 7)[4 + 15] ^= 0x0f; /* lane 239 is used */
    cg_seal(&f);
    if (load_into(&blocks, &f, x[1], text) != CK_MODEL_OK) fail_msg("%s", text);
    assert_memory_not_equal(x[0], x[1], sizeof x[0]);
    free(f.bytes);
}

static void wrong_formats(void **state)
{
    (void)state;
    WRONG(CK_WEIGHTS_NAMED, entry(&f, "wq", 0)[32 + 3] = '0',
          "dtype of wq of layer 0: \"q4_0\", the program has q4_k");
    WRONG(CK_WEIGHTS_NAMED, memcpy(entry(&f, "w2", 1) + 32, "q5_0", 4),
          "dtype of w2 of layer 1: \"q5_0\", the program has q4_1");
    WRONG(CK_WEIGHTS_NAMED, memset(entry(&f, "w2", 1) + 32, 'x', 16),
          "dtype of w2 of layer 1: \"xxxxxxxxxxxxxxxx\", the program");
    WRONG(CK_WEIGHTS_NAMED, entry(&f, "w2", 1)[32 + 5] = 1, "dtype of w2 of layer 1");
    WRONG(CK_WEIGHTS_NAMED, entry(&f, "w2", 1)[128]++, "w2 of layer 1: shape or place");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[132] = 0,
          "dtype of token_emb of layer 0: 0 (f32), the program has q8_0");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[132 + 2 + 14 + 12] = 5,
          "dtype of w2 of layer 1: 5 (q4_0), the program has q4_1");
    WRONG(CK_WEIGHTS_BUMP3, f.bytes[132 + 3] = 9,
          "dtype of ln2_gamma of layer 0: 9 (q8_0), the program has f32");
    WRONG(CK_WEIGHTS_BUMP3, f.size -= 18, "wanted");
    WRONG(CK_WEIGHTS_BUMP3, f.size += 1, "wanted");
}

/* Programs in f32 and in blocks do not take each other's files; files without formats are all in f32. */
static void other_programs_are_refused(void **state)
{
    cg_loaded plain = cg_load(&decoder, 0);
    ck_model *const m = cg_open_model(&plain, 1);
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        file f = saved((ck_weights_kind)kind);
        refused_by(&plain, &f, "the program has f32");
        free(f.bytes);
        cg_save(m, (ck_weights_kind)kind);
        f = cg_read_file();
        refused_by(&blocks, &f, "the program has q8_0");
        if (kind == CK_WEIGHTS_BUMP3) {
            f.bytes[7] = '2';
            f.bytes[8] = 2;
            memmove(f.bytes + 128, f.bytes + 164, f.size - 164);
            f.size -= 36;
            cg_seal(&f);
            refused_by(&blocks, &f,
                       "a BUMPWGT2 file is all in f32, the program has token_emb in q8_0");
            memmove(f.bytes, f.bytes + 128, f.size - 128);
            f.size -= 128;
            refused_by(&blocks, &f, "a flat file is all in f32, the program has token_emb in q8_0");
        }
        free(f.bytes);
    }
    ck_model_close(m);
    cg_unload(&plain);
}

/* Most of them with their checksum made right again. */
static void damaged_files_are_refused(void **state)
{
    static const char *const small[] = { "token_emb=q8_0", "wq=q4_0", "wk=q5_1", "wv=q4_1",
                                         "wo=q5_0",        "w1=bf16", "w2=f16",  NULL };
    cg_loaded l = load(&cg_small, small);
    ck_model *const m = cg_open_model(&l, 1);
    size_t refusals = 0, taken = 0;
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
            for (size_t i = 0; seed % 2 && i < 3; i++) /* without another size */
                f.bytes[cg_draw(&s) % f.size] = (unsigned char)cg_draw(&s);
            if (seed % 2 == 0) f.size = cg_mutate(f.bytes, f.size, 2 * whole.size + 200, &s);
            if (seed % 4 < 3) cg_seal(&f);
            const bool is_taken = cg_load_damaged(m, &f); /* other codes and scales, sealed */
            taken += is_taken;
            refusals += !is_taken;
        }
        free(f.bytes);
        free(whole.bytes);
    }
    assert_true(refusals > 500 && taken > 20);
    ck_model_close(m);
    cg_unload(&l);
}

static int begin(void **state)
{
    (void)state;
    blocks = load(&decoder, wanted);
    return cg_begin_files();
}

static int end(void **state)
{
    (void)state;
    cg_unload(&blocks);
    return cg_end_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_roundtrip),
        cmocka_unit_test(bump_is_laid_out_as_specified),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(the_place_of_a_value_is_told),
        cmocka_unit_test(pad_lanes_beside_others_do_not_count),
        cmocka_unit_test(wrong_formats),
        cmocka_unit_test(other_programs_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end) != 0;
}
