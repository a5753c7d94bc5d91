/* SPDX-License-Identifier: MIT */
/* Emitted programs against the decoder in double, however a text is cut into passes; and every error. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw.h"
#include "run.h"

static void equals_the_reference(void **state)
{
    uint64_t seed = 11;
    double worst[2] = { 0, 0 };
    (void)state;
    cg_check_config(&cg_small, &(cg_formats){ 0 }, &seed, worst);
    for (int i = 0; i < 60; i++) {
        const cg_config c = cg_draw_config(&seed);
        cg_check_config(&c, &(cg_formats){ 0 }, &seed, worst);
    }
    print_message("worst error / radius: fast %.3f, strict %.3f\n", worst[0], worst[1]);
    assert_true(worst[1] > 1e-3); /* the estimate is no blank cheque */
}

/* With steps that are made one, whichever: the same decoder; decoding has the bits of a prefill, without
 * SIMD, too. */
static void fused_steps_are_the_decoder(void **state)
{
    uint64_t seed = 17;
    double worst[2] = { 0, 0 };
    (void)state;
    for (unsigned i = 0; i < 45; i++) {
        const cg_config c = i < 3 ? cg_small : cg_draw_config(&seed);
        cg_loaded l = cg_load_fused(&c, cg_draw(&seed) % 2 ? 64 : 0, 1 + i % 3, NULL, NULL, NULL);
        for (size_t k = 0; k < l.program->buffer_count; k++) {
            const char *const name = l.program->buffers[k].name;
            if ((1 + i % 3) & CG_FUSE_MLP) assert_string_not_equal(name, "fc1_out");
            if ((1 + i % 3) & CG_FUSE_RESIDUAL) assert_string_not_equal(name, "proj_tmp");
            if ((1 + i % 3) & CG_FUSE_RESIDUAL) assert_string_not_equal(name, "mlp_out");
        }
        cg_check_loaded(&l, &c, &seed, worst);
    }
    print_message("worst error / radius: fast %.3f, strict %.3f\n", worst[0], worst[1]);
    assert_true(worst[1] > 1e-3);
}

/* And with what is multiplied in any format of weights. */
static void fused_blocks_are_the_decoder(void **state)
{
    static const ck_dtype all[] = { CK_DTYPE_BF16, CK_DTYPE_F16,  CK_DTYPE_Q4_0, CK_DTYPE_Q4_1,
                                    CK_DTYPE_Q5_0, CK_DTYPE_Q5_1, CK_DTYPE_Q8_0, CK_DTYPE_Q4_K,
                                    CK_DTYPE_Q5_K, CK_DTYPE_Q6_K };
    enum { ALL = sizeof all / sizeof *all };
    uint64_t seed = 29;
    double worst[2] = { 0, 0 };
    (void)state;
    for (unsigned i = 0; i < 2 * ALL; i++) {
        const cg_formats formats = { .asked = true, .all = all[i % ALL] };
        cg_config c = cg_draw_config(&seed);
        c.intermediate = 250 + c.intermediate % 7; /* whole blocks, with pad lanes and without */
        c.head_dim = 16, c.heads = 16, c.kv_heads = 4;
        if (c.layers > 2) c.layers = 2;
        cg_loaded l =
            cg_load_fused_formats(&c, cg_draw(&seed) % 2 ? 64 : 0, CG_FUSE_RESIDUAL, &formats);
        cg_check_loaded(&l, &c, &seed, worst);
    }
    print_message("worst error / radius: fast %.3f, strict %.3f\n", worst[0], worst[1]);
    assert_true(worst[1] > 1e-3);
}

