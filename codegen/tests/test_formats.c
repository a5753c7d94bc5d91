/* SPDX-License-Identifier: MIT */
/* Weights in bf16, f16 and block formats: what each matrix gets, and programs against the decoder in double. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ck_ops.h"
#include "draw.h"
#include "generate.h"
#include "quant.h"
#include "run.h"

static const ck_dtype all_formats[] = {
    CK_DTYPE_F32,  CK_DTYPE_BF16, CK_DTYPE_F16,  CK_DTYPE_Q4_0, CK_DTYPE_Q4_1, CK_DTYPE_Q5_0,
    CK_DTYPE_Q5_1, CK_DTYPE_Q8_0, CK_DTYPE_Q4_K, CK_DTYPE_Q5_K, CK_DTYPE_Q6_K,
};
static const cg_buffer_id matrices[] = {
    cg_b_token_emb, cg_b_lm_head_weight, cg_b_wq, cg_b_wk, cg_b_wv, cg_b_wo, cg_b_w1, cg_b_w2
};
enum {
    FORMATS = sizeof all_formats / sizeof *all_formats,
    MATRICES = sizeof matrices / sizeof *matrices
};

/* The decoder of the specification's q4_k figures, with pad lanes in all widths, and a head of its own. */
static cg_config wide(void)
{
    cg_config c = cg_small;
    c.hidden = 250;
    c.intermediate = 251;
    c.heads = 16;
    c.kv_heads = 4;
    c.head_dim = 14;
    c.tied = false;
    return c;
}

/* A decoder of any kind whose rows are whole blocks of 256, most of them with pad lanes. */
static cg_config draw_wide(uint64_t *seed)
{
    cg_config c = cg_draw_config(seed);
    const bool broad = cg_draw(seed) % 2;
    c.layers = 1 + c.layers % 2;
    c.hidden = 241 + cg_draw(seed) % 16;
    c.intermediate = 241 + cg_draw(seed) % 16;
    c.kv_heads = broad ? 4 : 2;
    c.heads = broad ? 16 : 8;
    c.head_dim = (broad ? 2 : 18) + 2 * (cg_draw(seed) % 8);
    c.context = 1 + c.context % 8;
    return c;
}

static void ask(cg_formats *f, cg_buffer_id id, ck_dtype format)
{
    f->asked_of[id] = true;
    f->of[id] = format;
}

/* A format for all, and others for about half of the matrices, as far as they fit. */
static cg_formats draw_formats(const cg_config *c, uint64_t *seed)
{
    cg_formats f = { .asked = true, .all = all_formats[cg_draw(seed) % FORMATS] };
    for (size_t i = 0; i < MATRICES; i++) {
        const ck_dtype format = all_formats[cg_draw(seed) % FORMATS];
        const bool fits = cg_row_elements(&cg_buffers[matrices[i]], c) % cg_block(format) == 0;
        if (cg_draw(seed) % 2 && fits && !(matrices[i] == cg_b_lm_head_weight && c->tied))
            ask(&f, matrices[i], format);
    }
    return f;
}

/* What "NAME=FORMAT" texts ask for. */
static int read_all(cg_formats *f, const char *const *texts, cg_error *error)
{
    *f = (cg_formats){ 0 };
    for (; *texts; texts++)
        if (cg_formats_read_one(f, *texts, error) != 0) return -1;
    return 0;
}

static cg_formats formats_of(const char *all, const char *const *texts)
{
    cg_formats f;
    cg_error error;
    if (read_all(&f, texts, &error) != 0 || (all && cg_formats_read_all(&f, all, &error) != 0))
        fail_msg("%s", error.text);
    return f;
}

