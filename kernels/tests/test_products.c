/* SPDX-License-Identifier: MIT */
/* Products with activations and of 16-bit operands: contracts of the public entries, vectors worked out by hand, and what their
 * strict bits have in common with those of other ops. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ck_ops.h"
#include "gemm.h"

/* Operands of rejected calls, which change no byte. */
static union {
    unsigned char bytes[4096];
    float floats[1024];
} arena, before;

static void expect(ck_status got, ck_status want)
{
    assert_string_equal(ck_status_text(got), ck_status_text(want));
    assert_memory_equal(arena.bytes, before.bytes, sizeof before);
}

static void fill_arena(void)
{
    for (size_t i = 0; i < sizeof arena.bytes; i++) arena.bytes[i] = (unsigned char)(37 * i + 11);
    before = arena;
}

typedef ck_status act_entry(const ck_gemm_act_args *args);
static act_entry *const entries[] = { ck_gemm_nt_relu_f32, ck_gemm_nt_silu_f32,
                                      ck_gemm_nt_gelu_f32 };
enum { RELU, SILU, GELU, ENTRIES };

/* 2 x 3 outputs of k = 4. */
static ck_gemm_act_args good_act(void)
{
    float *f = arena.floats;
    return (ck_gemm_act_args){ f, f + 64, f + 128, f + 192, 2, 3, 4, 3, 4, 4 };
}

static void act_entries_reject(void **state)
{
    ck_gemm_act_args g;
    (void)state;
    fill_arena();
    for (int i = 0; i < ENTRIES; i++) {
        act_entry *const call = entries[i];
        expect(call(NULL), CK_ERR_NULL);
        g = good_act(), g.y = NULL, expect(call(&g), CK_ERR_NULL);
        g = good_act(), g.a = NULL, expect(call(&g), CK_ERR_NULL);
        g = good_act(), g.b = NULL, expect(call(&g), CK_ERR_NULL);
        g = good_act(), g.ldy = 2, expect(call(&g), CK_ERR_SHAPE);
        g = good_act(), g.lda = 3, expect(call(&g), CK_ERR_SHAPE);
        g = good_act(), g.ldb = 3, expect(call(&g), CK_ERR_SHAPE);
        g = good_act(), g.m = SIZE_MAX / 4, expect(call(&g), CK_ERR_SHAPE);
        g = good_act(), g.a = g.y + 5, expect(call(&g), CK_ERR_ALIAS);
        g = good_act(), g.b = g.y + 5, expect(call(&g), CK_ERR_ALIAS);
        g = good_act(), g.bias = g.y + 5, expect(call(&g), CK_ERR_ALIAS);
        g = good_act(), g.m = 0, g.y = NULL, expect(call(&g), CK_OK);
    }
}

static ck_gemm_glu_args good_glu(void)
{
    float *f = arena.floats;
    return (ck_gemm_glu_args){ f, f + 64, f + 128, f + 192, f + 256, f + 320, 2, 3, 4, 3, 4, 4, 4 };
}

static void swiglu_rejects(void **state)
{
    ck_gemm_glu_args g;
    (void)state;
    fill_arena();
    expect(ck_gemm_nt_swiglu_f32(NULL), CK_ERR_NULL);
    g = good_glu(), g.y = NULL, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_NULL);
    g = good_glu(), g.b = NULL, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_NULL);
    g = good_glu(), g.d = NULL, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_NULL);
    g = good_glu(), g.ldb = 3, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_SHAPE);
    g = good_glu(), g.ldd = 3, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_SHAPE);
    g = good_glu(), g.d = g.y + 5, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_ALIAS);
    g = good_glu(), g.bias_b = g.y + 5, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_ALIAS);
    g = good_glu(), g.bias_d = g.y + 5, expect(ck_gemm_nt_swiglu_f32(&g), CK_ERR_ALIAS);
    g = good_glu(), g.n = 0, g.d = NULL, expect(ck_gemm_nt_swiglu_f32(&g), CK_OK);
}

/* act of some x by a product of one term, 1 x. */
static void apply(act_entry *entry, const float *x, float *y, size_t n)
{
    const float one = 1.0f;
    assert_int_equal(entry(&(ck_gemm_act_args){ y, &one, x, NULL, 1, n, 1, n, 1, 1 }), CK_OK);
}

