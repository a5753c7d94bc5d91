/* SPDX-License-Identifier: MIT */
/* Contract tests of the entries of norms and elementwise functions, and vectors worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "attention.h"
#include "binary.h"
#include "ck_ops.h"
#include "norm.h"
#include "unary.h"

enum { CELLS = 256 };
static float y[CELLS], x[CELLS], gamma[CELLS], beta[CELLS], mean[CELLS], rstd[CELLS];

static void fill(void)
{
    for (int i = 0; i < CELLS; i++) {
        y[i] = mean[i] = rstd[i] = 1e30f;
        x[i] = (float)(i % 7) - 2.5f;
        gamma[i] = beta[i] = 1.0f;
    }
}

/* The status, and not a cell of y touched. */
static void refused(ck_status got, ck_status wanted)
{
    assert_int_equal(got, wanted);
    for (int i = 0; i < CELLS; i++) assert_true(y[i] == 1e30f);
}

static ck_rmsnorm_args good_rms(void)
{
    return (ck_rmsnorm_args){ y, rstd, x, gamma, 3, 5, 6, 8, 2, 7, 0.5f };
}

typedef ck_status rmsnorm_entry(const ck_rmsnorm_args *args);

static void rmsnorm_rejects_all(rmsnorm_entry *const f)
{
    ck_rmsnorm_args g;
    fill();
    refused(f(NULL), CK_ERR_NULL);
    g = good_rms(), g.y = NULL, refused(f(&g), CK_ERR_NULL);
    g = good_rms(), g.x = NULL, refused(f(&g), CK_ERR_NULL);
    g = good_rms(), g.gamma = NULL, refused(f(&g), CK_ERR_NULL);
    g = good_rms(), g.d = 0, refused(f(&g), CK_ERR_SHAPE);
    g = good_rms(), g.cols = 4, refused(f(&g), CK_ERR_SHAPE);
    g = good_rms(), g.ldy = 5, refused(f(&g), CK_ERR_SHAPE);
    g = good_rms(), g.ldx = 4, refused(f(&g), CK_ERR_SHAPE);
    g = good_rms(), g.ldr = 0, refused(f(&g), CK_ERR_SHAPE);
    g = good_rms(), g.t = SIZE_MAX / 8, refused(f(&g), CK_ERR_SHAPE);
    g = good_rms(), g.eps = -1.0f, refused(f(&g), CK_ERR_VALUE);
    g = good_rms(), g.eps = NAN, refused(f(&g), CK_ERR_VALUE);
    g = good_rms(), g.x = y + 1, refused(f(&g), CK_ERR_ALIAS);
    g = good_rms(), g.x = y, g.ldx = 7, refused(f(&g), CK_ERR_ALIAS);
    g = good_rms(), g.gamma = y + 2, refused(f(&g), CK_ERR_ALIAS);
    g = good_rms(), g.rstd = y, refused(f(&g), CK_ERR_ALIAS);
    g = good_rms(), g.rstd = x, refused(f(&g), CK_ERR_ALIAS);
    g = good_rms(), g.rstd = gamma, refused(f(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    g = good_rms(), refused(f(&g), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good_rms(), g.t = 0, g.y = NULL, refused(f(&g), CK_OK);
}

static void rmsnorm_rejects(void **state)
{
    (void)state;
    rmsnorm_rejects_all(ck_rmsnorm_f32);
    rmsnorm_rejects_all(ck_rmsnorm_bf16);
}

static ck_layernorm_args good_layer(void)
{
    return (ck_layernorm_args){ y, mean, rstd, x, gamma, beta, 3, 5, 6, 8, 2, 7, 0.5f };
}

static void layernorm_rejects(void **state)
{
    ck_layernorm_args g;
    (void)state;
    fill();
    refused(ck_layernorm_f32(NULL), CK_ERR_NULL);
    g = good_layer(), g.beta = NULL, refused(ck_layernorm_f32(&g), CK_ERR_NULL);
    g = good_layer(), g.gamma = NULL, refused(ck_layernorm_f32(&g), CK_ERR_NULL);
    g = good_layer(), g.cols = 4, refused(ck_layernorm_f32(&g), CK_ERR_SHAPE);
    g = good_layer(), g.eps = -1.0f, refused(ck_layernorm_f32(&g), CK_ERR_VALUE);
    g = good_layer(), g.beta = y, refused(ck_layernorm_f32(&g), CK_ERR_ALIAS);
    g = good_layer(), g.mean = rstd, refused(ck_layernorm_f32(&g), CK_ERR_ALIAS);
    g = good_layer(), g.mean = beta, refused(ck_layernorm_f32(&g), CK_ERR_ALIAS);
    g = good_layer(), g.t = 0, g.beta = NULL, refused(ck_layernorm_f32(&g), CK_OK);
}

/* mean and rstd may lie side by side. */
static void norms_by_hand(void **state)
{
    const float in[] = { 3, -3, 3, 9, 5, 9, 5, 9 }, g[] = { 1, 2, -1, 4 }, b[] = { 0, 0, 1, -1 };
    const float rms[] = { 0.5f, -1, -0.5f, 6, 0 };
    const float layer[] = { -1, 2, 2, 3 };
    float out[10], both[2] = { 0 }, root[2] = { 0 };
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        /* (9 + 9 + 9 + 81) / 4 + 9 = 36 */
        const ck_rmsnorm_args r = { out, root, in, g, 1, 4, 5, 5, 1, 4, 9.0f };
        assert_int_equal(ck_rmsnorm_f32(&r), CK_OK);
        assert_memory_equal(out, rms, sizeof rms);
        assert_true(root[0] == (float)(1.0 / 6.0));
        /* mean 7, variance 4 */
        const ck_layernorm_args l = { out, both, both + 1, in + 4, g, b, 1, 4, 4, 4, 2, 4, 0.0f };
        assert_int_equal(ck_layernorm_f32(&l), CK_OK);
        assert_memory_equal(out, layer, sizeof layer);
        assert_true(both[0] == 7.0f && both[1] == 0.5f);
    }
    ck_set_strict_parity(0);
}

/* One rounding more: 1 + 2^-8 and 1 + 3 2^-8 are ties of bf16, whose even neighbours are 1 and 1 + 2^-6. */
static void norms_of_bf16(void **state)
{
    const uint16_t in[] = { 0x3f80, 0x3f80, 0xbf80, 0xbf80 }; /* 1 1 -1 -1 */
    const uint16_t out[] = { 0x3f80, 0x3f82, 0xbf80, 0xbf82, 0 };
    const float g[] = { 1 + 0x1p-8f, 1 + 0x3p-8f, 1 + 0x1p-8f, 1 + 0x3p-8f }, b[4] = { 0 };
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        uint16_t got[5] = { 1, 1, 1, 1, 1 };
        float one = 0, both[2] = { 9, 9 };
        ck_set_strict_parity(strict);
        const ck_rmsnorm_args r = { got, &one, in, g, 1, 4, 5, 5, 1, 4, 0.0f };
        assert_int_equal(ck_rmsnorm_bf16(&r), CK_OK);
        assert_memory_equal(got, out, sizeof got);
        assert_true(one == 1.0f);
        const ck_layernorm_args l = { got, both, both + 1, in, g, b, 1, 4, 5, 5, 2, 4, 0.0f };
        assert_int_equal(ck_layernorm_bf16(&l), CK_OK);
        assert_memory_equal(got, out, sizeof got);
        assert_true(both[0] == 0.0f && both[1] == 1.0f);
    }
    ck_set_strict_parity(0);
}

/* gamma's floats reach further than as many elements of bf16. */
static void gamma_of_bf16_norms_is_f32(void **state)
{
    ck_rmsnorm_args r = good_rms();
    ck_layernorm_args l = good_layer();
    (void)state;
    fill();
    r.y = l.y = y + 8;
    r.gamma = l.gamma = y + 4;
    refused(ck_rmsnorm_bf16(&r), CK_ERR_ALIAS);
    refused(ck_layernorm_bf16(&l), CK_ERR_ALIAS);
}

/* Sums of two halves: ties, and what is beyond the largest. */
static void sums_of_16_bits(void **state)
{
    const uint16_t a[] = { 0x3f80, 0x3f81, 0x7f7f, 0x7fff }, b[] = { 0x3b80, 0x3b80, 0x7f7f, 0 };
    const uint16_t ab[] = { 0x3f80, 0x3f82, 0x7f80, 0x7fc0, 0 };
    const uint16_t c[] = { 0x3c00, 0x3c01, 0x7bff, 0x7bff, 0xfe01 };
    const uint16_t d[] = { 0x1000, 0x1000, 0x4c00, 0x4800, 0 };
    const uint16_t cd[] = { 0x3c00, 0x3c02, 0x7c00, 0x7bff, 0x7e00 };
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        uint16_t got[5] = { 1, 1, 1, 1, 1 };
        ck_set_strict_parity(strict);
        assert_int_equal(ck_residual_add_bf16(&(ck_binary_args){ got, a, b, 1, 4, 5, 5, 4, 4 }),
                         CK_OK);
        assert_memory_equal(got, ab, sizeof got);
        assert_int_equal(ck_residual_add_f16(&(ck_binary_args){ got, c, d, 1, 5, 5, 5, 5, 5 }),
                         CK_OK);
        assert_memory_equal(got, cd, sizeof got);
    }
    ck_set_strict_parity(0);
}