/* The matrices of a decoder get these formats, in the order of `matrices`, in all layers. */
static void gets(const cg_config *c, const char *all, const char *const *texts, const char *want)
{
    const cg_formats f = formats_of(all, texts);
    cg_error error;
    char got[200] = "";
    ck_dtype *const of = cg_formats_choose(&f, c, &error);
    if (!of) fail_msg("%s", error.text);
    for (size_t i = 0, at = 0; i < MATRICES; i++) {
        const ck_dtype format = of[cg_place_index(matrices[i], 0)];
        at += (size_t)snprintf(got + at, sizeof got - at, "%s%s", i ? " " : "",
                               cg_dtype_name(format));
        for (size_t l = 0; l < c->layers; l++)
            assert_int_equal(of[cg_place_index(matrices[i], l)], format);
    }
    for (size_t i = 0; i < cg_place_count(c->layers); i++) {
        const size_t of_layer = (i - CG_GLOBALS) % (CG_BUFFERS - CG_GLOBALS);
        const size_t id = i < CG_GLOBALS ? i : CG_GLOBALS + of_layer;
        if (cg_buffers[id].role != CG_MATRIX) assert_int_equal(of[i], CK_DTYPE_F32);
    }
    assert_string_equal(got, want);
    free(of);
}

#define TEXTS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NONE       ((const char *const[]){ NULL })

static void matrices_get_formats_that_fit(void **state)
{
    cg_config c = wide();
    (void)state;
    gets(&c, NULL, NONE, "f32 f32 f32 f32 f32 f32 f32 f32");
    gets(&c, "q4_k", NONE, "q4_k q4_k q4_k q4_k q4_k q4_k q4_k q4_k");
    gets(&c, "q4_k", TEXTS("w2=q6_k", "lm_head_weight=bf16"),
         "q4_k bf16 q4_k q4_k q4_k q4_k q4_k q6_k");
    gets(&c, NULL, TEXTS("token_emb=q8_0"), "q8_0 f32 f32 f32 f32 f32 f32 f32");
    c.tied = true;
    gets(&c, NULL, TEXTS("token_emb=q8_0"), "q8_0 q8_0 f32 f32 f32 f32 f32 f32");
    c.tied = false;
    c.intermediate = 288; /* 9 blocks of 32; w2 alone has such rows */
    gets(&c, "q4_k", NONE, "q4_k q4_k q4_k q4_k q4_k q4_k q4_k q5_0");
    gets(&c, "q5_k", NONE, "q5_k q5_k q5_k q5_k q5_k q5_k q5_k q8_0");
    gets(&c, "q6_k", NONE, "q6_k q6_k q6_k q6_k q6_k q6_k q6_k q8_0");
    c.intermediate = 270; /* 17 times 16 */
    gets(&c, "q4_k", NONE, "q4_k q4_k q4_k q4_k q4_k q4_k q4_k f32");
    gets(&c, "q6_k", NONE, "q6_k q6_k q6_k q6_k q6_k q6_k q6_k f32");
    gets(&c, "q4_1", NONE, "q4_1 q4_1 q4_1 q4_1 q4_1 q4_1 q4_1 f32");
    gets(&c, "f16", NONE, "f16 f16 f16 f16 f16 f16 f16 f16");
    c.heads = 15;
    c.kv_heads = 5; /* rows of wo are 15 heads of 16 */
    gets(&c, "q8_0", NONE, "q8_0 q8_0 q8_0 q8_0 q8_0 f32 q8_0 f32");
}

static void refused(const cg_config *c, const char *const *texts, const char *says)
{
    cg_formats f;
    cg_error error = { "" };
    ck_dtype *of = NULL;
    if (read_all(&f, texts, &error) == 0) of = cg_formats_choose(&f, c, &error);
    if (of) fail_msg("not refused, wanted %s", says);
    if (!strstr(error.text, says)) fail_msg("says %s\n  wanted %s", error.text, says);
}