/* With keys and values in 16 bits: the same decoder but for their rounding. */
static void halved_caches_are_the_decoder(void **state)
{
    uint64_t seed = 23;
    double worst[2] = { 0, 0 };
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        const cg_config c = i < 2 ? cg_small : cg_draw_config(&seed);
        const ck_dtype cache = i % 2 ? CK_DTYPE_F16 : CK_DTYPE_BF16;
        cg_loaded l = cg_load_cached(&c, cg_draw(&seed) % 2 ? 64 : 0, cache, NULL, NULL, NULL);
        for (size_t k = 0; k < l.program->buffer_count; k++) {
            const ck_buffer *const b = &l.program->buffers[k];
            const bool kept = strcmp(b->name, "k") == 0 || strcmp(b->name, "v") == 0;
            assert_int_equal(b->dtype, kept ? cache : CK_DTYPE_F32);
        }
        cg_check_loaded(&l, &c, &seed, worst);
    }
    print_message("worst error / radius: fast %.3f, strict %.3f\n", worst[0], worst[1]);
    assert_true(worst[1] > 1e-3);
}

/* A decoder with one weight changed is another: the reference's radius is smaller than that. */
static void radius_sees_changed_weights(void **state)
{
    cg_loaded l = cg_load(&cg_small, 0);
    ck_model *const m = cg_open_model(&l, 5);
    const size_t n = 6, vocab = cg_small.vocab;
    int32_t tokens[6];
    float logits[6 * 50];
    double value[6 * 50], radius[6 * 50];
    uint64_t seed = 2;
    static const char *const names[] = { "wq", "bq", "wk", "wv", "bv",        "wo",       "bo",
                                         "w1", "b1", "w2", "b2", "ln1_gamma", "ln2_gamma" };
    (void)state;
    cg_draw_tokens(tokens, n, vocab, &seed);
    assert_int_equal(cg_run_whole(m, tokens, n, logits), CK_MODEL_OK);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const ck_program *const p = l.program;
        size_t i = 0;
        int seen = 0;
        while (strcmp(p->buffers[i].name, names[k]) != 0) i++;
        const ck_buffer *const b = &p->buffers[i];
        /* the last used lane of the last row of the last layer */
        size_t at = 0;
        for (size_t d = 0; d < b->dims; d++) at = at * b->dim[d] + b->used[d] - 1;
        float *const x = (float *)(void *)(ck_model_arena(m) + b->offset + b->stride) + at;
        const float before = *x;
        *x += 0.01f;
        ref_model r = cg_reference(m);
        assert_int_equal(ref_model_forward(&r, tokens, n, (ref_noise){ 0, 0 }, value), 0);
        assert_int_equal(ref_model_radius(&r, tokens, n, 0, value, radius), 0);
        for (size_t j = 0; j < n * vocab; j++)
            seen |= !(fabs((double)logits[j] - value[j]) <= radius[j]);
        cg_reference_free(&r);
        *x = before;
        if (!seen) fail_msg("a change of %s is within the radius", names[k]);
    }
    ck_model_close(m);
    cg_unload(&l);
}

