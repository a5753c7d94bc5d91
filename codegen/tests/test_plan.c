/* SPDX-License-Identifier: MIT */
/* Plans of all kinds of decoders hold; one with a fault is refused. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "plan.h"

typedef struct made {
    cg_graph g;
    cg_layout l;
    cg_plan plan;
} made;

static made make_with(const cg_config *config, cg_layout_options o)
{
    made m = { 0 };
    size_t *roles = NULL;
    cg_error error = { "" };
    if (cg_graph_build(&m.g, config, &error) != 0 ||
        cg_graph_check(&m.g, "g", &roles, &error) != 0 ||
        cg_layout_make(&m.l, config, &o, &error) != 0 ||
        cg_plan_make(&m.plan, &m.g, roles, &m.l, &error) != 0)
        fail_msg("%s", error.text);
    free(roles);
    return m;
}

static made make(const cg_config *config, bool training)
{
    return make_with(config, (cg_layout_options){ .training = training });
}

static void drop(made *m)
{
    cg_plan_free(&m->plan);
    cg_layout_free(&m->l);
    cg_graph_free(&m->g);
}

static void plans_hold(void **state)
{
    uint64_t seed = 3;
    cg_error error;
    (void)state;
    for (int i = 0; i < 300; i++) {
        const cg_config c = cg_draw_config(&seed);
        made m = make(&c, i % 2);
        const size_t per_layer = 12 + (c.theta > 0 ? 2u : 0u) + (c.qk_norm ? 2u : 0u);
        if (cg_plan_check(&m.plan, &m.g, &m.l, &error) != 0) fail_msg("%s", error.text);
        assert_int_equal(m.plan.count, 3 + c.layers * per_layer);
        drop(&m);
        const unsigned fuse = (unsigned)i % 4;
        m = make_with(&c, (cg_layout_options){ .fuse = fuse });
        if (cg_plan_check(&m.plan, &m.g, &m.l, &error) != 0) fail_msg("%s", error.text);
        assert_int_equal(m.plan.count, 3 + c.layers * (per_layer - (fuse & 1) - (fuse & 2)));
        drop(&m);
        m = make_with(&c, (cg_layout_options){ .cache = i % 2 ? CK_DTYPE_BF16 : CK_DTYPE_F16 });
        if (cg_plan_check(&m.plan, &m.g, &m.l, &error) != 0) fail_msg("%s", error.text);
        assert_int_equal(m.plan.count, 3 + c.layers * (per_layer + 1));
        drop(&m);
    }
}

static cg_step *step(made *m, const char *name, size_t layer)
{
    for (size_t i = 0; i < m->plan.count; i++)
        if (strcmp(m->plan.steps[i].spec->name, name) == 0 && m->plan.steps[i].layer == layer)
            return &m->plan.steps[i];
    fail_msg("no step %s", name);
    return NULL;
}

/* Then m is gone. */
static void refused(made *m, const char *says)
{
    cg_error error;
    if (cg_plan_check(&m->plan, &m->g, &m->l, &error) == 0) fail_msg("not seen: %s", says);
    if (!strstr(error.text, says)) fail_msg("says: %s\n  wanted: %s", error.text, says);
    drop(m);
}

static size_t at(cg_buffer_id id, size_t layer) { return cg_place_index(id, layer); }

/* The entry that a step calls is that of its weights' format. */
static void entries_are_by_format(void **state)
{
    made m = make(&cg_small, false);
    char entry[CG_ENTRY];
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        cg_step_entry(step(&m, "mlp_down", 1), &m.l, entry);
        assert_string_equal(entry, blocks ? "ck_gemm_nt_q6_k_f32" : "ck_gemm_nt_f32");
        cg_step_entry(step(&m, "embed", 0), &m.l, entry);
        assert_string_equal(entry, blocks ? "ck_embedding_q8_0" : "ck_embedding_f32");
        cg_step_entry(step(&m, "norm1", 0), &m.l, entry);
        assert_string_equal(entry, "ck_rmsnorm_f32");
        cg_step_entry(step(&m, "mlp_down", 0), &m.l, entry);
        assert_string_equal(entry, "ck_gemm_nt_f32");
        m.l.places[at(cg_b_w2, 1)].dtype = CK_DTYPE_Q6_K;
        m.l.places[at(cg_b_token_emb, 0)].dtype = CK_DTYPE_Q8_0;
    }
    drop(&m);
}