static void what_does_not_fit_is_refused(void **state)
{
    cg_config c = wide();
    cg_formats f = { 0 };
    cg_error error;
    (void)state;
    c.intermediate = 270;
    refused(&c, TEXTS("w2=q4_k"), "--weight: w2=q4_k: rows of 272, wanted whole blocks of 256");
    refused(&c, TEXTS("w2=q8_0"), "--weight: w2=q8_0: rows of 272, wanted whole blocks of 32");
    refused(&c, TEXTS("wq=q4_2"), "--weight: \"wq=q4_2\": wanted one of f32 bf16 f16 q4_0");
    refused(&c, TEXTS("wq=q8_k"), "\"wq=q8_k\": wanted one of");
    refused(&c, TEXTS("wq=int8"), "\"wq=int8\": wanted one of");
    refused(&c, TEXTS("wq="), "\"wq=\": wanted one of");
    refused(&c, TEXTS("wq=Q4_K"), "\"wq=Q4_K\": wanted one of");
    refused(&c, TEXTS("bq=f16"), "\"bq=f16\": wanted NAME=FORMAT, NAME one of token_emb");
    refused(&c, TEXTS("w=f16"), "\"w=f16\": wanted NAME=FORMAT");
    refused(&c, TEXTS("wqq=f16"), "\"wqq=f16\": wanted NAME=FORMAT");
    refused(&c, TEXTS("d_wq=f16"), "\"d_wq=f16\": wanted NAME=FORMAT");
    refused(&c, TEXTS("=f16"), "\"=f16\": wanted NAME=FORMAT");
    refused(&c, TEXTS("wq=f16", "wq=f16"), "--weight: wq: given twice");
    c.tied = true;
    refused(&c, TEXTS("lm_head_weight=f16"), "lm_head_weight: is tied to token_emb");
    assert_int_equal(cg_formats_read_all(&f, "f64", &error), -1);
    assert_non_null(strstr(error.text, "--weights: \"f64\": wanted one of"));
    f = (cg_formats){ 0 };
    assert_int_equal(cg_formats_read_all(&f, "f32", &error), 0);
    assert_int_equal(cg_formats_read_all(&f, "f32", &error), -1);
    assert_string_equal(error.text, "--weights: given twice");
}

/* The tables of an emitted program say what each matrix got. */
static void check_table(const cg_config *c, const cg_formats *f)
{
    cg_loaded l = cg_load_formats(c, 0, f);
    cg_error error;
    ck_dtype *const of = cg_formats_choose(f, c, &error);
    assert_non_null(of);
    for (size_t i = 0; i < l.program->buffer_count; i++) {
        const ck_buffer *const b = &l.program->buffers[i];
        size_t id = 0;
        while (strcmp(cg_buffers[id].name, b->name) != 0) id++;
        assert_int_equal(b->dtype, of[cg_place_index((cg_buffer_id)id, 0)]);
        size_t elements = 1;
        for (size_t k = 0; k < b->dims; k++) elements *= b->dim[k];
        assert_int_equal(b->bytes, ck_row_bytes(b->dtype, elements));
    }
    free(of);
    cg_unload(&l);
}

/* Each matrix in each format, in decoders with pad lanes within blocks. */
static void each_format_everywhere(void **state)
{
    uint64_t seed = 21;
    double worst[2] = { 0, 0 };
    (void)state;
    for (size_t i = 0; i < 2 * FORMATS; i++) {
        cg_config c = draw_wide(&seed);
        cg_formats f = { 0 };
        if (i < FORMATS) c.tied = false;
        for (size_t k = 0; k < MATRICES; k++)
            if (!(c.tied && matrices[k] == cg_b_lm_head_weight))
                ask(&f, matrices[k], all_formats[(i < FORMATS ? i + k : 3 * i + 5 * k) % FORMATS]);
        check_table(&c, &f);
        cg_check_config(&c, &f, &seed, worst);
    }
    print_message("worst error / radius: fast %.3f, strict %.3f\n", worst[0], worst[1]);
    assert_true(worst[1] > 1e-3); /* the estimate is no blank cheque */
}

