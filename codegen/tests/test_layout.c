/* SPDX-License-Identifier: MIT */
/* Layouts: the specification's figures, an independent computation, and what the checker refuses. */
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
#include "layout.h"
#include "mutate.h"
#include "ref_layout.h"

static cg_layout make_with(const cg_config *config, cg_layout_options o)
{
    cg_layout l = { 0 };
    cg_error error;
    if (cg_layout_make(&l, config, &o, &error) != 0) fail_msg("%s", error.text);
    if (cg_layout_check(&l, &error) != 0) fail_msg("%s", error.text);
    return l;
}

static cg_layout make(const cg_config *config, bool training, size_t guard, const ck_dtype *dtype)
{
    return make_with(config,
                     (cg_layout_options){ .training = training, .guard = guard, .dtype = dtype });
}

static size_t offset(const cg_layout *l, cg_buffer_id id, size_t layer)
{
    return l->places[cg_place_index(id, layer)].offset;
}

static void registry_holds(void **state)
{
    cg_error error;
    (void)state;
    if (cg_registry_check(cg_buffers, CG_BUFFERS, cg_kernels, CG_KERNEL_COUNT, cg_steps,
                          cg_step_count, &error) != 0)
        fail_msg("%s", error.text);
    if (cg_rewrites_check(cg_rewrites, cg_rewrite_count, cg_steps, cg_step_count, &error) != 0)
        fail_msg("%s", error.text);
}

static void refused_rewrite(cg_rewrite r, const char *says)
{
    const cg_rewrite both[2] = { cg_rewrites[0], r };
    cg_error error;
    if (cg_rewrites_check(both, 2, cg_steps, cg_step_count, &error) == 0)
        fail_msg("not seen: %s", says);
    if (!strstr(error.text, says)) fail_msg("says: %s\n  wanted: %s", error.text, says);
}

/* Each of these would compute another decoder. */
static void wrong_rewrites_are_refused(void **state)
{
    cg_rewrite r = cg_rewrites[2];
    (void)state;
    assert_string_equal(r.fused.name, "mlp_down_add");
    r.first = "mlp_up";
    refused_rewrite(r, "mlp_down_add: its steps do not follow one another");
    r = cg_rewrites[2];
    r.second = "nothing";
    refused_rewrite(r, "do not follow");
    r = cg_rewrites[2];
    r.first = "kv_write", r.second = "attend";
    refused_rewrite(r, "not always there");
    r = cg_rewrites[2];
    r.fused.phase = CG_AFTER;
    refused_rewrite(r, "not of a layer");
    r = cg_rewrites[2];
    r.fused.name = "add2";
    refused_rewrite(r, "named as a step is");
    r.fused.name = "mlp_gate";
    refused_rewrite(r, "named twice");
    r = cg_rewrites[2];
    r.fused.role = CG_ROLE_ADD2;
    refused_rewrite(r, "not of its first step's node");
    r = cg_rewrites[2];
    r.first = "add1", r.second = "norm2";
    refused_rewrite(r, "");
    r = cg_rewrites[2];
    r.fused.args[0] = cg_b_residual1;
    refused_rewrite(r, "its output is not that of its second step");
    r = cg_rewrites[2];
    r.fused.args[1] = cg_b_input;
    refused_rewrite(r, "its inputs are not those of both");
    r = cg_rewrites[2];
    r.fused.args[4] = cg_b_NONE;
    refused_rewrite(r, "its inputs are not those of both");
    r = cg_rewrites[2];
    r.fused.args[2] = cg_b_mlp_out;
    refused_rewrite(r, "its inputs are not those of both");
    r = cg_rewrites[2];
    r.fuse = CG_FUSE_MLP;
    refused_rewrite(r, "there with it, or not without");
}