static void remove_step(made *m, const cg_step *s)
{
    const size_t i = (size_t)(s - m->plan.steps);
    memmove(&m->plan.steps[i], &m->plan.steps[i + 1], (m->plan.count - i - 1) * sizeof *s);
    m->plan.count--;
}

static void wrong_arguments(void **state)
{
    made m = make(&cg_small, false);
    (void)state;
    step(&m, "mlp_up", 1)->args[2].place = CG_ABSENT;
    refused(&m, "layer 1 step mlp_up: w: missing");
    m = make(&cg_small, false);
    step(&m, "mlp_up", 1)->args[3].place = CG_ABSENT;
    refused(&m, "layer 1 step mlp_up: bias: not given");
    m = make(&cg_small, false);
    step(&m, "mlp_up", 1)->args[2].place = 100000;
    refused(&m, "mlp_up: w: is not in the layout");
    m = make(&cg_small, false);
    step(&m, "attend", 1)->args[1].place = at(cg_b_scores, 1);
    refused(&m, "attend: scores: is not in the layout");
    m = make(&cg_small, false);
    step(&m, "mlp_up", 1)->args[2].place = at(cg_b_w1, 0);
    refused(&m, "layer 1 step mlp_up: w: is of another layer");
    m = make(&cg_small, false);
    step(&m, "final_norm", 0)->args[2].place = at(cg_b_output, 0);
    refused(&m, "final_norm: x: is of another layer");
    m = make(&cg_small, false);
    step(&m, "add1", 1)->args[0].place = at(cg_b_input, 1);
    refused(&m, "add1: y: would overwrite the block's input");
    m = make(&cg_small, false);
    step(&m, "norm1", 0)->args[0].place = at(cg_b_pos_emb, 0);
    refused(&m, "norm1: y: would overwrite a weight");
    m = make(&cg_small, false);
    step(&m, "rope_q", 0)->args[0].place = at(cg_b_rope_cos_cache, 0);
    refused(&m, "rope_q: x: would overwrite a weight or a table");
    m = make(&cg_small, false);
    m.l.places[at(cg_b_ln2_gamma, 1)].dtype = CK_DTYPE_BF16;
    refused(&m, "layer 1 step norm2: gamma: wanted in f32");
    m = make(&cg_small, false);
    m.l.places[at(cg_b_attn_out, 1)].dtype = CK_DTYPE_Q8_0;
    refused(&m, "layer 1 step attend: y: wanted in f32");
    m = make(&cg_small, false);
    m.l.places[at(cg_b_w2, 1)].dtype = CK_DTYPE_Q8_K;
    refused(&m, "layer 1 step mlp_down: w: not in a format of weights");
}

/* Steps around a cache of 16 bits, in which nothing but its own steps may compute. */
static void wrong_caches(void **state)
{
    const cg_layout_options o = { .cache = CK_DTYPE_BF16 };
    char entry[CG_ENTRY];
    made m = make_with(&cg_small, o);
    (void)state;
    cg_step_entry(step(&m, "attend", 1), &m.l, entry);
    assert_string_equal(entry, "ck_attention_bf16");
    cg_step_entry(step(&m, "kv_write", 1), &m.l, entry);
    assert_string_equal(entry, "ck_kv_write_bf16");
    step(&m, "attend", 1)->args[3].place = at(cg_b_k_new, 0);
    refused(&m, "layer 1 step attend: k: is not of the cache");
    m = make_with(&cg_small, o);
    step(&m, "kv_write", 1)->args[1].place = at(cg_b_v_new, 0);
    refused(&m, "layer 1 step kv_write: v_cache: is not of the cache");
    m = make_with(&cg_small, o);
    step(&m, "project_v", 1)->args[0].place = at(cg_b_v, 1);
    refused(&m, "layer 1 step project_v: y: wanted in f32");
    m = make_with(&cg_small, o);
    step(&m, "rope_k", 0)->args[0].place = at(cg_b_k, 0);
    refused(&m, "layer 0 step rope_k: x: wanted in f32");
    m = make_with(&cg_small, o);
    step(&m, "kv_write", 1)->args[0].place = at(cg_b_k, 0);
    refused(&m, "layer 1 step kv_write: k_cache: is of another layer");
    m = make_with(&cg_small, o);
    step(&m, "kv_write", 1)->args[0].place = at(cg_b_v, 1);
    refused(&m, "layer 1 step kv_write: k_cache: overlaps another operand");
    m = make_with(&cg_small, o);
    remove_step(&m, step(&m, "kv_write", 1));
    refused(&m, "layer 1 step attend: k: is read before it is written");
    m = make_with(&cg_small, o);
    m.l.places[at(cg_b_v, 1)].dtype = CK_DTYPE_F16;
    refused(&m, "layer 1 step kv_write: v_cache: not in the format of the cache");
    m = make_with(&cg_small, o);
    step(&m, "kv_write", 0)->args[2].place = at(cg_b_q, 0);
    refused(&m, "kv_write: k: dimension 0 is 4, wanted 2");
}