static void mixed_formats_equal_the_reference(void **state)
{
    uint64_t seed = 12;
    double worst[2] = { 0, 0 };
    (void)state;
    for (int i = 0; i < 60; i++) {
        const cg_config c = i % 6 ? cg_draw_config(&seed) : draw_wide(&seed);
        const cg_formats f = draw_formats(&c, &seed);
        cg_check_config(&c, &f, &seed, worst);
    }
    print_message("worst error / radius: fast %.3f, strict %.3f\n", worst[0], worst[1]);
}

/* The same program with weights in f32; the same seed. */
typedef struct pair {
    cg_loaded of, plain;
    ck_model *m, *f32;
} pair;

static pair open_pair(const cg_config *c, const cg_formats *f)
{
    pair p = { cg_load_formats(c, 0, f), cg_load(c, 0), NULL, NULL };
    p.m = cg_open_model(&p.of, 6);
    p.f32 = cg_open_model(&p.plain, 6);
    return p;
}

static void close_pair(pair *p)
{
    ck_model_close(p->m);
    ck_model_close(p->f32);
    cg_unload(&p->of);
    cg_unload(&p->plain);
}

/* Calls back for each weight of each layer that is in another format than f32. */
static void each_block_matrix(const pair *p,
                              void (*visit)(const ck_buffer *b, unsigned char *blocks, float *f32))
{
    for (size_t i = 0; i < p->of.program->buffer_count; i++) {
        const ck_buffer *const b = &p->of.program->buffers[i];
        const ck_buffer *const w = &p->plain.program->buffers[i];
        assert_string_equal(b->name, w->name);
        for (size_t l = 0; l < (b->of_layer ? p->of.program->decoder.layers : 1); l++)
            if (b->dtype != CK_DTYPE_F32)
                visit(b, ck_model_arena(p->m) + b->offset + l * b->stride,
                      (float *)(void *)(ck_model_arena(p->f32) + w->offset + l * w->stride));
    }
}

static void take_decoded(const ck_buffer *b, unsigned char *blocks, float *f32)
{
    size_t count = 1;
    for (size_t i = 0; i < b->dims; i++) count *= b->dim[i];
    cg_decode(b->dtype, blocks, count, f32);
}

/* In strict mode a program is, bit for bit, the one in f32 with the decoded weights; what pad lanes decode to
 * does not matter. */
static void strict_equals_f32_of_decoded_weights(void **state)
{
    uint64_t seed = 33;
    (void)state;
    ck_set_strict_parity(1);
    for (int i = 0; i < 24; i++) {
        const cg_config c = i % 3 ? draw_wide(&seed) : cg_draw_config(&seed);
        const cg_formats f = draw_formats(&c, &seed);
        pair p = open_pair(&c, &f);
        const size_t bytes = c.context * c.vocab * sizeof(float);
        int32_t *const tokens = malloc(c.context * sizeof *tokens);
        float *const a = malloc(bytes), *const b = malloc(bytes);
        assert_true(tokens && a && b);
        cg_draw_tokens(tokens, c.context, c.vocab, &seed);
        each_block_matrix(&p, take_decoded);
        assert_int_equal(cg_run_whole(p.m, tokens, c.context, a), CK_MODEL_OK);
        assert_int_equal(cg_run_whole(p.f32, tokens, c.context, b), CK_MODEL_OK);
        assert_memory_equal(a, b, bytes);
        free(tokens);
        free(a);
        free(b);
        close_pair(&p);
    }
    ck_set_strict_parity(0);
}

typedef ck_status encoder(const ck_quantize_args *args);

