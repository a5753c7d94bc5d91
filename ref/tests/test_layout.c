/* SPDX-License-Identifier: MIT */
/* Tests of the reference of layouts: sizes and order of two small decoders, written out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ref_layout.h"

enum {
    TRAINING = 1,
    TURNED = 2,
    UNTIED = 4,
    NORMED = 8,
    QKV = 16,
    OUT = 32,
    MLP = 64,
    GATED_APART = 128,
    ADDED_APART = 256,
    HALVED = 512, /* the cache has 16 bits */
    ALL = 1024
};

/* A buffer, its bytes, and what it exists for. */
typedef struct fact {
    const char *name;
    size_t bytes;
    int when;
} fact;

/* D = 20 in 32 lanes, I = 40 in 48, heads of 6 in 16, H = 4, G = 2, V = 19, T = 5 with scores in 16. */
static const fact global[] = { { "token_emb", 2432, 0 },
                               { "pos_emb", 640, 0 },
                               { "embedded_input", 640, 0 },
                               { "rope_cos_cache", 60, TURNED },
                               { "rope_sin_cache", 60, TURNED },
                               { "final_ln_weight", 128, 0 },
                               { "final_ln_bias", 128, 0 },
                               { "final_ln_mean", 20, 0 },
                               { "final_ln_rstd", 20, 0 },
                               { "final_output", 640, 0 },
                               { "lm_head_weight", 2432, UNTIED },
                               { "logits", 380, 0 },
                               { "k_new", 640, HALVED },
                               { "v_new", 640, HALVED },
                               { "d_token_emb", 2432, TRAINING },
                               { "d_pos_emb", 640, TRAINING },
                               { "d_final_output", 640, TRAINING },
                               { "d_final_input", 640, TRAINING },
                               { "d_final_ln_weight", 128, TRAINING },
                               { "d_lm_head_weight", 2432, TRAINING | UNTIED },
                               { "d_logits", 380, TRAINING } };

static const fact layered[] = { { "ln1_gamma", 128, 0 },
                                { "ln1_out", 640, 0 },
                                { "ln1_rstd", 20, 0 },
                                { "wq", 8192, 0 },
                                { "bq", 256, QKV },
                                { "wk", 4096, 0 },
                                { "bk", 128, QKV },
                                { "wv", 4096, 0 },
                                { "bv", 128, QKV },
                                { "q_norm_gamma", 64, NORMED },
                                { "k_norm_gamma", 64, NORMED },
                                { "q", 1280, 0 },
                                { "k", 640, 0 },
                                { "v", 640, 0 },
                                { "scores", 4096, TRAINING },
                                { "attn_out", 1280, 0 },
                                { "wo", 8192, 0 },
                                { "bo", 128, OUT },
                                { "proj_tmp", 640, ADDED_APART },
                                { "proj_scratch", 640, 0 },
                                { "residual1", 640, 0 },
                                { "ln2_gamma", 128, 0 },
                                { "ln2_out", 640, 0 },
                                { "ln2_rstd", 20, 0 },
                                { "w1", 12288, 0 },
                                { "b1", 384, MLP },
                                { "fc1_out", 1920, GATED_APART },
                                { "swiglu_out", 960, 0 },
                                { "w2", 6144, 0 },
                                { "b2", 128, MLP },
                                { "mlp_out", 640, ADDED_APART },
                                { "output", 640, 0 },
                                { "d_output", 640, TRAINING },
                                { "d_residual1", 640, TRAINING },
                                { "d_mlp_out", 640, TRAINING },
                                { "d_swiglu_out", 960, TRAINING },
                                { "d_w2", 6144, TRAINING },
                                { "d_b2", 128, TRAINING | MLP },
                                { "d_fc1_out", 1920, TRAINING },
                                { "d_ln2_out", 640, TRAINING },
                                { "d_w1", 12288, TRAINING },
                                { "d_b1", 384, TRAINING | MLP },
                                { "d_ln2_gamma", 128, TRAINING },
                                { "d_input", 640, TRAINING },
                                { "d_proj_tmp", 640, TRAINING },
                                { "d_attn_out", 1280, TRAINING },
                                { "d_wo", 8192, TRAINING },
                                { "d_bo", 128, TRAINING | OUT },
                                { "d_q", 1280, TRAINING },
                                { "d_k", 640, TRAINING },
                                { "d_v", 640, TRAINING },
                                { "d_scores", 4096, TRAINING },
                                { "d_ln1_out", 640, TRAINING },
                                { "d_wq", 8192, TRAINING },
                                { "d_bq", 256, TRAINING | QKV },
                                { "d_wk", 4096, TRAINING },
                                { "d_bk", 128, TRAINING | QKV },
                                { "d_wv", 4096, TRAINING },
                                { "d_bv", 128, TRAINING | QKV },
                                { "d_q_norm_gamma", 64, TRAINING | NORMED },
                                { "d_k_norm_gamma", 64, TRAINING | NORMED },
                                { "d_ln1_gamma", 128, TRAINING } };

enum { GLOBALS = sizeof global / sizeof *global, LAYERED = sizeof layered / sizeof *layered };
enum { LAYERS = 3 };