/* Generators with one mistake each, in the last head, row or lane where there is a choice. */
static void wrong_programs_are_seen(void **state)
{
    static const char *const wrong[][3] = {
        { "embed", ".t = r->rows", ".t = r->rows - 1" },
        { "embed", ".d = 32", ".d = 31" },
        { "norm1", "LN1_GAMMA(l)", "LN2_GAMMA(l)" },
        { "norm1", "INPUT(l)", "INPUT(0)" },
        { "norm1", "9.99999975e-06f", "1e-4f" },
        { "project_q", "h < 4", "h < 3" },
        { "project_q", "+ h * 512", "" },
        { "project_q", ".bias = ck_at(r, BQ(l)) + h * 16", ".bias = ck_at(r, BQ(l))" },
        { "project_k", "WK(l)", "WV(l)" },
        { "project_v", ".bias", ".c" },
        { "project_v", "WV(l)", "WV(0)" },
        { "rope_q", ".heads = 4", ".heads = 3" },
        { "rope_q", ".rotary = 8", ".rotary = 6" },
        { "rope_k", "ROPE_SIN_CACHE", "ROPE_COS_CACHE" },
        { "rope_k", "ck_row(r, ROPE_COS_CACHE, 4)", "ck_at(r, ROPE_COS_CACHE)" },
        { "attend", "0.353553385f", "0.35f" },
        { "attend", "r->first + r->rows", "r->rows" },
        { "attend", "V(l)", "K(l)" },
        { "attend", ".kv_heads = 2", ".kv_heads = 1" },
        { "attend", ".head_y = 16", ".head_y = 256" },
        { "merge_heads", ".k = 64", ".k = 48" },
        { "merge_heads", ".ldb = 64", ".ldb = 65" },
        { "merge_heads", "WO(l)", "WQ(l)" },
        { "merge_heads", "BO(l)", "BO(0)" },
        { "add1", "PROJ_TMP(l)", "MLP_OUT(l)" },
        { "mlp_up", ".k = 32", ".k = 31" },
        { "swiglu", ".d = 48", ".d = 47" },
        { "mlp_down", ".k = 48", ".k = 47" },
        { "mlp_down", "B2(l)", "BO(l)" },
        { "add2", "RESIDUAL1(l)", "INPUT(l)" },
        { "final_norm", "OUTPUT(l)", "OUTPUT(0)" },
        { "head", ".n = 50", ".n = 49" },
    };
    int32_t tokens[9];
    float logits[9 * 50];
    uint64_t seed = 8;
    (void)state;
    cg_draw_tokens(tokens, 9, 50, &seed);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cg_loaded l =
            cg_load_wrong(&cg_small, &(cg_formats){ 0 }, wrong[i][0], wrong[i][1], wrong[i][2]);
        ck_model *const m = cg_open_model(&l, 4);
        const int status = cg_run_cut(m, tokens, 9, logits, &seed);
        if (status == CK_MODEL_OK && cg_compare(m, tokens, 9, 0, logits) <= 1)
            fail_msg("%s: %s for %s is not seen", wrong[i][0], wrong[i][2], wrong[i][1]);
        ck_model_close(m);
        cg_unload(&l);
    }
}

/* A program that leaves pad lanes as they are: what was in one, `byte` bytes into the buffer in that layer, is
 * found behind a run of nine tokens. Unloads it. */
static void stale_pad_is_found(cg_loaded *l, const char *buffer, size_t layer, size_t byte,
                               const int32_t *tokens)
{
    float logits[9 * 50];
    ck_model *const m = cg_open_model(l, 4);
    const ck_buffer *b = l->program->buffers;
    while (strcmp(b->name, buffer) != 0) b++;
    ck_model_arena(m)[b->offset + layer * b->stride + byte] = 1;
    assert_int_equal(cg_run_whole(m, tokens, 9, logits), CK_MODEL_OK);
    assert_non_null(cg_arena_fault(m));
    ck_model_close(m);
    cg_unload(l);
}