/* Of their definitions, in double. */
static void activation_vectors(void)
{
    const float x[] = { 0, 1, -1, 3, -200, INFINITY, -INFINITY, NAN, 200 };
    const double want[ENTRIES][9] = {
        { 0, 1, 0, 3, 0, INFINITY, 0, NAN, 200 },
        { 0, 0.731058578630004879, -0.268941421369995121, 2.85772238046729982, 0, INFINITY, 0, NAN,
          200 },
        { 0, 0.841191990608276705, -0.158808009391723295, 2.99636260791822699, 0, INFINITY, 0, NAN,
          200 },
    };
    float y[9];
    for (int i = 0; i < ENTRIES; i++) {
        apply(entries[i], x, y, 9);
        for (int j = 0; j < 9; j++) {
            const double v = want[i][j];
            if (isnan(v))
                assert_true(isnan(y[j]));
            else if (isinf(v) || v == 0)
                assert_true((double)y[j] == v);
            else
                assert_true(fabs((double)y[j] - v) <= 4e-7 * fabs(v));
        }
    }
}

static void swiglu_vectors(void)
{
    /* a = (1, 2); gates 1, -300; factors 3 - 0.5, 2 */
    const float a[] = { 1, 2 }, b[] = { -1, 1, -100, -100 }, d[] = { 1, 1, 2, 0 };
    const float bias_d[] = { -0.5f, 0 };
    float y[2];
    assert_int_equal(
        ck_gemm_nt_swiglu_f32(&(ck_gemm_glu_args){ y, a, b, d, NULL, bias_d, 1, 2, 2, 2, 2, 2, 2 }),
        CK_OK);
    assert_true(fabs((double)y[0] - 2.5 * 0.731058578630004879) < 1e-6 && y[1] == 0);
}

static void vectors_hold_in_both_modes(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        activation_vectors();
        swiglu_vectors();
    }
    ck_set_strict_parity(0);
}

typedef ck_status half_entry(const ck_gemm_h_args *args);
static half_entry *const halves[] = { ck_gemm_nt_bf16_bf16_f32, ck_gemm_nt_bf16_bf16_bf16,
                                      ck_gemm_nt_f16_f16_f32, ck_gemm_nt_f16_f16_f16 };
enum { HALVES = 4 };

/* 2 x 3 outputs of k = 4: operands at odd addresses. */
static ck_gemm_h_args good_half(void)
{
    unsigned char *p = arena.bytes;
    return (ck_gemm_h_args){ p, p + 257, p + 513, arena.floats + 256, 2, 3, 4, 3, 4, 4 };
}

static void half_entries_reject(void **state)
{
    ck_gemm_h_args g;
    (void)state;
    fill_arena();
    for (int i = 0; i < HALVES; i++) {
        half_entry *const call = halves[i];
        const size_t size = i % 2 ? 2 : 4; /* of an output */
        expect(call(NULL), CK_ERR_NULL);
        g = good_half(), g.y = NULL, expect(call(&g), CK_ERR_NULL);
        g = good_half(), g.a = NULL, expect(call(&g), CK_ERR_NULL);
        g = good_half(), g.b = NULL, expect(call(&g), CK_ERR_NULL);
        g = good_half(), g.ldy = 2, expect(call(&g), CK_ERR_SHAPE);
        g = good_half(), g.lda = 3, expect(call(&g), CK_ERR_SHAPE);
        g = good_half(), g.ldb = 3, expect(call(&g), CK_ERR_SHAPE);
        g = good_half(), g.n = SIZE_MAX / 3, expect(call(&g), CK_ERR_SHAPE);
        g = good_half(), g.a = arena.bytes + 6 * size - 1, expect(call(&g), CK_ERR_ALIAS);
        g = good_half(), g.b = arena.bytes + 1, expect(call(&g), CK_ERR_ALIAS);
        g = good_half(), g.bias = arena.floats, expect(call(&g), CK_ERR_ALIAS);
        g = good_half(), g.m = 0, g.y = NULL, expect(call(&g), CK_OK);
    }
}