static ref_decoder decoder(int which)
{
    return (ref_decoder){ .layers = LAYERS,
                          .hidden = 20,
                          .intermediate = 40,
                          .heads = 4,
                          .kv_heads = 2,
                          .head_dim = 6,
                          .vocab = 19,
                          .context = 5,
                          .rope = (which & TURNED) != 0,
                          .qkv_bias = (which & QKV) != 0,
                          .output_bias = (which & OUT) != 0,
                          .mlp_bias = (which & MLP) != 0,
                          .tied = !(which & UNTIED),
                          .qk_norm = (which & NORMED) != 0 };
}

/* What is told, in order; and the last fact that was. */
typedef struct told {
    int which;
    size_t layer, next, guard, at, input, inputs, layers_start;
    size_t part; /* elements of a block, which has one byte; 0: floats */
} told;

static const fact *expected(told *to)
{
    for (;; to->next++) {
        const int in_layer = to->layer != (size_t)-1;
        if (!in_layer && to->next == GLOBALS) {
            to->layer = to->next = 0;
            to->layers_start = to->at;
            return expected(to);
        }
        if (in_layer && to->next == LAYERED) {
            to->layer++;
            to->next = 0;
        }
        const fact *f = to->layer == (size_t)-1 ? &global[to->next] : &layered[to->next];
        if ((f->when & ~to->which) == 0) return f;
    }
}

static int is_matrix(const char *name)
{
    static const char *const names[] = {
        "token_emb", "lm_head_weight", "wq", "wk", "wv", "wo", "w1", "w2"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

static void compare(void *context, const char *name, size_t layer, size_t offset, size_t bytes)
{
    told *const to = context;
    if (strcmp(name, "lm_head_weight") == 0 && !(to->which & UNTIED)) {
        assert_true(offset == to->guard && layer == (size_t)-1);
        assert_int_equal(bytes, to->part ? 2432 / 4 / to->part : 2432);
        return;
    }
    if (strcmp(name, "input") == 0) {
        assert_int_equal(offset, to->input);
        assert_int_equal(bytes, 640);
        to->inputs++;
        return;
    }
    const fact *const f = expected(to);
    assert_string_equal(name, f->name);
    assert_true(layer == to->layer);
    const int halved = (to->which & HALVED) && (strcmp(name, "k") == 0 || strcmp(name, "v") == 0);
    assert_int_equal(bytes, halved                        ? f->bytes / 2
                            : to->part && is_matrix(name) ? f->bytes / 4 / to->part
                                                          : f->bytes);
    while (to->at % 64) to->at++;
    assert_int_equal(offset, to->at + to->guard);
    to->at = offset + bytes;
    if (strcmp(name, "embedded_input") == 0 || strcmp(name, "output") == 0) to->input = offset;
    to->next++;
}

static ref_block one_byte(void *context, const char *name, size_t layer)
{
    const told *const to = context;
    assert_true(is_matrix(name));
    assert_true(layer == to->layer || layer == to->layer + 1); /* the one that is told of next */
    return (ref_block){ to->part, 1 };
}

static void check(int which, size_t guard, size_t part)
{
    told to = { .which = which, .layer = (size_t)-1, .guard = guard, .part = part };
    const ref_layout_options o = { (which & TRAINING) != 0, guard,
                                   part ? one_byte : NULL,  &to,
                                   !(which & GATED_APART),  !(which & ADDED_APART),
                                   which & HALVED ? 2 : 0 };
    const ref_decoder d = decoder(which);
    size_t start;
    const size_t total = ref_layout(&d, &o, compare, &to, &start);
    assert_int_equal(to.layer, LAYERS - 1);
    while (to.next < LAYERED && (layered[to.next].when & ~which)) to.next++;
    assert_int_equal(to.next, LAYERED);
    while (to.at % 64) to.at++;
    assert_int_equal(total, to.at + guard);
    assert_int_equal(start, to.layers_start);
    assert_int_equal(to.inputs, LAYERS);
}

static void buffers_are_those_of_the_table(void **unused)
{
    (void)unused;
    for (int which = 0; which < ALL; which++) {
        check(which, 0, 0);
        check(which, 64, 0);
        check(which, 64, 4);
    }
}

static void ignore(void *context, const char *name, size_t layer, size_t offset, size_t bytes)
{
    (void)context, (void)name, (void)layer, (void)offset, (void)bytes;
}

/* Widths that are multiples of 16 are not padded: figures of the specification. */
static void whole_widths_have_no_pads(void **unused)
{
    const ref_decoder d = { .layers = 2,
                            .hidden = 32,
                            .intermediate = 48,
                            .heads = 4,
                            .kv_heads = 2,
                            .head_dim = 8,
                            .vocab = 50,
                            .context = 16,
                            .rope = 1,
                            .qkv_bias = 1,
                            .output_bias = 1,
                            .mlp_bias = 1,
                            .tied = 1 };
    size_t start;
    (void)unused;
    assert_int_equal(ref_layout(&d, &(ref_layout_options){ 0 }, ignore, NULL, &start), 177408);
    assert_int_equal(start, 16640);
    assert_int_equal(ref_layout(&d, &(ref_layout_options){ .training = 1 }, ignore, NULL, &start),
                     370176);
    assert_int_equal(start, 32512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_those_of_the_table),
        cmocka_unit_test(whole_widths_have_no_pads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