static void wrong_shapes(void **state)
{
    made m = make(&cg_small, false);
    (void)state;
    step(&m, "mlp_up", 1)->args[2].place = at(cg_b_w2, 1);
    refused(&m, "layer 1 step mlp_up: w: dimension 0 is 32, wanted 96");
    m = make(&cg_small, false);
    step(&m, "swiglu", 0)->args[1].place = at(cg_b_ln2_out, 0);
    refused(&m, "swiglu: x: dimension 1 is 32, wanted 96");
    m = make(&cg_small, false);
    step(&m, "project_k", 0)->args[2].place = at(cg_b_wq, 0);
    refused(&m, "project_k: w: dimension 0 is 4, wanted 2");
    m = make(&cg_small, false);
    step(&m, "merge_heads", 0)->args[2].place = at(cg_b_w1, 0);
    refused(&m, "merge_heads: w: dimension 0 is 96");
    m = make(&cg_small, false);
    step(&m, "merge_heads", 0)->args[1].place = at(cg_b_bq, 0);
    refused(&m, "merge_heads: x: dimension 0 is 4, wanted 16");
    m = make(&cg_small, false);
    step(&m, "merge_heads", 0)->args[1].place = at(cg_b_embedded_input, 0);
    refused(&m, "merge_heads: x: has too few dimensions");
    m = make(&cg_small, false);
    step(&m, "add2", 0)->args[1].place = at(cg_b_q, 0);
    refused(&m, "add2: a: dimension 0 is 4");
    m = make(&cg_small, false);
    step(&m, "norm1", 0)->args[3].place = at(cg_b_b1, 0);
    refused(&m, "norm1: gamma: dimension 0 is 96");
}

static void wrong_order(void **state)
{
    made m = make(&cg_small, false);
    cg_step *const a = step(&m, "attend", 1), *const b = step(&m, "merge_heads", 1), s = *a;
    (void)state;
    *a = *b;
    *b = s;
    refused(&m, "layer 1 step merge_heads: x: is read before it is written");
    m = make(&cg_small, false);
    remove_step(&m, step(&m, "mlp_down", 1));
    refused(&m, "layer 1 step add2: b: is read before it is written");
    m = make(&cg_small, false);
    remove_step(&m, step(&m, "add2", 0));
    refused(&m, "layer 1 step norm1: x: is read before it is written");
    m = make(&cg_small, false);
    remove_step(&m, step(&m, "embed", 0));
    refused(&m, "layer 0 step norm1: x: is read before it is written");
    m = make(&cg_small, false);
    remove_step(&m, step(&m, "head", 0));
    refused(&m, "nobody writes the logits");
    m = make(&cg_small, false);
    step(&m, "add2", 1)->args[0].place = at(cg_b_residual1, 1);
    refused(&m, "layer 1 step add2: y: overlaps another operand");
    m = make(&cg_small, false);
    step(&m, "add2", 1)->args[0].place = at(cg_b_mlp_out, 1);
    refused(&m, "add2: y: overlaps another operand");
}