/* Four products of one term, 1 b + bias, which lie on either side of ties and of the largest number; the last is
 * subnormal, and avx512bf16's instructions lose it in fast mode (CK_NUM_DAZ). */
static void half_vectors(void)
{
    const size_t n = ck_strict_parity() ? 4 : 3;
    static const uint16_t half_one[] = { 0x3c00 }, brain_one[] = { 0x3f80 };
    static const uint16_t half_b[] = { 0x3c00, 0x3c01, 0x7bff, 0x0001 };
    static const float half_bias[] = { 0x1p-11f, 0x1p-11f, 16, 0x1p-25f };
    static const uint16_t half_y[] = { 0x3c00, 0x3c02, 0x7c00, 0x0002 };
    static const uint16_t brain_b[] = { 0x3f80, 0x3f81, 0x7f7f, 0x0001 };
    static const float brain_bias[] = { 0x1p-8f, 0x1p-8f, 0x1p119f, 0x1p-134f };
    static const uint16_t brain_y[] = { 0x3f80, 0x3f82, 0x7f80, 0x0002 };
    uint16_t y[4];
    assert_int_equal(ck_gemm_nt_f16_f16_f16(
                         &(ck_gemm_h_args){ y, half_one, half_b, half_bias, 1, 4, 1, 4, 1, 1 }),
                     CK_OK);
    assert_memory_equal(y, half_y, sizeof y);
    assert_int_equal(ck_gemm_nt_bf16_bf16_bf16(
                         &(ck_gemm_h_args){ y, brain_one, brain_b, brain_bias, 1, n, 1, n, 1, 1 }),
                     CK_OK);
    assert_memory_equal(y, brain_y, n * sizeof *y);
}

/* A strict result is rounded once: 1 + 2^-11 + 2^-30 is no tie, though as a float it is one. */
static void strict_halves_are_rounded_once(void)
{
    static const uint16_t a[] = { 0x3c00, 0x1000, 0x0200 }, b[] = { 0x3c00, 0x3c00, 0x0200 };
    static const uint16_t want = 0x3c01; /* 1 + 2^-11 + 2^-30 */
    uint16_t y;
    assert_int_equal(ck_gemm_nt_f16_f16_f16(&(ck_gemm_h_args){ &y, a, b, NULL, 1, 1, 3, 1, 3, 3 }),
                     CK_OK);
    assert_int_equal(y, want);
}

static void halves_hold_in_both_modes(void **state)
{
    (void)state;
    half_vectors();
    ck_set_strict_parity(1);
    half_vectors();
    strict_halves_are_rounded_once();
    ck_set_strict_parity(0);
}

/* relu rounds nothing: it is the product itself where that is positive, in both modes. */
static void relu_is_the_product_clamped(void **state)
{
    enum { M = 3, N = 5, K = 37 };
    float a[M * K], b[N * K], plain[M * N], y[M * N];
    (void)state;
    for (size_t i = 0; i < M * K; i++) a[i] = 1.0f / ((float)(7 * i % 31) - 15.5f);
    for (size_t i = 0; i < N * K; i++) b[i] = 1.0f / ((float)(5 * i % 29) - 14.5f);
    for (int strict = 0; strict < 2; strict++) {
        ck_set_strict_parity(strict);
        assert_int_equal(
            ck_gemm_nt_f32(&(ck_gemm_args){ plain, a, b, NULL, NULL, M, N, K, N, K, K, 0, 1, 0 }),
            CK_OK);
        assert_int_equal(
            ck_gemm_nt_relu_f32(&(ck_gemm_act_args){ y, a, b, NULL, M, N, K, N, K, K }), CK_OK);
        for (size_t i = 0; i < M * N; i++) assert_true(y[i] == fmaxf(plain[i], 0));
    }
    ck_set_strict_parity(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(act_entries_reject),         cmocka_unit_test(swiglu_rejects),
        cmocka_unit_test(vectors_hold_in_both_modes), cmocka_unit_test(relu_is_the_product_clamped),
        cmocka_unit_test(half_entries_reject),        cmocka_unit_test(halves_hold_in_both_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