/* The same of fused steps. */
static void wrong_fused_programs_are_seen(void **state)
{
    static const char *const wrong[][3] = {
        { "mlp_gate", ".m = r->rows", ".m = r->rows - 1" },
        { "mlp_gate", ".n = 45", ".n = 44" },
        { "mlp_gate", ".k = 32", ".k = 31" },
        { "mlp_gate", "W1(l)) + 1536", "W1(l))" },
        { "mlp_gate", "W1(l)) + 1536", "W1(l)) + 1504" },
        { "mlp_gate", "B1(l)) + 48", "B1(l)) + 45" },
        { "mlp_gate", ".bias_b", ".bias_d" },
        { "mlp_gate", "LN2_OUT(l)", "LN1_OUT(l)" },
        { "mlp_gate", "W1(l)", "W1(0)" },
        { "merge_heads_add", "INPUT(l)", "INPUT(0)" },
        { "merge_heads_add", ".beta = 1", ".beta = 0" },
        { "merge_heads_add", "ck_row(r, INPUT(l), 32)", "ck_at(r, INPUT(l))" },
        { "merge_heads_add", ".n = 32", ".n = 31" },
        { "merge_heads_add", ".k = 64", ".k = 48" },
        { "merge_heads_add", "BO(l)", "BO(0)" },
        { "mlp_down_add", "RESIDUAL1(l)", "INPUT(l)" },
        { "mlp_down_add", ".beta = 1", ".beta = 2" },
        { "mlp_down_add", ".k = 45", ".k = 44" },
        { "mlp_down_add", ".alpha = 1", ".alpha = 0" },
        { "mlp_down_add", ".bias", ".c" },
    };
    cg_config c = cg_small;
    int32_t tokens[9];
    float logits[9 * 50];
    uint64_t seed = 8;
    (void)state;
    c.intermediate = 45; /* with pad lanes */
    cg_draw_tokens(tokens, 9, 50, &seed);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cg_loaded l = cg_load_fused(&c, 0, CG_FUSE_MLP | CG_FUSE_RESIDUAL, wrong[i][0], wrong[i][1],
                                    wrong[i][2]);
        ck_model *const m = cg_open_model(&l, 4);
        const int status = cg_run_cut(m, tokens, 9, logits, &seed);
        if (status == CK_MODEL_OK && cg_compare(m, tokens, 9, 0, logits) <= 1)
            fail_msg("%s: %s for %s is not seen", wrong[i][0], wrong[i][2], wrong[i][1]);
        ck_model_close(m);
        cg_unload(&l);
    }
    /* pad lanes that nobody clears */
    cg_loaded l = cg_load_fused(&c, 0, CG_FUSE_MLP, "mlp_gate", "status == 0", "status != 0");
    stale_pad_is_found(&l, "swiglu_out", 0, 47 * sizeof(float), tokens);
}

/* The same of caches: in the last layer, row or head where there is a choice. */
static void wrong_caches_are_seen(void **state)
{
    static const char *const wrong[][3] = {
        { "kv_write", ".t = r->rows", ".t = r->rows - 1" },
        { "kv_write", ".position = r->first", ".position = 0" },
        { "kv_write", ".kv_heads = 2", ".kv_heads = 1" },
        { "kv_write", ".d = 8", ".d = 7" },
        { "kv_write", ".head_y = 256", ".head_y = 272" },
        { "kv_write", ".head_x = 256", ".head_x = 0" },
        { "kv_write", ".k = ck_row(r, K_NEW, 16)", ".k = ck_row(r, V_NEW, 16)" },
        { "kv_write", ".v = ck_row(r, V_NEW, 16)", ".v = ck_at(r, V_NEW)" },
        { "kv_write", "K(l)", "K(0)" },
        { "kv_write", "ck_kv_write_bf16(&a)", "(l ? ck_kv_write_f16(&a) : ck_kv_write_bf16(&a))" },
        { "kv_write", "    return", "    if (l && r->first == 8) return 0;\n    return" },
        { "attend", "ck_attention_bf16(&a)", "(l ? ck_attention_f16(&a) : ck_attention_bf16(&a))" },
        { "attend", "V(l)", "V(0)" },
        { "attend", "K(l)", "K_NEW" },
        { "attend", ".head_k = 256", ".head_k = 128" },
        { "rope_k", "return", "return 0;\n    return" },
    };
    int32_t tokens[9];
    float logits[9 * 50];
    uint64_t seed = 8;
    (void)state;
    cg_draw_tokens(tokens, 9, 50, &seed);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cg_loaded l =
            cg_load_cached(&cg_small, 0, CK_DTYPE_BF16, wrong[i][0], wrong[i][1], wrong[i][2]);
        ck_model *const m = cg_open_model(&l, 4);
        int status = cg_run_cut(m, tokens, 8, logits, &seed);
        if (status == CK_MODEL_OK) status = ck_model_decode(m, tokens[8], logits + 8 * 50, 50);
        if (status == CK_MODEL_OK && cg_compare(m, tokens, 9, 0, logits) <= 1)
            fail_msg("%s: %s for %s is not seen", wrong[i][0], wrong[i][2], wrong[i][1]);
        ck_model_close(m);
        cg_unload(&l);
    }
    /* pad lanes that nobody writes */
    cg_loaded l =
        cg_load_cached(&cg_small, 0, CK_DTYPE_BF16, "kv_write", ".cols = 16", ".cols = 8");
    stale_pad_is_found(&l, "v", 1, 2 * 15, tokens);
}