/* Steps that stand for two. */
static void wrong_fusion(void **state)
{
    const cg_layout_options o = { .fuse = CG_FUSE_MLP | CG_FUSE_RESIDUAL };
    made m = make_with(&cg_small, o);
    (void)state;
    step(&m, "mlp_gate", 1)->also = CG_ABSENT;
    refused(&m, "layer 1 node 7 (SWIGLU) has no step");
    m = make_with(&cg_small, o);
    step(&m, "mlp_down_add", 1)->also = 9; /* of layer 0 */
    refused(&m, "layer 1 step mlp_down_add: linear_add: has no second node");
    m = make_with(&cg_small, o);
    step(&m, "mlp_down_add", 1)->also = step(&m, "mlp_down_add", 1)->node;
    refused(&m, "has no second node");
    m = make_with(&cg_small, o);
    step(&m, "merge_heads_add", 1)->also = 100;
    refused(&m, "has no second node");
    m = make_with(&cg_small, o);
    step(&m, "merge_heads_add", 0)->args[1].place = CG_ABSENT;
    refused(&m, "merge_heads_add: c: missing");
    m = make_with(&cg_small, o);
    step(&m, "merge_heads_add", 0)->args[0].place = at(cg_b_proj_tmp, 0);
    refused(&m, "merge_heads_add: y: is not in the layout");
    m = make_with(&cg_small, o);
    step(&m, "mlp_down_add", 1)->args[0].place = at(cg_b_residual1, 1);
    refused(&m, "mlp_down_add: y: overlaps another operand");
    m = make_with(&cg_small, o);
    step(&m, "mlp_gate", 0)->args[2].place = at(cg_b_w2, 0);
    refused(&m, "mlp_gate: w: dimension 0 is 32, wanted 96");
    m = make_with(&cg_small, o);
    remove_step(&m, step(&m, "mlp_gate", 1));
    refused(&m, "layer 1 step mlp_down_add: x: is read before it is written");
    /* a plan of steps apart, in a layout without what lies between */
    m = make_with(&cg_small, o);
    made apart = make(&cg_small, false);
    cg_layout_free(&apart.l);
    apart.l = m.l;
    m.l = (cg_layout){ 0 };
    drop(&m);
    refused(&apart, "layer 0 step merge_heads: y: is not in the layout");
}

static void wrong_nodes(void **state)
{
    made m = make(&cg_small, false);
    (void)state;
    step(&m, "add2", 1)->node = 3;
    refused(&m, "layer 1 step add2: add: has no node in the graph");
    m = make(&cg_small, false);
    step(&m, "add2", 1)->node = 20;
    refused(&m, "layer 1 step add2: add: has no node in the graph");
    m = make(&cg_small, false);
    step(&m, "add2", 1)->node = CG_ABSENT;
    refused(&m, "against its phase");
    m = make(&cg_small, false);
    step(&m, "embed", 0)->node = 0;
    refused(&m, "against its phase");
    m = make(&cg_small, false);
    step(&m, "add2", 1)->node = 13;
    refused(&m, "layer 1 node 9 (ADD) has no step");
}

/* Every argument of every step is needed, and each step: taking one away is seen. */
static void nothing_can_be_left_out(void **state)
{
    cg_error error;
    made m = make(&cg_small, true);
    (void)state;
    for (size_t i = 0; i < m.plan.count; i++) {
        cg_step *const s = &m.plan.steps[i];
        for (int n = 0; cg_kernels[s->spec->kernel].params[n].name; n++) {
            const cg_arg before = s->args[n];
            if (before.place == CG_ABSENT) continue;
            s->args[n].place = CG_ABSENT;
            if (cg_plan_check(&m.plan, &m.g, &m.l, &error) == 0)
                fail_msg("%s: %d left out is not seen", s->spec->name, n);
            s->args[n] = before;
        }
    }
    assert_int_equal(cg_plan_check(&m.plan, &m.g, &m.l, &error), 0);
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_by_format), cmocka_unit_test(plans_hold),
        cmocka_unit_test(wrong_arguments),       cmocka_unit_test(wrong_shapes),
        cmocka_unit_test(wrong_order),           cmocka_unit_test(wrong_fusion),
        cmocka_unit_test(wrong_nodes),           cmocka_unit_test(nothing_can_be_left_out),
        cmocka_unit_test(wrong_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