static void is_encoded(const ck_buffer *b, unsigned char *blocks, float *f32)
{
    static encoder *const encoders[CK_DTYPE_COUNT] = {
        [CK_DTYPE_BF16] = ck_quantize_row_bf16, [CK_DTYPE_F16] = ck_quantize_row_f16,
        [CK_DTYPE_Q4_0] = ck_quantize_row_q4_0, [CK_DTYPE_Q4_1] = ck_quantize_row_q4_1,
        [CK_DTYPE_Q5_0] = ck_quantize_row_q5_0, [CK_DTYPE_Q5_1] = ck_quantize_row_q5_1,
        [CK_DTYPE_Q8_0] = ck_quantize_row_q8_0, [CK_DTYPE_Q4_K] = ck_quantize_row_q4_k,
        [CK_DTYPE_Q5_K] = ck_quantize_row_q5_k, [CK_DTYPE_Q6_K] = ck_quantize_row_q6_k,
    };
    size_t count = 1;
    for (size_t i = 0; i < b->dims; i++) count *= b->dim[i];
    unsigned char *const want = malloc(b->bytes);
    assert_non_null(want);
    assert_int_equal(encoders[b->dtype](&(ck_quantize_args){ want, f32, count }), CK_OK);
    assert_memory_equal(blocks, want, b->bytes);
    free(want);
}

/* A seed draws the same numbers whatever formats they are put into, on every ISA. */
static void random_weights_are_the_same_numbers(void **state)
{
    uint64_t seed = 55;
    const unsigned mask = ck_isa_mask();
    (void)state;
    for (int i = 0; i < 22; i++) {
        const cg_config c = i % 2 ? draw_wide(&seed) : cg_draw_config(&seed);
        const cg_formats f = draw_formats(&c, &seed);
        pair p = open_pair(&c, &f);
        each_block_matrix(&p, is_encoded);
        ck_isa_set_mask(1u << CK_ISA_scalar);
        ck_model *const again = cg_open_model(&p.of, 6);
        ck_isa_set_mask(mask);
        assert_memory_equal(ck_model_arena(p.m), ck_model_arena(again), p.of.program->bytes);
        ck_model_close(again);
        close_pair(&p);
    }
}