static void expect(const ck_model *m, int got, int want, const char *says)
{
    if (got != want) fail_msg("%d, wanted %d: %s", got, want, ck_model_error(m));
    if (!strstr(ck_model_error(m), says)) fail_msg("says %s, wanted %s", ck_model_error(m), says);
}

static void errors(void **state)
{
    cg_loaded l = cg_load(&cg_small, 0);
    ck_program other = *l.program;
    ck_model *m = NULL;
    int32_t tokens[17] = { 0 };
    float logits[17 * 50];
    (void)state;
    assert_int_equal(ck_model_open(NULL, l.program), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_open(&m, NULL), CK_MODEL_ARGUMENT);
    other.abi++;
    assert_int_equal(ck_model_open(&m, &other), CK_MODEL_ARGUMENT);
    other.abi--;
    other.bytes = (size_t)1 << 60;
    assert_int_equal(ck_model_open(&m, &other), CK_MODEL_MEMORY);
    assert_null(m);
    ck_model_close(NULL);
    assert_int_equal(ck_model_open(&m, l.program), CK_MODEL_OK);
    assert_string_equal(ck_model_error(m), "");
    expect(m, ck_model_prefill(m, tokens, 1, NULL, 0), CK_MODEL_WEIGHTS, "no weights");
    expect(m, ck_model_save(m, "x", CK_WEIGHTS_NAMED), CK_MODEL_WEIGHTS, "no weights");
    ck_model_randomise(m, 1);
    assert_int_equal(ck_model_prefill(NULL, tokens, 1, NULL, 0), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_decode(NULL, 0, NULL, 0), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_reset(NULL), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_randomise(NULL, 0), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_load(NULL, "x"), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_save(NULL, "x", CK_WEIGHTS_NAMED), CK_MODEL_ARGUMENT);
    expect(m, ck_model_prefill(m, NULL, 1, NULL, 0), CK_MODEL_ARGUMENT, "no tokens");
    expect(m, ck_model_prefill(m, tokens, 0, NULL, 0), CK_MODEL_ARGUMENT, "no tokens");
    expect(m, ck_model_prefill(m, tokens, 17, NULL, 0), CK_MODEL_FULL, "17 tokens after 0");
    expect(m, ck_model_prefill(m, tokens, SIZE_MAX, NULL, 0), CK_MODEL_FULL, "context has 16");
    expect(m, ck_model_prefill(m, tokens, 2, logits, 99), CK_MODEL_ROOM, "room for 99");
    expect(m, ck_model_decode(m, 0, logits, 49), CK_MODEL_ROOM, "room for 49");
    tokens[3] = 50;
    expect(m, ck_model_prefill(m, tokens, 4, NULL, 0), CK_MODEL_TOKEN, "token 3: 50");
    tokens[3] = -1;
    expect(m, ck_model_prefill(m, tokens, 4, NULL, 0), CK_MODEL_TOKEN, "token 3: -1");
    tokens[3] = 49;
    assert_int_equal(ck_model_position(m), 0);
    assert_int_equal(ck_model_prefill(m, tokens, 16, logits, sizeof logits / 4), CK_MODEL_OK);
    expect(m, ck_model_decode(m, 0, NULL, 0), CK_MODEL_FULL, "1 tokens after 16");
    assert_int_equal(ck_model_position(m), 16);
    assert_int_equal(ck_model_reset(m), CK_MODEL_OK);
    assert_int_equal(ck_model_decode(m, 0, NULL, 0), CK_MODEL_OK);
    const unsigned mask = ck_isa_mask();
    ck_isa_set_mask(0);
    expect(m, ck_model_decode(m, 0, NULL, 0), CK_MODEL_KERNEL, "step embed: kernel embed");
    ck_model *none = m;
    assert_int_equal(ck_model_open(&none, l.program), CK_MODEL_KERNEL);
    assert_null(none);
    ck_isa_set_mask(mask);
    assert_int_equal(ck_model_position(m), 1);
    ck_model_close(m);
    cg_unload(&l);
}

