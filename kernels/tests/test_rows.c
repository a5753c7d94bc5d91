/* SPDX-License-Identifier: MIT */
/* Contract tests of the entries of norms and elementwise functions, and vectors worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

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

static void rmsnorm_rejects(void **state)
{
    ck_rmsnorm_args g;
    (void)state;
    fill();
    refused(ck_rmsnorm_f32(NULL), CK_ERR_NULL);
    g = good_rms(), g.y = NULL, refused(ck_rmsnorm_f32(&g), CK_ERR_NULL);
    g = good_rms(), g.x = NULL, refused(ck_rmsnorm_f32(&g), CK_ERR_NULL);
    g = good_rms(), g.gamma = NULL, refused(ck_rmsnorm_f32(&g), CK_ERR_NULL);
    g = good_rms(), g.d = 0, refused(ck_rmsnorm_f32(&g), CK_ERR_SHAPE);
    g = good_rms(), g.cols = 4, refused(ck_rmsnorm_f32(&g), CK_ERR_SHAPE);
    g = good_rms(), g.ldy = 5, refused(ck_rmsnorm_f32(&g), CK_ERR_SHAPE);
    g = good_rms(), g.ldx = 4, refused(ck_rmsnorm_f32(&g), CK_ERR_SHAPE);
    g = good_rms(), g.ldr = 0, refused(ck_rmsnorm_f32(&g), CK_ERR_SHAPE);
    g = good_rms(), g.t = SIZE_MAX / 8, refused(ck_rmsnorm_f32(&g), CK_ERR_SHAPE);
    g = good_rms(), g.eps = -1.0f, refused(ck_rmsnorm_f32(&g), CK_ERR_VALUE);
    g = good_rms(), g.eps = NAN, refused(ck_rmsnorm_f32(&g), CK_ERR_VALUE);
    g = good_rms(), g.x = y + 1, refused(ck_rmsnorm_f32(&g), CK_ERR_ALIAS);
    g = good_rms(), g.x = y, g.ldx = 7, refused(ck_rmsnorm_f32(&g), CK_ERR_ALIAS);
    g = good_rms(), g.gamma = y + 2, refused(ck_rmsnorm_f32(&g), CK_ERR_ALIAS);
    g = good_rms(), g.rstd = y, refused(ck_rmsnorm_f32(&g), CK_ERR_ALIAS);
    g = good_rms(), g.rstd = x, refused(ck_rmsnorm_f32(&g), CK_ERR_ALIAS);
    g = good_rms(), g.rstd = gamma, refused(ck_rmsnorm_f32(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    g = good_rms(), refused(ck_rmsnorm_f32(&g), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good_rms(), g.t = 0, g.y = NULL, refused(ck_rmsnorm_f32(&g), CK_OK);
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

static ck_binary_args good_binary(void)
{
    return (ck_binary_args){ y, x, gamma, 3, 5, 6, 8, 7, 5 };
}

typedef ck_status binary_entry(const ck_binary_args *args);

static void binary_rejects(void **state)
{
    static binary_entry *const entries[] = { ck_residual_add_f32, ck_swiglu_f32 };
    (void)state;
    for (int e = 0; e < 2; e++) {
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
        cmocka_unit_test(rmsnorm_rejects), cmocka_unit_test(layernorm_rejects),
        cmocka_unit_test(norms_by_hand),   cmocka_unit_test(binary_rejects),
        cmocka_unit_test(binary_in_place), cmocka_unit_test(limits_of_activations),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