/* Generators with one mistake each. */
static void wrong_programs_are_seen(void **state)
{
    static const char *const wrong[][3] = {
        { "embed", "ck_embedding_q4_1", "ck_embedding_q5_0" },
        { "embed", "ck_embedding_q4_1", "ck_embedding_f32" },
        { "embed", ".ldw = 8", ".ldw = 9" },
        { "embed", ".d = 256", ".d = 224" },
        { "embed", ".t = r->rows", ".t = r->rows - 1" },
        { "embed", "250, 256", "249, 256" },
        { "embed", "250, 256", "256, 256" }, /* what the blocks have in pad lanes */
        { "embed", "r->rows, 250", "r->rows - 1, 250" },
        { "project_q", "h * 2304", "h * 144" },  /* one block a head */
        { "project_q", "h * 2304", "h * 4096" }, /* elements */
        { "project_q", "h * 2304", "h * 16" },   /* blocks */
        { "project_q", " + h * 2304", "" },
        { "project_q", "h < 16", "h < 15" },
        { "project_q", "h * 2304", "(h < 15 ? h : 0) * 2304" },
        { "project_q", "WQ(l)", "WQ(0)" },
        { "project_q", "ck_gemm_nt_q4_k_f32(&a)",
          "l == 1 ? ck_gemm_nt_q5_k_f32(&a) : ck_gemm_nt_q4_k_f32(&a)" },
        { "project_k", "ck_gemm_nt_q5_1_f32", "ck_gemm_nt_q4_1_f32" },
        { "project_k", "ck_gemm_nt_q5_1_f32", "ck_gemm_nt_q5_0_f32" },
        { "project_k", ".ldb = 8", ".ldb = 9" },
        { "project_k", ".ldb = 8", ".ldb = 10" },
        { "project_k", ".k = 256", ".k = 224" }, /* the last block, the one with pad lanes */
        { "project_v", "ck_gemm_nt_q5_k_f32", "ck_gemm_nt_q4_k_f32" },
        { "project_v", "h * 2816", "h * 2304" },
        { "merge_heads", "ck_gemm_nt_q4_0_f32", "ck_gemm_nt_q5_0_f32" },
        { "merge_heads", ".k = 256", ".k = 224" }, /* the last two heads */
        { "merge_heads", ".ldb = 8", ".ldb = 16" },
        { "merge_heads", "ck_row(r, ATTN_OUT(l), 256)", "ck_row(r, ATTN_OUT(l), 16)" },
        { "merge_heads", ".lda = 256", ".lda = 16" },
        { "attend", ".ldy = 256, .ldq = 16", ".ldy = 16, .ldq = 16" },
        { "attend", ".head_y = 16", ".head_y = 256" },
        { "attend", ".head_y = 16", ".head_y = 14" },
        { "mlp_up", ".ldb = 256", ".ldb = 250" }, /* f16: rows are padded as those of f32 */
        { "mlp_up", "ck_gemm_nt_f16_f32", "ck_gemm_nt_bf16_f32" },
        { "mlp_up", ".k = 250", ".k = 249" },
        { "mlp_down", "ck_gemm_nt_q8_0_f32(&a)",
          "l == 1 ? ck_gemm_nt_q5_0_f32(&a) : ck_gemm_nt_q8_0_f32(&a)" },
        { "mlp_down", "W2(l)", "W2(1)" },
        { "head", "ck_gemm_nt_q6_k_f32", "ck_gemm_nt_q4_k_f32" },
        { "head", "LM_HEAD_WEIGHT", "TOKEN_EMB" },
        { "head", ".n = 50", ".n = 49" },
    };
    const cg_formats f =
        formats_of(NULL, TEXTS("token_emb=q4_1", "wq=q4_k", "wk=q5_1", "wv=q5_k", "wo=q4_0",
                               "w1=f16", "w2=q8_0", "lm_head_weight=q6_k"));
    const cg_config c = wide();
    int32_t tokens[8];
    float logits[8 * 50];
    uint64_t seed = 8;
    (void)state;
    cg_draw_tokens(tokens, 8, 50, &seed);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cg_loaded l = cg_load_wrong(&c, &f, wrong[i][0], wrong[i][1], wrong[i][2]);
        ck_model *const m = cg_open_model(&l, 4);
        const int status = cg_run_cut(m, tokens, 8, logits, &seed);
        if (status == CK_MODEL_OK && cg_compare(m, tokens, 8, 0, logits) <= 1 && !cg_arena_fault(m))
            fail_msg("%s: %s for %s is not seen", wrong[i][0], wrong[i][2], wrong[i][1]);
        ck_model_close(m);
        cg_unload(&l);
    }
}

/* A head that is tied reads its embedding's blocks; one that reads them as others is seen. */
static void wrong_tied_heads_are_seen(void **state)
{
    const cg_formats f = formats_of(NULL, TEXTS("token_emb=q8_0"));
    int32_t tokens[4] = { 3, 1, 4, 1 };
    float logits[4 * 50];
    static const char *const formats[] = { "q5_0", "q4_0", "q5_1", "bf16" };
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char to[40];
        snprintf(to, sizeof to, "ck_gemm_nt_%s_f32", formats[i]);
        cg_loaded l = cg_load_wrong(&cg_small, &f, "head", "ck_gemm_nt_q8_0_f32", to);
        ck_model *const m = cg_open_model(&l, 4);
        if (cg_run_whole(m, tokens, 4, logits) == CK_MODEL_OK &&
            cg_compare(m, tokens, 4, 0, logits) <= 1)
            fail_msg("%s is not seen", formats[i]);
        ck_model_close(m);
        cg_unload(&l);
    }
}