/* L2 D32 I48 H4 G2 V50 T16 theta 1e4. */
static void golden_inference(void **state)
{
    static const struct {
        cg_buffer_id id;
        size_t offset;
    } facts[] = {
        { cg_b_token_emb, 0 },
        { cg_b_pos_emb, 6400 },
        { cg_b_embedded_input, 8448 },
        { cg_b_final_ln_weight, 11008 },
        { cg_b_final_ln_bias, 11136 },
        { cg_b_final_ln_mean, 11264 },
        { cg_b_final_ln_rstd, 11328 },
        { cg_b_logits, 13440 },
        { cg_b_lm_head_weight, 0 },
        { cg_b_ln1_gamma, 16640 },
        { cg_b_ln1_out, 16768 },
        { cg_b_wq, 18880 },
        { cg_b_wk, 27328 },
        { cg_b_wv, 31552 },
        { cg_b_q, 35776 },
        { cg_b_k, 39872 },
        { cg_b_v, 41920 },
        { cg_b_attn_out, 43968 },
        { cg_b_wo, 48064 },
        { cg_b_proj_tmp, 56384 },
        { cg_b_residual1, 60480 },
        { cg_b_ln2_gamma, 62528 },
        { cg_b_ln2_out, 62656 },
        { cg_b_w1, 64768 },
        { cg_b_fc1_out, 77440 },
        { cg_b_swiglu_out, 83584 },
        { cg_b_w2, 86656 },
        { cg_b_mlp_out, 92928 },
        { cg_b_output, 94976 },
        { cg_b_scores, CG_ABSENT },
        { cg_b_d_token_emb, CG_ABSENT },
        { cg_b_input, 8448 },
    };
    cg_layout l = make(&cg_small, false, 0, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (offset(&l, facts[i].id, 0) != facts[i].offset)
            fail_msg("%s: %zu, wanted %zu", cg_buffers[facts[i].id].name,
                     offset(&l, facts[i].id, 0), facts[i].offset);
    assert_int_equal(offset(&l, cg_b_ln1_gamma, 1), 97024);
    assert_int_equal(offset(&l, cg_b_input, 1), 94976);
    assert_int_equal(l.layers_start, 16640);
    assert_int_equal(l.layer_stride, 80384);
    assert_int_equal(l.total, 177408);
    cg_layout_free(&l);
}

static void golden_training(void **state)
{
    cg_layout l = make(&cg_small, true, 0, NULL);
    (void)state;
    assert_int_equal(offset(&l, cg_b_d_token_emb, 0), 16640);
    assert_int_equal(offset(&l, cg_b_d_logits, 0), 29312);
    assert_int_equal(offset(&l, cg_b_scores, 0), 59840);
    assert_int_equal(offset(&l, cg_b_d_ln1_gamma, 0), 201216);
    assert_int_equal(l.layers_start, 32512);
    assert_int_equal(l.layer_stride, 168832);
    assert_int_equal(l.total, 370176);
    cg_layout_free(&l);
}

/* All matrices of L2 D256 I256 H16 G4 V50 T16 in q4_k. */
static void golden_q4_k(void **state)
{
    cg_config c = cg_small;
    ck_dtype dtype[200];
    (void)state;
    c.hidden = c.intermediate = 256;
    c.heads = 16;
    c.kv_heads = 4;
    c.head_dim = 16;
    for (size_t i = 0; i < 200; i++) dtype[i] = CK_DTYPE_Q4_K;
    assert_true(cg_place_count(c.layers) <= 200);
    cg_layout l = make(&c, false, 0, dtype);
    assert_int_equal(offset(&l, cg_b_pos_emb, 0), 7232);
    assert_int_equal(l.layers_start, 62784);
    assert_int_equal(l.total, 893504);
    cg_layout_free(&l);
}

/* What ref_layout tells, against a layout. */
typedef struct comparison {
    const cg_layout *l;
    size_t seen;
} comparison;

static cg_buffer_id find(const char *name)
{
    for (int i = 0; i < CG_BUFFERS; i++)
        if (strcmp(cg_buffers[i].name, name) == 0) return (cg_buffer_id)i;
    fail_msg("no buffer %s", name);
    return CG_BUFFERS;
}

static void compare(void *context, const char *name, size_t layer, size_t at, size_t bytes)
{
    comparison *const c = context;
    const cg_buffer_id id = find(name);
    const cg_place *const p = &c->l->places[cg_place_index(id, layer == (size_t)-1 ? 0 : layer)];
    assert_true(cg_buffers[id].layer == (layer != (size_t)-1));
    if (p->offset != at || p->bytes != bytes)
        fail_msg("%s of layer %zu: %zu + %zu, the reference has %zu + %zu", name, layer, p->offset,
                 p->bytes, at, bytes);
    c->seen++;
}

static ref_block block_of(void *context, const char *name, size_t layer)
{
    static const ref_block blocks[CK_DTYPE_COUNT] = {
#define X(code, name, elements, bytes) { elements, bytes },
        CK_DTYPES(X)
#undef X
    };
    const cg_layout *const l = context;
    return blocks[l->places[cg_place_index(find(name), layer == (size_t)-1 ? 0 : layer)].dtype];
}

static void compare_with_reference(const cg_layout *l)
{
    const cg_config *const c = &l->config;
    const ref_decoder d = { c->layers,      c->hidden,   c->intermediate, c->heads,     c->kv_heads,
                            c->head_dim,    c->vocab,    c->context,      c->theta > 0, c->qkv_bias,
                            c->output_bias, c->mlp_bias, c->tied,         c->qk_norm };
    const ref_layout_options o = { l->options.training,
                                   l->options.guard,
                                   l->options.dtype ? block_of : NULL,
                                   (void *)(uintptr_t)l,
                                   l->options.fuse & CG_FUSE_MLP,
                                   (l->options.fuse & CG_FUSE_RESIDUAL) != 0,
                                   cg_row_bytes(l->options.cache, 1) };
    comparison with = { l, 0 };
    size_t start, there = 0;
    const size_t total = ref_layout(&d, &o, compare, &with, &start);
    assert_int_equal(total, l->total);
    assert_int_equal(start, l->layers_start);
    for (size_t i = 0; i < l->count; i++) there += l->places[i].offset != CG_ABSENT;
    assert_int_equal(with.seen, there);
}

static void equals_the_reference(void **state)
{
    static const ck_dtype formats[] = { CK_DTYPE_F32,  CK_DTYPE_BF16, CK_DTYPE_Q4_0, CK_DTYPE_Q5_1,
                                        CK_DTYPE_Q8_0, CK_DTYPE_Q4_K, CK_DTYPE_Q6_K };
    static const ck_dtype caches[] = { CK_DTYPE_F32, CK_DTYPE_BF16, CK_DTYPE_F16 };
    uint64_t seed = 1;
    (void)state;
    for (int n = 0; n < 600; n++) {
        cg_config c = cg_draw_config(&seed);
        const bool blocks = n % 2;
        ck_dtype dtype[700];
        if (blocks) { /* rows of whole blocks of 256 everywhere */
            c.hidden = 256 * (1 + c.hidden % 2);
            c.intermediate = 256 * (1 + c.intermediate % 2);
            c.head_dim = 256;
        }
        assert_true(cg_place_count(c.layers) <= 700);
        for (size_t i = 0; i < 700; i++) dtype[i] = formats[cg_draw(&seed) % 7];
        cg_layout_options o = { .training = cg_draw(&seed) % 2,
                                .guard = cg_draw(&seed) % 2 ? 64 : 0,
                                .dtype = blocks ? dtype : NULL };
        if (!blocks && !o.training) o.fuse = (unsigned)(cg_draw(&seed) % 4);
        if (!o.training) o.cache = caches[cg_draw(&seed) % 3];
        cg_layout l = make_with(&c, o);
        compare_with_reference(&l);
        cg_layout_free(&l);
    }
}

static void layouts_are_refused(void **state)
{
    cg_config c = cg_small;
    cg_layout l;
    cg_error error;
    ck_dtype dtype[400] = { CK_DTYPE_F32 };
    (void)state;
    assert_int_equal(cg_layout_make(&l, &c, &(cg_layout_options){ .guard = 32 }, &error), -1);
    assert_non_null(strstr(error.text, "guard: 32"));
    assert_int_equal(cg_layout_make(&l, &c, &(cg_layout_options){ .cap = 177407 }, &error), -1);
    assert_non_null(strstr(error.text, "177407"));
    dtype[cg_place_index(cg_b_wq, 1)] = CK_DTYPE_Q4_K;
    assert_int_equal(cg_layout_make(&l, &c, &(cg_layout_options){ .dtype = dtype }, &error), -1);
    assert_non_null(strstr(error.text, "wq of layer 1: rows of 32"));
    dtype[cg_place_index(cg_b_wq, 1)] = (ck_dtype)99;
    assert_int_equal(cg_layout_make(&l, &c, &(cg_layout_options){ .dtype = dtype }, &error), -1);
    assert_non_null(strstr(error.text, "dtype 99"));
    dtype[cg_place_index(cg_b_wq, 1)] = CK_DTYPE_F32;
    for (unsigned fuse = 1; fuse < 4; fuse++) {
        const cg_layout_options trained = { .fuse = fuse, .training = true };
        assert_int_equal(cg_layout_make(&l, &c, &trained, &error), -1);
        assert_non_null(strstr(error.text, "not with training"));
    }
    const cg_layout_options cached = { .training = true, .cache = CK_DTYPE_F16 };
    assert_int_equal(cg_layout_make(&l, &c, &cached, &error), -1);
    assert_non_null(strstr(error.text, "cache: f16: not with training"));
    const cg_layout_options fused = { .fuse = CG_FUSE_MLP, .dtype = dtype };
    dtype[cg_place_index(cg_b_w1, 0)] = CK_DTYPE_Q8_0;
    assert_int_equal(cg_layout_make(&l, &c, &fused, &error), -1);
    assert_non_null(strstr(error.text, "fuse: mlp: w1 in q8_0, wanted f32"));
    dtype[cg_place_index(cg_b_w1, 0)] = CK_DTYPE_F32;
    dtype[cg_place_index(cg_b_w2, 0)] = CK_DTYPE_BF16; /* of another step */
    assert_int_equal(cg_layout_make(&l, &c, &fused, &error), 0);
    cg_layout_free(&l);
    const cg_layout_options added = { .fuse = CG_FUSE_RESIDUAL, .dtype = dtype };
    assert_int_equal(cg_layout_make(&l, &c, &added, &error), 0);
    cg_layout_free(&l);
    c.heads = 1 << 16;
    c.kv_heads = 1;
    c.head_dim = 1 << 14;
    c.context = 1 << 24;
    const cg_layout_options all = { .training = true, .cap = SIZE_MAX };
    assert_int_equal(cg_layout_make(&l, &c, &all, &error), -1);
    assert_non_null(strstr(error.text, "scores of layer 0: too large"));
    c.heads = 0;
    assert_int_equal(cg_layout_make(&l, &c, &all, &error), -1);
}

/* Each change of a right layout is seen. */
static void checker_refuses_wrong_layouts(void **state)
{
    cg_error error;
    (void)state;
    for (int training = 0; training < 2; training++)
        for (size_t guard = 0; guard <= 64; guard += 64) {
            cg_layout l = make(&cg_small, training, guard, NULL);
            for (size_t i = 0; i < l.count; i++) {
                const cg_place right = l.places[i];
                cg_place wrong[8];
                for (int k = 0; k < 8; k++) wrong[k] = right;
                wrong[0].offset = right.offset == CG_ABSENT ? 0 : CG_ABSENT;
                wrong[1].offset = right.offset + 4;
                wrong[2].offset = right.offset == CG_ABSENT ? 64 : right.offset - 64;
                wrong[3].bytes += 4;
                wrong[4].elements += right.offset != CG_ABSENT ? 1 : 0;
                wrong[4].bytes += right.offset == CG_ABSENT ? 1 : 0;
                wrong[5].dim[0] += 1;
                wrong[5].bytes += right.offset == CG_ABSENT ? 1 : 0;
                wrong[6].id = (cg_buffer_id)((wrong[6].id + 1) % CG_BUFFERS);
                wrong[7].layer += 1;
                for (int k = 0; k < 8; k++) {
                    l.places[i] = wrong[k];
                    if (cg_layout_check(&l, &error) == 0)
                        fail_msg("change %d of %s of layer %zu is not seen", k,
                                 cg_buffers[right.id].name, right.layer);
                }
                l.places[i] = right;
            }
            l.total -= 64;
            assert_int_equal(cg_layout_check(&l, &error), -1);
            l.total += 68;
            assert_int_equal(cg_layout_check(&l, &error), -1);
            l.total -= 4;
            assert_int_equal(cg_layout_check(&l, &error), 0);
            l.count--;
            assert_int_equal(cg_layout_check(&l, &error), -1);
            cg_layout_free(&l);
        }
}

static void refuses(const cg_layout *l, const char *says)
{
    cg_error error = { "" };
    assert_int_equal(cg_layout_check(l, &error), -1);
    if (!strstr(error.text, says)) fail_msg("says %s\n  wanted %s", error.text, says);
}

/* Formats that do not fit their places. */
static void checker_refuses_wrong_formats(void **state)
{
    cg_layout l = make(&cg_small, false, 0, NULL);
    cg_place *const w = &l.places[cg_place_index(cg_b_wk, 1)], kept = *w;
    (void)state;
    w->dtype = CK_DTYPE_Q4_K; /* 4 blocks in all, but its rows have 32 elements */
    w->bytes = 4 * 144;
    refuses(&l, "wk of layer 1: rows are no whole blocks: 32");
    w->dtype = CK_DTYPE_INT8;
    w->bytes = w->elements;
    refuses(&l, "wk of layer 1: wrong dtype");
    w->dtype = CK_DTYPE_Q8_K;
    refuses(&l, "wk of layer 1: wrong dtype");
    w->dtype = CK_DTYPE_COUNT;
    refuses(&l, "wk of layer 1: wrong dtype");
    w->dtype = CK_DTYPE_Q8_0;
    w->bytes = kept.bytes;
    refuses(&l, "wk of layer 1: wrong bytes");
    w->bytes = w->elements / 32 * 34;
    assert_int_equal(cg_layout_check(&l, NULL), 0);
    *w = kept;
    cg_place *const head = &l.places[cg_place_index(cg_b_lm_head_weight, 0)];
    head->dtype = CK_DTYPE_Q8_0;
    head->bytes = head->elements / 32 * 34;
    refuses(&l, "lm_head_weight of layer 0: not in the format of what it shares");
    head->dtype = CK_DTYPE_F32;
    head->bytes = head->elements * 4;
    cg_place *const q = &l.places[cg_place_index(cg_b_q, 1)];
    q->dtype = CK_DTYPE_BF16;
    q->bytes = q->elements * 2;
    refuses(&l, "q of layer 1: wrong dtype");
    cg_layout_free(&l);
    l = make_with(&cg_small, (cg_layout_options){ .cache = CK_DTYPE_BF16 });
    cg_place *const v = &l.places[cg_place_index(cg_b_v, 1)];
    assert_int_equal(v->bytes, v->elements * 2);
    v->dtype = CK_DTYPE_F16;
    refuses(&l, "v of layer 1: wrong dtype");
    v->dtype = CK_DTYPE_BF16;
    v->bytes *= 2;
    refuses(&l, "v of layer 1: wrong bytes");
    v->bytes /= 2;
    assert_int_equal(cg_layout_check(&l, NULL), 0);
    l.options.cache = CK_DTYPE_F32;
    refuses(&l, "k_new of layer 0: there though its condition does not hold");
    l.options.cache = CK_DTYPE_Q8_0;
    refuses(&l, "k of layer 0: wrong dtype");
    cg_layout_free(&l);
}

/* The registry's checker, on tables with one fault each. */
static void checker_refuses_wrong_tables(void **state)
{
    cg_buffer b[CG_BUFFERS];
    cg_kernel k[CG_KERNEL_COUNT];
    cg_step_spec s[64];
    cg_error error;
    (void)state;
    assert_true(cg_step_count <= 64);
#define WRONG(change, says)                                                                      \
    do {                                                                                         \
        memcpy(b, cg_buffers, sizeof b);                                                         \
        memcpy(k, cg_kernels, sizeof k);                                                         \
        memcpy(s, cg_steps, cg_step_count * sizeof *s);                                          \
        change;                                                                                  \
        if (cg_registry_check(b, CG_BUFFERS, k, CG_KERNEL_COUNT, s, cg_step_count, &error) == 0) \
            fail_msg("not seen: " #change);                                                      \
        if (!strstr(error.text, says)) fail_msg(#change ": says %s", error.text);                \
    } while (0)
    WRONG(b[cg_b_v].name = "k", "buffer k: named twice");
    WRONG(b[cg_b_q].dims[0] = CG_DIM_END, "buffer q: no shape");
    WRONG(b[cg_b_wo].row = 4, "buffer wo: row: 4");
    WRONG(b[cg_b_wo].row = 0, "buffer wo: row: 0");
    WRONG(b[cg_b_wo].layer = false, "buffer wo: global");
    WRONG(b[cg_b_lm_head_weight].alias = cg_b_wq, "lm_head_weight: its alias");
    WRONG(b[cg_b_lm_head_weight].alias = cg_b_pos_emb, "lm_head_weight: its alias");
    WRONG(b[cg_b_bv].name = "bx", "buffer bx: no gradient d_bx");
    WRONG(b[cg_b_d_wo].dims[2] = CG_DIM_END, "d_wo: not a gradient");
    WRONG(b[cg_b_d_wo].role = CG_ACTIVATION, "d_wo: not a gradient");
    WRONG(b[cg_b_d_bo].when = CG_WHEN_ALWAYS, "d_bo: another condition");
    WRONG(k[cg_k_rope].entry = "", "no name or entry");
    WRONG(k[cg_k_rope].name = "add", "kernel add: named twice");
    WRONG(k[cg_k_add].params[0].access = CG_READ, "kernel add: no output");
    WRONG(k[cg_k_add].params[1].name = "b", "kernel add: parameter b: named twice");
    WRONG(k[cg_k_add].params[1].dims = "", "kernel add: parameter a: no access");
    WRONG(k[cg_k_linear].params[2].access = CG_UPDATE, "linear: parameter w: blocks");
    WRONG(k[cg_k_attention].of_format = NULL, "parameter of the cache, and no entry for it");
    WRONG(k[cg_k_attention].params[2].kind = CG_BLOCKS, "of the cache, and one in blocks");
    WRONG(k[cg_k_linear].params[1].kind = CG_BLOCKS, "kernel linear: 2 parameters in blocks");
    WRONG(k[cg_k_linear].of_format = NULL, "linear: 1 parameters in blocks, and no entry");
    WRONG(k[cg_k_add].of_format = "ck_add", "add: 0 parameters in blocks, and an entry");
    WRONG(s[3].name = "norm1", "step norm1: named twice");
    WRONG(s[3].kernel = CG_KERNEL_COUNT, "no such kernel");
    WRONG(s[3].role = CG_ROLE_COUNT, "a node, exactly");
    WRONG(s[3].phase = CG_AFTER; s[3].role = CG_ROLE_COUNT, "behind a later phase");
    WRONG(s[3].args[1] = cg_b_NONE, "missing");
    WRONG(s[3].args[1] = (cg_buffer_id)(CG_BUFFERS + 1), "no such buffer");
#undef WRONG
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry_holds),
        cmocka_unit_test(wrong_rewrites_are_refused),
        cmocka_unit_test(golden_inference),
        cmocka_unit_test(golden_training),
        cmocka_unit_test(golden_q4_k),
        cmocka_unit_test(equals_the_reference),
        cmocka_unit_test(layouts_are_refused),
        cmocka_unit_test(checker_refuses_wrong_layouts),
        cmocka_unit_test(checker_refuses_wrong_formats),
        cmocka_unit_test(checker_refuses_wrong_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