/* A single key weighs 1: its value comes out as the float that it stands for. */
static void attention_over_16_bits(void **state)
{
    typedef ck_status entry(const ck_attention_args *args);
    static entry *const entries[] = { ck_attention_bf16, ck_attention_f16 };
    const uint16_t k[] = { 0x3f80, 0, 0 };
    const uint16_t v[][3] = { { 0x3f81, 0x8001, 0x4049 }, { 0x3c01, 0x8001, 0x4248 } };
    const float out[][4] = { { 1 + 0x1p-7f, -0x1p-133f, 3.140625f, 0 },
                             { 1 + 0x1p-10f, -0x1p-24f, 3.140625f, 0 } };
    const float q[] = { 1, 2, 3 };
    (void)state;
    for (int e = 0; e < 2; e++)
        for (int strict = 0; strict < 2; strict++) {
            float got[4] = { 9, 9, 9, 9 };
            ck_attention_args a = { .y = got,
                                    .q = q,
                                    .k = k,
                                    .v = v[e],
                                    .heads = 1,
                                    .kv_heads = 1,
                                    .tq = 1,
                                    .tk = 1,
                                    .d = 3,
                                    .cols = 4,
                                    .ldy = 4,
                                    .ldq = 3,
                                    .ldk = 3,
                                    .ldv = 3,
                                    .head_y = 4,
                                    .head_q = 3,
                                    .head_k = 3,
                                    .head_v = 3,
                                    .scale = 1 };
            ck_set_strict_parity(strict);
            assert_int_equal(entries[e](&a), CK_OK);
            assert_memory_equal(got, out[e], sizeof got);
            a.v = got + 1;
            assert_int_equal(entries[e](&a), CK_ERR_ALIAS);
            a.v = got + 4; /* right behind */
            a.tk = 0;
            assert_int_equal(entries[e](&a), CK_ERR_SHAPE);
        }
    ck_set_strict_parity(0);
}