/* Every call of training says so, and that alone changes: not the arena, the position, nor the loss. */
static void refuse_training(ck_model *m, const char *says)
{
    const size_t bytes = ck_model_program(m)->bytes, position = ck_model_position(m);
    unsigned char *const before = malloc(bytes);
    const int32_t tokens[2] = { 1, 2 };
    float loss = 42;
    assert_non_null(before);
    memcpy(before, ck_model_arena(m), bytes);
    expect(m, ck_model_enable_training(m, 1e-3f), CK_MODEL_TRAINING, "enable_training: not built");
    expect(m, ck_model_enable_training(m, NAN), CK_MODEL_TRAINING, says);
    expect(m, ck_model_set_learning_rate(m, 1), CK_MODEL_TRAINING, "set_learning_rate: not built");
    expect(m, ck_model_backward(m, tokens, tokens, 2, &loss), CK_MODEL_TRAINING, "backward: not");
    expect(m, ck_model_backward(m, NULL, NULL, 0, NULL), CK_MODEL_TRAINING, says);
    expect(m, ck_model_zero_gradients(m), CK_MODEL_TRAINING, "zero_gradients: not built");
    expect(m, ck_model_optimizer_step(m), CK_MODEL_TRAINING, "optimizer_step: not built");
    expect(m, ck_model_disable_training(m), CK_MODEL_TRAINING, "disable_training: not built");
    assert_int_equal(ck_model_training(m), 0);
    assert_true(ck_model_learning_rate(m) == 0);
    assert_true(loss == 42);
    assert_int_equal(ck_model_position(m), position);
    assert_memory_equal(before, ck_model_arena(m), bytes);
    free(before);
}

static void training_is_refused(void **state)
{
    const int32_t tokens[3] = { 3, 1, 4 };
    float logits[50], again[50];
    (void)state;
    assert_int_equal(ck_model_enable_training(NULL, 1), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_disable_training(NULL), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_set_learning_rate(NULL, 1), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_backward(NULL, tokens, tokens, 1, NULL), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_zero_gradients(NULL), CK_MODEL_ARGUMENT);
    assert_int_equal(ck_model_optimizer_step(NULL), CK_MODEL_ARGUMENT);
    for (int quantised = 0; quantised < 2; quantised++) {
        cg_formats formats = { 0 };
        if (quantised) formats.asked_of[cg_b_w2] = true, formats.of[cg_b_w2] = CK_DTYPE_Q8_0;
        cg_config c = cg_small;
        c.intermediate = 64; /* whole blocks */
        cg_loaded l = cg_load_formats(&c, 0, &formats);
        ck_model *m = NULL;
        assert_int_equal(ck_model_open(&m, l.program), CK_MODEL_OK);
        refuse_training(m, quantised ? "w2 is not in f32" : "not built with training");
        ck_model_randomise(m, 1);
        assert_int_equal(ck_model_prefill(m, tokens, 3, NULL, 0), CK_MODEL_OK);
        assert_int_equal(ck_model_decode(m, 1, logits, 50), CK_MODEL_OK);
        ck_model_reset(m);
        assert_int_equal(ck_model_prefill(m, tokens, 3, NULL, 0), CK_MODEL_OK);
        refuse_training(m, quantised ? "w2 is not in f32" : "not built with training");
        assert_int_equal(ck_model_decode(m, 1, again, 50), CK_MODEL_OK);
        assert_memory_equal(logits, again, sizeof logits);
        ck_model_close(m);
        cg_unload(&l);
    }
}

static int writes_fault(unsigned char *at)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile unsigned char *)at = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