/* Where no kernel may run that converts, there are no weights, and a file changes nothing. */
static void kernels_that_convert_may_fail(void **state)
{
    const cg_formats f = formats_of("q8_0", NONE);
    cg_config c = cg_small;
    c.intermediate = 64;
    cg_loaded l = cg_load_formats(&c, 0, &f);
    ck_model *const m = cg_open_model(&l, 4);
    const unsigned mask = ck_isa_mask();
    char path[] = "/tmp/ckgen-test-XXXXXX";
    const int fd = mkstemp(path);
    float x[2][50];
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(ck_model_save(m, path, CK_WEIGHTS_NAMED), CK_MODEL_OK);
    assert_int_equal(ck_model_decode(m, 0, x[0], 50), CK_MODEL_OK);
    ck_isa_set_mask(0);
    assert_int_equal(ck_model_decode(m, 0, NULL, 0), CK_MODEL_KERNEL);
    assert_non_null(strstr(ck_model_error(m), "layer 0, step embed: kernel embed"));
    assert_int_equal(ck_model_load(m, path), CK_MODEL_FILE);
    assert_non_null(strstr(ck_model_error(m), "token_emb: decoding: "));
    ck_isa_set_mask(mask);
    ck_model_reset(m);
    assert_int_equal(ck_model_decode(m, 0, x[1], 50), CK_MODEL_OK);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    ck_isa_set_mask(0);
    assert_int_equal(ck_model_randomise(m, 4), CK_MODEL_KERNEL);
    assert_non_null(strstr(ck_model_error(m), "randomise: quantising: "));
    ck_isa_set_mask(mask);
    assert_int_equal(ck_model_decode(m, 0, NULL, 0), CK_MODEL_WEIGHTS);
    remove(path);
    ck_model_close(m);
    cg_unload(&l);
}

/* Makes and emits a program whose places have these formats. */
static int make(const cg_config *c, const ck_dtype *of, cg_error *error)
{
    const cg_layout_options o = { .dtype = of };
    cg_program p;
    cg_graph g;
    FILE *const out = fopen("/dev/null", "w");
    assert_non_null(out);
    assert_int_equal(cg_graph_build(&g, c, error), 0);
    int status = cg_program_make(&p, &g, "g", &o, error);
    if (status == 0) {
        status = cg_emit(&p, CG_LIBRARY, out, error);
        cg_program_free(&p);
    }
    fclose(out);
    return status;
}

static void other_layouts_are_refused(void **state)
{
    const cg_config c = wide();
    cg_error error;
    ck_dtype of[400] = { CK_DTYPE_F32 };
    (void)state;
    assert_true(cg_place_count(c.layers) <= 400);
    assert_int_equal(make(&c, of, &error), 0);
    of[cg_place_index(cg_b_wk, 0)] = CK_DTYPE_BF16;
    of[cg_place_index(cg_b_wk, 1)] = CK_DTYPE_F16; /* as many bytes */
    assert_int_equal(make(&c, of, &error), -1);
    assert_string_equal(error.text, "emission: wk of layer 1 lies otherwise than in layer 0");
    of[cg_place_index(cg_b_wk, 0)] = of[cg_place_index(cg_b_wk, 1)] = CK_DTYPE_F32;
    of[cg_place_index(cg_b_w2, 1)] = CK_DTYPE_Q8_0;
    assert_int_equal(make(&c, of, &error), -1);
    assert_string_equal(error.text, "emission: w2 of layer 1 lies otherwise than in layer 0");
    of[cg_place_index(cg_b_w2, 0)] = CK_DTYPE_Q8_0;
    assert_int_equal(make(&c, of, &error), 0);
    of[cg_place_index(cg_b_wv, 0)] = of[cg_place_index(cg_b_wv, 1)] = CK_DTYPE_Q8_K;
    assert_int_equal(make(&c, of, &error), -1);
    assert_non_null(strstr(error.text, "layout: wv of layer 0: wrong dtype"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_get_formats_that_fit),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(each_format_everywhere),
        cmocka_unit_test(mixed_formats_equal_the_reference),
        cmocka_unit_test(strict_equals_f32_of_decoded_weights),
        cmocka_unit_test(random_weights_are_the_same_numbers),
        cmocka_unit_test(wrong_programs_are_seen),
        cmocka_unit_test(wrong_tied_heads_are_seen),
        cmocka_unit_test(kernels_that_convert_may_fail),
        cmocka_unit_test(other_layouts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