static ck_binary_args good_binary(void)
{
    return (ck_binary_args){ y, x, gamma, 3, 5, 6, 8, 7, 5 };
}

typedef ck_status binary_entry(const ck_binary_args *args);

static void binary_rejects(void **state)
{
    static binary_entry *const entries[] = { ck_residual_add_f32,  ck_swiglu_f32,
                                             ck_residual_add_bf16, ck_swiglu_bf16,
                                             ck_residual_add_f16,  ck_swiglu_f16 };
    (void)state;
    for (int e = 0; e < 6; e++) {
        binary_entry *const f = entries[e];
        ck_binary_args g;
        fill();
        refused(f(NULL), CK_ERR_NULL);
        g = good_binary(), g.y = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_binary(), g.a = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_binary(), g.b = NULL, refused(f(&g), CK_ERR_NULL);
        g = good_binary(), g.cols = 4, refused(f(&g), CK_ERR_SHAPE);
        g = good_binary(), g.ldy = 5, refused(f(&g), CK_ERR_SHAPE);
        g = good_binary(), g.lda = 4, refused(f(&g), CK_ERR_SHAPE);
        g = good_binary(), g.ldb = 4, refused(f(&g), CK_ERR_SHAPE);
        g = good_binary(), g.t = SIZE_MAX / 8, refused(f(&g), CK_ERR_SHAPE);
        g = good_binary(), g.a = y + 1, refused(f(&g), CK_ERR_ALIAS);
        g = good_binary(), g.b = y, refused(f(&g), CK_ERR_ALIAS);
        ck_isa_set_mask(0);
        g = good_binary(), refused(f(&g), CK_ERR_ISA);
        ck_isa_set_mask(~0u);
        g = good_binary(), g.t = 0, g.a = NULL, refused(f(&g), CK_OK);
    }
}