/* An arena of whole large pages is zeros, may be written to its last byte, and ends at a guard. */
static void large_arenas_are_guarded(void **state)
{
    cg_loaded l = cg_load(&cg_small, 0);
    ck_program large = *l.program;
    (void)state;
    large.bytes = (size_t)6 << 20;
    for (int round = 0; round < 2; round++) {
        ck_model *m = NULL;
        assert_int_equal(ck_model_open(&m, &large), CK_MODEL_OK);
        unsigned char *const arena = ck_model_arena(m);
        for (size_t i = l.program->bytes; i < large.bytes; i++) assert_true(arena[i] == 0);
        arena[large.bytes - 1] = 1;
        assert_true(writes_fault(arena + large.bytes));
        assert_true(writes_fault(arena - 1));
        ck_model_close(m);
        assert_true(writes_fault(arena));
    }
    cg_unload(&l);
}

/* What a tap saw. */
typedef struct seen {
    size_t calls, last_layer;
    const char *open; /* the step that is under way */
    unsigned char *before;
} seen;

static int writes(const ck_program *p, const ck_step *s, size_t layer, const ck_buffer *b,
                  size_t of)
{
    for (int i = 0; i < CK_PROGRAM_OPERANDS && s->operands[i].name; i++)
        if (strchr(s->operands[i].access, 'w') && s->operands[i].buffer >= 0 &&
            &p->buffers[s->operands[i].buffer] == b && (!b->of_layer || layer == of))
            return 1;
    return 0;
}

static void tap(void *context, const ck_model *m, const ck_step *step, const ck_run *run,
                size_t layer, int after)
{
    seen *const s = context;
    const ck_program *const p = ck_model_program(m);
    (void)run;
    assert_true(after == (s->open == step->name));
    s->open = after ? NULL : step->name;
    s->calls++;
    s->last_layer = layer;
    if (!after) memcpy(s->before, ck_model_arena(m), p->bytes);
    for (size_t i = 0; i < p->buffer_count && after; i++) {
        const ck_buffer *const b = &p->buffers[i];
        for (size_t l = 0; l < (b->of_layer ? p->decoder.layers : 1); l++) {
            const size_t at = b->offset + l * b->stride;
            if (memcmp(s->before + at, ck_model_arena(m) + at, b->bytes) != 0 &&
                !writes(p, step, layer, b, l))
                fail_msg("step %s of layer %zu writes %s of layer %zu", step->name, layer, b->name,
                         l);
        }
    }
}

/* Each step is announced before and after, and changes what its table says, nothing else. */
static void taps(void **state)
{
    cg_loaded l = cg_load(&cg_small, 0);
    ck_model *const m = cg_open_model(&l, 3);
    seen s = { 0 };
    int32_t tokens[5] = { 1, 2, 3, 4, 5 };
    (void)state;
    s.before = malloc(l.program->bytes);
    assert_non_null(s.before);
    ck_model_set_tap(m, tap, &s);
    assert_int_equal(ck_model_prefill(m, tokens, 5, NULL, 0), CK_MODEL_OK);
    assert_int_equal(s.calls, 2 * (3 + 2 * 14));
    assert_int_equal(s.last_layer, 1);
    ck_model_set_tap(m, NULL, NULL);
    assert_int_equal(ck_model_decode(m, 0, NULL, 0), CK_MODEL_OK);
    assert_int_equal(s.calls, 2 * (3 + 2 * 14));
    free(s.before);
    ck_model_close(m);
    cg_unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_reference),
        cmocka_unit_test(fused_steps_are_the_decoder),
        cmocka_unit_test(wrong_fused_programs_are_seen),
        cmocka_unit_test(fused_blocks_are_the_decoder),
        cmocka_unit_test(halved_caches_are_the_decoder),
        cmocka_unit_test(wrong_caches_are_seen),
        cmocka_unit_test(radius_sees_changed_weights),
        cmocka_unit_test(wrong_programs_are_seen),
        cmocka_unit_test(errors),
        cmocka_unit_test(training_is_refused),
        cmocka_unit_test(large_arenas_are_guarded),
        cmocka_unit_test(taps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