/* Without elements there are pad lanes only, and no operands. */
static void rows_of_no_elements_are_pads(void **state)
{
    float pads[] = { 1, 1, 1, 2 };
    (void)state;
    const ck_binary_args a = { .y = pads, .t = 1, .cols = 3, .ldy = 3 };
    assert_int_equal(ck_swiglu_f32(&a), CK_OK);
    assert_true(pads[0] == 0 && pads[1] == 0 && pads[2] == 0 && pads[3] == 2);
    uint16_t shorts[] = { 1, 1, 1, 2 };
    const ck_binary_args b = { .y = shorts, .t = 1, .cols = 3, .ldy = 3 };
    assert_int_equal(ck_residual_add_bf16(&b), CK_OK);
    assert_true(shorts[0] == 0 && shorts[1] == 0 && shorts[2] == 0 && shorts[3] == 2);
}

static void binary_in_place(void **state)
{
    float a[] = { 1, -2, 30, 4, 0 }, b[] = { 1, 2, 3, 4 };
    const float sum[] = { 2, 0, 33, 8, 0 }, doubled[] = { 4, 0, 66, 16, 0 };
    (void)state;
    assert_int_equal(ck_residual_add_f32(&(ck_binary_args){ a, a, b, 1, 4, 5, 5, 5, 4 }), CK_OK);
    assert_memory_equal(a, sum, sizeof a);
    assert_int_equal(ck_residual_add_f32(&(ck_binary_args){ a, a, a, 1, 4, 5, 5, 5, 5 }), CK_OK);
    assert_memory_equal(a, doubled, sizeof a);
    assert_int_equal(ck_swiglu_f32(&(ck_binary_args){ b, a + 2, b, 1, 1, 1, 1, 1, 1 }), CK_OK);
    assert_true(b[0] == 66.0f);
}

typedef ck_status unary_entry(const ck_unary_args *args);

static void limits_of_activations(void **state)
{
    static unary_entry *const entries[] = { ck_sigmoid_f32, ck_silu_f32, ck_gelu_tanh_f32,
                                            ck_gelu_erf_f32, ck_relu_f32 };
    const float in[] = { -INFINITY, INFINITY, 0.0f, -200.0f, 200.0f };
    const float low[] = { 0, -0.0f, -0.0f, -0.0f, 0 }, zero[] = { 0.5f, 0, 0, 0, 0 };
    (void)state;
    for (int strict = 0; strict < 2; strict++)
        for (int e = 0; e < 5; e++) {
            float out[5];
            ck_set_strict_parity(strict);
            assert_int_equal(entries[e](&(ck_unary_args){ out, in, 5 }), CK_OK);
            assert_true(out[0] == 0.0f && !signbit(out[0]) == !signbit(low[e]));
            assert_true(out[1] == (e == 0 ? 1.0f : INFINITY));
            assert_true(out[2] == zero[e]);
            assert_true(out[3] == 0.0f && !signbit(out[3]) == !signbit(low[e]));
            assert_true(out[4] == (e == 0 ? 1.0f : 200.0f));
            assert_int_equal(entries[e](NULL), CK_ERR_NULL);
        }
    ck_set_strict_parity(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rmsnorm_rejects),       cmocka_unit_test(layernorm_rejects),
        cmocka_unit_test(norms_by_hand),         cmocka_unit_test(binary_rejects),
        cmocka_unit_test(binary_in_place),       cmocka_unit_test(rows_of_no_elements_are_pads),
        cmocka_unit_test(norms_of_bf16),         cmocka_unit_test(gamma_of_bf16_norms_is_f32),
        cmocka_unit_test(sums_of_16_bits),       cmocka_unit_test(attention_over_16_bits),
        cmocka_unit_test(limits_of_activations),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
