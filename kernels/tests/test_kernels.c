/* SPDX-License-Identifier: MIT */
/* Contract tests of the public entries, of dispatch, strict mode and CK_ISA_MAX; hand-made vectors.
 * Values at large are the harness's business. Run as `test_kernels --report`, it prints what a
 * process with this CK_ISA_MAX sees. */
#define _POSIX_C_SOURCE 200809L
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "ck_dtype.h"
#include "ck_ops.h"
#include "f16.h"
#include "gemm.h"
#include "quant.h"
#include "softmax.h"
#include "unary.h"

static const char *const stems[] = {
#define CK_OP(family, op, dtype) #op "_" #dtype,
#define CK_KERNEL(family, op, dtype, isa)
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};
enum { STEMS = sizeof stems / sizeof *stems };

/* All operands of the rejection tests lie in here; a rejected call changes no byte of it. */
enum { ARENA = 4096 };
static union {
    unsigned char bytes[ARENA];
    float floats[ARENA / sizeof(float)];
} arena, before;

static void fill_arena(void)
{
    for (size_t i = 0; i < ARENA; i++) arena.bytes[i] = (unsigned char)(37 * i + 11);
    before = arena;
}

static void expect(ck_status got, ck_status want)
{
    assert_string_equal(ck_status_text(got), ck_status_text(want));
    assert_memory_equal(arena.bytes, before.bytes, ARENA);
}

/* Masks with which one bundle after the other is the best; calls `test` under each. */
static void under_each_mask(void (*test)(void))
{
    const unsigned all = ck_isa_mask();

    for (unsigned isa = 0; isa < CK_ISA_COUNT; isa++) {
        if (!(all >> isa & 1)) continue;
        ck_isa_set_mask(1u << isa | 1u);
        test();
    }
    ck_isa_set_mask(all);
}

static void status_texts_differ(void **state)
{
    (void)state;
    for (int i = CK_OK; i <= CK_ERR_ISA; i++)
        for (int j = CK_OK; j < i; j++)
            assert_string_not_equal(ck_status_text((ck_status)i), ck_status_text((ck_status)j));
    assert_non_null(ck_status_text((ck_status)99));
}

/* 2 x 3 outputs, k = 4. y at 0, a at 64, b at 128, c at 192, bias at 256, in floats. */
static ck_gemm_args good_gemm(void)
{
    float *const f = arena.floats;

    return (ck_gemm_args){ .y = f,
                           .a = f + 64,
                           .b = f + 128,
                           .c = f + 192,
                           .bias = f + 256,
                           .m = 2,
                           .n = 3,
                           .k = 4,
                           .ldy = 3,
                           .lda = 4,
                           .ldb = 4,
                           .ldc = 3,
                           .alpha = 1,
                           .beta = 1 };
}

static void gemm_f32_rejects(void **state)
{
    (void)state;
    ck_gemm_args g;

    fill_arena();
    expect(ck_gemm_nt_f32(NULL), CK_ERR_NULL);
    g = good_gemm(), g.y = NULL, expect(ck_gemm_nt_f32(&g), CK_ERR_NULL);
    g = good_gemm(), g.a = NULL, expect(ck_gemm_nt_f32(&g), CK_ERR_NULL);
    g = good_gemm(), g.b = NULL, expect(ck_gemm_nt_f32(&g), CK_ERR_NULL);
    g = good_gemm(), g.c = NULL, expect(ck_gemm_nt_f32(&g), CK_ERR_NULL);
    g = good_gemm(), g.c = NULL, g.beta = NAN, expect(ck_gemm_nt_f32(&g), CK_ERR_NULL);
    g = good_gemm(), g.ldy = 2, expect(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = good_gemm(), g.lda = 3, expect(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = good_gemm(), g.ldb = 3, expect(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = good_gemm(), g.ldc = 2, expect(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = good_gemm(), g.m = SIZE_MAX / 2, expect(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = good_gemm(), g.ldb = SIZE_MAX / 4, expect(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = good_gemm(), g.a = g.y + 5, expect(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g = good_gemm(), g.b = g.y, expect(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g = good_gemm(), g.y = arena.floats + 139, expect(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g = good_gemm(), g.bias = g.y + 1, expect(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g = good_gemm(), g.c = g.y + 1, expect(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g = good_gemm(), g.c = g.y, g.ldc = 4, expect(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    g = good_gemm(), expect(ck_gemm_nt_f32(&g), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good_gemm(), g.m = 0, g.y = NULL, expect(ck_gemm_nt_f32(&g), CK_OK);
    g = good_gemm(), g.n = 0, g.a = NULL, expect(ck_gemm_nt_f32(&g), CK_OK);
}

static void gemm_f32_small_product(void)
{
    const float a[] = { 1, 2, 3, 4 }, b[] = { 1, 0, 0, 1, 1, 1 }, bias[] = { 10, 20, 30 };
    const float want[] = {
        2 + 1 + 10, 4 + 1 + 20, 6 + 1 + 30, 6 + 1 + 10, 8 + 1 + 20, 14 + 1 + 30
    };
    float y[] = { 1, 1, 1, 1, 1, 1 };
    ck_gemm_args g = { y, a, b, y, bias, 2, 3, 2, 3, 2, 2, 3, 2, 1 };

    assert_int_equal(ck_gemm_nt_f32(&g), CK_OK); /* y is c itself */
    assert_memory_equal(y, want, sizeof y);
    g.k = 0, g.a = g.b = g.c = g.bias = NULL, g.beta = 0;
    assert_int_equal(ck_gemm_nt_f32(&g), CK_OK);
    for (int i = 0; i < 6; i++) assert_int_equal(f32_bits(y[i]), 0);
}

typedef ck_status gemm_entry(const ck_gemm_args *args);

/* 2 x 3 outputs, k = 4; b has 4 rows of 3 columns, a rows of lda. */
static void rejects_b_down(gemm_entry *entry, size_t lda)
{
    ck_gemm_args good = good_gemm(), g;

    good.lda = lda, good.ldb = 3;
    fill_arena();
    expect(entry(NULL), CK_ERR_NULL);
    g = good, g.y = NULL, expect(entry(&g), CK_ERR_NULL);
    g = good, g.a = NULL, expect(entry(&g), CK_ERR_NULL);
    g = good, g.b = NULL, expect(entry(&g), CK_ERR_NULL);
    g = good, g.c = NULL, expect(entry(&g), CK_ERR_NULL);
    g = good, g.lda = lda - 1, expect(entry(&g), CK_ERR_SHAPE);
    g = good, g.ldb = 2, expect(entry(&g), CK_ERR_SHAPE);
    g = good, g.ldy = 2, expect(entry(&g), CK_ERR_SHAPE);
    g = good, g.ldc = 2, expect(entry(&g), CK_ERR_SHAPE);
    g = good, g.k = SIZE_MAX / 8, g.lda = g.k, expect(entry(&g), CK_ERR_SHAPE);
    g = good, g.b = g.y + 5, expect(entry(&g), CK_ERR_ALIAS);
    g = good, g.b = g.y - 11, g.y += 64, g.b += 64, expect(entry(&g), CK_ERR_ALIAS);
    g = good, g.a = g.y, expect(entry(&g), CK_ERR_ALIAS);
    g = good, g.y = arena.floats + 64 + 7, expect(entry(&g), CK_ERR_ALIAS);
    g = good, g.bias = g.y, expect(entry(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    expect(entry(&good), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good, g.m = 0, g.y = NULL, expect(entry(&g), CK_OK);
}

static void gemm_nn_and_tn_reject(void **state)
{
    (void)state;
    rejects_b_down(ck_gemm_nn_f32, 4);
    rejects_b_down(ck_gemm_tn_f32, 2);
}

static void gemv_rejects(void **state)
{
    (void)state;
    float *const f = arena.floats;
    const ck_gemv_args good = { .y = f,
                                .x = f + 64,
                                .b = f + 128,
                                .c = f + 192,
                                .bias = f + 256,
                                .n = 3,
                                .k = 4,
                                .ldb = 4,
                                .alpha = 1,
                                .beta = 1 };
    ck_gemv_args g;

    fill_arena();
    expect(ck_gemv_f32(NULL), CK_ERR_NULL);
    g = good, g.y = NULL, expect(ck_gemv_f32(&g), CK_ERR_NULL);
    g = good, g.x = NULL, expect(ck_gemv_f32(&g), CK_ERR_NULL);
    g = good, g.b = NULL, expect(ck_gemv_f32(&g), CK_ERR_NULL);
    g = good, g.c = NULL, expect(ck_gemv_f32(&g), CK_ERR_NULL);
    g = good, g.ldb = 3, expect(ck_gemv_f32(&g), CK_ERR_SHAPE);
    g = good, g.n = SIZE_MAX / 8, expect(ck_gemv_f32(&g), CK_ERR_SHAPE);
    g = good, g.x = g.y + 2, expect(ck_gemv_f32(&g), CK_ERR_ALIAS);
    g = good, g.y = f + 139, expect(ck_gemv_f32(&g), CK_ERR_ALIAS);
    g = good, g.bias = g.y, expect(ck_gemv_f32(&g), CK_ERR_ALIAS);
    g = good, g.c = g.y + 1, expect(ck_gemv_f32(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    expect(ck_gemv_f32(&good), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good, g.n = 0, g.y = NULL, expect(ck_gemv_f32(&g), CK_OK);
}

/* What gemm_f32_small_product has, with a and b lying otherwise; dW += dY^T X is the last. */
static void gemm_f32_other_products(void)
{
    const float a[] = { 1, 2, 3, 4 }, a_down[] = { 1, 3, 2, 4 }, bias[] = { 10, 20, 30 };
    const float b[] = { 1, 0, 0, 1, 1, 1 }, b_down[] = { 1, 0, 1, 0, 1, 1 };
    const float want[] = {
        2 + 1 + 10, 4 + 1 + 20, 6 + 1 + 30, 6 + 1 + 10, 8 + 1 + 20, 14 + 1 + 30
    };
    float y[] = { 1, 1, 1, 1, 1, 1 }, z[] = { 1, 1, 1 };
    ck_gemm_args g = { y, a, b_down, y, bias, 2, 3, 2, 3, 2, 3, 3, 2, 1 };
    const ck_gemv_args v = { z, a, b, z, bias, 3, 2, 2, 2, 1 };

    assert_int_equal(ck_gemm_nn_f32(&g), CK_OK);
    assert_memory_equal(y, want, sizeof y);
    for (int i = 0; i < 6; i++) y[i] = 1;
    g.a = a_down;
    assert_int_equal(ck_gemm_tn_f32(&g), CK_OK);
    assert_memory_equal(y, want, sizeof y);
    assert_int_equal(ck_gemv_f32(&v), CK_OK);
    assert_memory_equal(z, want, sizeof z);
    g.k = 0, g.a = g.b = NULL, g.alpha = g.beta = 1, g.bias = NULL;
    assert_int_equal(ck_gemm_tn_f32(&g), CK_OK); /* no token: no change */
    assert_memory_equal(y, want, sizeof y);
}

/* Strict: a vector product is a row of a matrix product, for any length of the tail. */
static void strict_gemv_is_a_row_of_gemm_nt(void **state)
{
    (void)state;
    float x[40], b[3 * 40], row[3], y[3];

    for (int i = 0; i < 40; i++) x[i] = 1.0f / (float)(i + 3);
    for (int i = 0; i < 120; i++) b[i] = 1.0f / (float)(7 - 2 * i);
    ck_set_strict_parity(1);
    for (size_t k = 0; k <= 40; k++) {
        const ck_gemv_args v = { y, x, b, NULL, NULL, 3, k, 40, 0.1f, 0 };
        const ck_gemm_args g = { row, x, b, NULL, NULL, 1, 3, k, 3, 40, 40, 0, 0.1f, 0 };
        assert_int_equal(ck_gemv_f32(&v), CK_OK);
        assert_int_equal(ck_gemm_nt_f32(&g), CK_OK);
        assert_memory_equal(y, row, sizeof y);
    }
    ck_set_strict_parity(0);
}

/* Columns of one matrix: y between a's rows, sharing no element. */
static void gemm_f32_takes_interleaved_rows(void **state)
{
    (void)state;
    float big[2][5] = { { 1, 2, 0, 0, 9 }, { 3, 4, 0, 0, 9 } };
    const float b[] = { 1, 0, 0, 1 };
    ck_gemm_args g = { .y = &big[0][2],
                       .a = big[0],
                       .b = b,
                       .m = 2,
                       .n = 2,
                       .k = 2,
                       .ldy = 5,
                       .lda = 5,
                       .ldb = 2,
                       .alpha = 1 };

    assert_int_equal(ck_gemm_nt_f32(&g), CK_OK);
    assert_true(big[0][2] == 1 && big[0][3] == 2 && big[1][2] == 3 && big[1][3] == 4);
    assert_true(big[0][4] == 9 && big[1][4] == 9);
    g.y = &big[0][1];
    assert_int_equal(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g.y = &big[0][4]; /* its second column is the first of the next row of a */
    assert_int_equal(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
}

/* 2 x 2 outputs, k = 64. y at 0, a at 256, b at 512, bias at 1024, in bytes. */
static ck_gemm_q_args good_gemm_q(void)
{
    return (ck_gemm_q_args){ .y = arena.floats,
                             .a = arena.bytes + 257,
                             .b = arena.bytes + 513,
                             .bias = arena.floats + 256,
                             .m = 2,
                             .n = 2,
                             .k = 64,
                             .ldy = 2,
                             .lda = 2,
                             .ldb = 2 };
}

static void gemm_q_rejects(void **state)
{
    (void)state;
    ck_gemm_q_args g;

    fill_arena();
    expect(ck_gemm_nt_q8_0_q8_0(NULL), CK_ERR_NULL);
    g = good_gemm_q(), g.y = NULL, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_NULL);
    g = good_gemm_q(), g.a = NULL, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_NULL);
    g = good_gemm_q(), g.b = NULL, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_NULL);
    g = good_gemm_q(), g.k = 63, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_MULTIPLE);
    g = good_gemm_q(), g.ldy = 1, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_SHAPE);
    g = good_gemm_q(), g.lda = 1, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_SHAPE);
    g = good_gemm_q(), g.ldb = 1, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_SHAPE);
    g = good_gemm_q(), g.lda = SIZE_MAX / 34, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_SHAPE);
    g = good_gemm_q(), g.n = SIZE_MAX - 1, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_SHAPE);
    g = good_gemm_q(), g.a = arena.bytes + 15, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_ALIAS);
    g = good_gemm_q(), g.b = arena.bytes, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_ALIAS);
    g = good_gemm_q(), g.bias = g.y + 3, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    g = good_gemm_q(), expect(ck_gemm_nt_q8_0_q8_0(&g), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    g = good_gemm_q(), g.m = 0, g.k = 1, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_OK);
    g = good_gemm_q(), g.n = 0, g.y = NULL, expect(ck_gemm_nt_q8_0_q8_0(&g), CK_OK);
    /* The byte after y is a's first: no overlap. */
    g = good_gemm_q(), g.a = arena.bytes + 16;
    assert_int_equal(ck_gemm_nt_q8_0_q8_0(&g), CK_OK);
}

static ck_softmax_args good_softmax(void)
{
    return (ck_softmax_args){ arena.floats, arena.floats + 256, 2, 3, 4, 5, 3 };
}

static void softmax_rejects(void **state)
{
    (void)state;
    ck_softmax_args s;

    fill_arena();
    expect(ck_softmax_causal_f32(NULL), CK_ERR_NULL);
    s = good_softmax(), s.y = NULL, expect(ck_softmax_causal_f32(&s), CK_ERR_NULL);
    s = good_softmax(), s.x = NULL, expect(ck_softmax_causal_f32(&s), CK_ERR_NULL);
    s = good_softmax(), s.cols = 2, expect(ck_softmax_causal_f32(&s), CK_ERR_SHAPE);
    s = good_softmax(), s.ldy = 3, expect(ck_softmax_causal_f32(&s), CK_ERR_SHAPE);
    s = good_softmax(), s.ldx = 2, expect(ck_softmax_causal_f32(&s), CK_ERR_SHAPE);
    s = good_softmax(), s.heads = SIZE_MAX / 2, expect(ck_softmax_causal_f32(&s), CK_ERR_SHAPE);
    s = good_softmax(), s.heads = SIZE_MAX / 36, expect(ck_softmax_causal_f32(&s), CK_ERR_SHAPE);
    s = good_softmax(), s.x = s.y + 1, expect(ck_softmax_causal_f32(&s), CK_ERR_ALIAS);
    s = good_softmax(), s.x = s.y, expect(ck_softmax_causal_f32(&s), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    s = good_softmax(), expect(ck_softmax_causal_f32(&s), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    s = good_softmax(), s.heads = 0, s.y = NULL, expect(ck_softmax_causal_f32(&s), CK_OK);
    s = good_softmax(), s.t = 0, s.x = NULL, expect(ck_softmax_causal_f32(&s), CK_OK);
}

static void softmax_in_place(void)
{
    float x[] = { 7, 99, 99, -1, -1, 99 };
    const float want[] = { 1, 0, 0, 0.5f, 0.5f, 0 };
    const ck_softmax_args s = { x, x, 1, 2, 3, 3, 3 };

    assert_int_equal(ck_softmax_causal_f32(&s), CK_OK);
    assert_memory_equal(x, want, sizeof x);
}

static void exp_rejects(void **state)
{
    (void)state;
    float *const f = arena.floats;

    fill_arena();
    expect(ck_exp_f32(NULL), CK_ERR_NULL);
    expect(ck_exp_f32(&(ck_unary_args){ NULL, f, 5 }), CK_ERR_NULL);
    expect(ck_exp_f32(&(ck_unary_args){ f, NULL, 5 }), CK_ERR_NULL);
    expect(ck_exp_f32(&(ck_unary_args){ f, f + 64, SIZE_MAX / 4 }), CK_ERR_SHAPE);
    expect(ck_exp_f32(&(ck_unary_args){ f, f + 4, 5 }), CK_ERR_ALIAS);
    expect(ck_exp_f32(&(ck_unary_args){ f + 4, f, 5 }), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    expect(ck_exp_f32(&(ck_unary_args){ f, f + 64, 5 }), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    expect(ck_exp_f32(&(ck_unary_args){ NULL, NULL, 0 }), CK_OK);
}

static void exp_in_place(void)
{
    float x[] = { 0, -INFINITY, INFINITY, -0.0f, 1000, -1000 };
    const float want[] = { 1, 0, INFINITY, 1, INFINITY, 0 };

    assert_int_equal(ck_exp_f32(&(ck_unary_args){ x, x, 6 }), CK_OK);
    assert_memory_equal(x, want, sizeof x);
}

static void rows_reject(void **state)
{
    (void)state;
    float *const f = arena.floats;
    unsigned char *const q = arena.bytes + 1025;

    fill_arena();
    expect(ck_quantize_row_q8_0(NULL), CK_ERR_NULL);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ NULL, f, 32 }), CK_ERR_NULL);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ q, NULL, 32 }), CK_ERR_NULL);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ q, f, 33 }), CK_ERR_MULTIPLE);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ q, f, SIZE_MAX - 31 }), CK_ERR_SHAPE);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ f, f, 32 }), CK_ERR_ALIAS);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ q, f + 225, 32 }), CK_ERR_ALIAS);
    expect(ck_dequant_row_q8_0(NULL), CK_ERR_NULL);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ NULL, q, 32 }), CK_ERR_NULL);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ f, NULL, 32 }), CK_ERR_NULL);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ f, q, 31 }), CK_ERR_MULTIPLE);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ f, q, SIZE_MAX - 31 }), CK_ERR_SHAPE);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ f, arena.bytes + 127, 32 }), CK_ERR_ALIAS);
    ck_isa_set_mask(0);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ q, f, 32 }), CK_ERR_ISA);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ f, q, 32 }), CK_ERR_ISA);
    ck_isa_set_mask(~0u);
    expect(ck_quantize_row_q8_0(&(ck_quantize_args){ NULL, NULL, 0 }), CK_OK);
    expect(ck_dequant_row_q8_0(&(ck_dequant_args){ NULL, NULL, 0 }), CK_OK);
}

static void set_block(unsigned char *block, unsigned d, const int8_t codes[CK_Q8_0_BLOCK])
{
    block[0] = (unsigned char)d;
    block[1] = (unsigned char)(d >> 8);
    memcpy(block + 2, codes, CK_Q8_0_BLOCK);
}

static void f16_vectors(void **state)
{
    (void)state;
    assert_true(f16_to_f32(0x0001) == 0x1p-24f && f16_to_f32(0x8001) == -0x1p-24f);
    assert_true(f16_to_f32(0x03ff) == 0x3ffp-24f && f16_to_f32(0x0400) == 0x1p-14f);
    assert_true(f16_to_f32(0x3c00) == 1 && f16_to_f32(0xfbff) == -65504);
    assert_true(f16_to_f32(0x7c00) == INFINITY && f16_to_f32(0xfc00) == -INFINITY);
    assert_int_equal(f32_bits(f16_to_f32(0x8000)), 0x80000000);
    assert_int_equal(f32_bits(f16_to_f32(0x7e00)), 0x7fc00000);
    assert_int_equal(f32_bits(f16_to_f32(0xfc01)), 0xffc02000);
    assert_int_equal(f16_of_f32(1.0009f), 0x3c01);
    assert_int_equal(f16_of_f32(65519.996f), 0x7bff);
    assert_int_equal(f16_of_f32(65520), 0x7c00);
    assert_int_equal(f16_of_f32(0x1p-25f), 0x0000); /* ties to even */
    assert_int_equal(f16_of_f32(0x3p-25f), 0x0002);
    assert_int_equal(f16_of_f32(0x1.000002p-25f), 0x0001);
    assert_int_equal(f16_of_f32(-0x1.ffep-15f), 0x8400); /* rounds up to the least normal */
    assert_int_equal(f16_of_f32(NAN) & 0x7e00, 0x7e00);
    assert_int_equal(f16_of_f32(f32_of_bits(0x7f800001)) & 0x7e00, 0x7e00);
}

static void every_half_comes_back(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 0x10000; h++) {
        const unsigned nan = (h & 0x7fff) > 0x7c00 ? 0x0200 : 0;
        assert_int_equal(f16_of_f32(f16_to_f32((uint16_t)h)), h | nan);
    }
}

static void quantize_vectors(void)
{
    float x[2 * CK_Q8_0_BLOCK] = { 127, -127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0, -0.0f, 3 };
    int8_t codes[CK_Q8_0_BLOCK] = { 127, -127, 0, 2, 2, 0, -2, -2, 0, 0, 3 };
    unsigned char want[2 * CK_Q8_0_BYTES], got[2 * CK_Q8_0_BYTES + 1];
    const ck_quantize_args args = { got + 1, x, 2 * CK_Q8_0_BLOCK };

    set_block(want, 0x3c00, codes);
    memset(codes, 0, sizeof codes);
    codes[31] = -127;
    x[63] = -0x1.fcp-17f; /* 127 * 2^-23: d = 2^-23 is subnormal in f16 */
    set_block(want + CK_Q8_0_BYTES, 0x0002, codes);
    assert_int_equal(ck_quantize_row_q8_0(&args), CK_OK);
    assert_memory_equal(got + 1, want, sizeof want);
}

/* A block of zeros but for `value`: its scale bits and the code of the value. */
static void lone(float value, unsigned d, int code)
{
    float x[CK_Q8_0_BLOCK] = { 0 };
    int8_t codes[CK_Q8_0_BLOCK] = { 0 };
    unsigned char want[CK_Q8_0_BYTES], got[CK_Q8_0_BYTES];

    x[17] = value;
    codes[17] = (int8_t)code;
    set_block(want, d, codes);
    assert_int_equal(ck_quantize_row_q8_0(&(ck_quantize_args){ got, x, CK_Q8_0_BLOCK }), CK_OK);
    assert_memory_equal(got, want, sizeof want);
}

static void quantize_special_blocks(void)
{
    lone(0, 0, 0);
    lone(NAN, 0x7e00, 0);
    lone(-NAN, 0x7e00, 0);
    lone(INFINITY, 0x7e00, 0);
    lone(-INFINITY, 0x7e00, 0);
    lone(0x1p-127f, 0, 0);
    lone(-0x1p-120f, 0, -127);
    lone(127 * 0x1p-25f, 0, 127); /* d ties to 0 */
    lone(127 * 0x1.8p-25f, 1, 127);
    lone(127 * 65504.0f, 0x7bff, 127);
    lone(127 * 65520.0f, 0x7c00, 127);
    lone(-0x1.fffffep127f, 0x7c00, -127);
}

static void dequant_vectors(void)
{
    int8_t codes[CK_Q8_0_BLOCK] = { -128, 127, 1, 0, -1 };
    unsigned char x[3 * CK_Q8_0_BYTES + 1];
    float y[3 * CK_Q8_0_BLOCK];
    const ck_dequant_args args = { y, x + 1, 3 * CK_Q8_0_BLOCK };

    set_block(x + 1, 0xb800, codes);                     /* -0.5 */
    set_block(x + 1 + CK_Q8_0_BYTES, 0x0001, codes);     /* 2^-24 */
    set_block(x + 1 + 2 * CK_Q8_0_BYTES, 0x7c00, codes); /* infinity */
    assert_int_equal(ck_dequant_row_q8_0(&args), CK_OK);
    assert_true(y[0] == 64 && y[1] == -63.5f && y[2] == -0.5f && y[4] == 0.5f);
    assert_int_equal(f32_bits(y[3]), 0x80000000);
    assert_true(y[32] == -0x1p-17f && y[33] == 127 * 0x1p-24f && y[34] == 0x1p-24f);
    assert_int_equal(f32_bits(y[35]), 0);
    assert_true(y[64] == -INFINITY && y[65] == INFINITY && y[68] == -INFINITY);
    assert_int_equal(f32_bits(y[67]), 0x7fc00000); /* infinity times 0 */
}

/* Row of `blocks` equal blocks times another: d_a d_b I blocks + bias, all exact. */
static void gemm_q_rows(size_t blocks, int code_a, int code_b)
{
    unsigned char a[40 * CK_Q8_0_BYTES + 3], b[40 * CK_Q8_0_BYTES + 1];
    int8_t qa[CK_Q8_0_BLOCK], qb[CK_Q8_0_BLOCK];
    const float bias = 0.25f;
    float y = -1;

    memset(qa, code_a, sizeof qa);
    memset(qb, code_b, sizeof qb);
    for (size_t l = 0; l < blocks; l++) {
        set_block(a + 3 + l * CK_Q8_0_BYTES, 0x3800, qa); /* 0.5 */
        set_block(b + 1 + l * CK_Q8_0_BYTES, 0xb400, qb); /* -0.25 */
    }
    const ck_gemm_q_args g = { &y, a + 3,  b + 1, &bias, 1, 1, blocks * CK_Q8_0_BLOCK,
                               1,  blocks, blocks };
    assert_int_equal(ck_gemm_nt_q8_0_q8_0(&g), CK_OK);
    assert_true(y == -4.0f * (float)(code_a * code_b) * (float)blocks + bias);
}

static void gemm_q_empty_sums(void)
{
    float y[4] = { 1, 1, 1, 1 };
    const float bias[] = { 3, -4 }, want[] = { 3, -4, 3, -4 };
    const ck_gemm_q_args g = { y, NULL, NULL, bias, 2, 2, 0, 2, 7, 7 };

    assert_int_equal(ck_gemm_nt_q8_0_q8_0(&g), CK_OK);
    assert_memory_equal(y, want, sizeof y);
}

static void gemm_q_vectors(void)
{
    gemm_q_empty_sums();
    for (size_t blocks = 0; blocks <= 40; blocks++) {
        gemm_q_rows(blocks, -128, -128);
        gemm_q_rows(blocks, -128, 127);
        gemm_q_rows(blocks, 127, 127);
        gemm_q_rows(blocks, 3, -5);
    }
}

static void all_vectors(void)
{
    gemm_f32_small_product();
    gemm_f32_other_products();
    softmax_in_place();
    exp_in_place();
    quantize_vectors();
    quantize_special_blocks();
    dequant_vectors();
    gemm_q_vectors();
}

static void vectors_hold_on_every_isa(void **state)
{
    (void)state;
    under_each_mask(all_vectors);
}

static void vectors_hold_in_strict_mode(void **state)
{
    (void)state;
    ck_set_strict_parity(1);
    under_each_mask(all_vectors);
    ck_set_strict_parity(0);
}

static void strict_switch_reads_back(void **state)
{
    (void)state;
    assert_int_equal(ck_strict_parity(), 0); /* nothing has switched it on so far, or left it on */
    ck_set_strict_parity(7);
    assert_int_equal(ck_strict_parity(), 1);
    ck_set_strict_parity(0);
    assert_int_equal(ck_strict_parity(), 0);
}

/* A chain of 0.1 products; rounding to -infinity with FTZ and DAZ shows in any f32 arithmetic. */
static float rounded_product(unsigned mode)
{
    const unsigned caller = _mm_getcsr();
    float a[100], y = 0;
    const ck_gemm_args g = { .y = &y,
                             .a = a,
                             .b = a,
                             .m = 1,
                             .n = 1,
                             .k = 100,
                             .ldy = 1,
                             .lda = 100,
                             .ldb = 100,
                             .alpha = 1 };

    for (int i = 0; i < 100; i++) a[i] = 0.1f * (float)(i + 1);
    _mm_setcsr(caller | mode);
    const ck_status status = ck_gemm_nt_f32(&g);
    const unsigned after = _mm_getcsr() & 0xffc0u;
    _mm_setcsr(caller);
    assert_int_equal(status, CK_OK);
    assert_int_equal(after, (caller | mode) & 0xffc0u);
    return y;
}

static void strict_mode_applies_from_call_to_call(void **state)
{
    (void)state;
    const float fast = rounded_product(0), down = rounded_product(0xa040);

    ck_set_strict_parity(1);
    const float strict = rounded_product(0);
    assert_int_equal(f32_bits(rounded_product(0xa040)), f32_bits(strict));
    ck_set_strict_parity(0);
    assert_int_equal(f32_bits(rounded_product(0)), f32_bits(fast));
    assert_int_equal(f32_bits(rounded_product(0xa040)), f32_bits(down));
    assert_int_not_equal(f32_bits(down), f32_bits(fast)); /* the fast kernel follows the caller */
}

static void isa_names_and_masks(void **state)
{
    (void)state;
    const unsigned all = ck_isa_mask();

    for (unsigned i = 0; i < CK_ISA_COUNT; i++) {
        assert_int_equal(ck_isa_find(ck_isa_name((ck_isa)i)), i);
        if (all >> i & 1) assert_null(ck_cpu_lacks((ck_isa)i));
    }
    assert_null(ck_isa_name(CK_ISA_COUNT));
    assert_int_equal(ck_isa_find("sse"), CK_ISA_COUNT);
    assert_int_equal(ck_isa_find(NULL), CK_ISA_COUNT);
    assert_true(all & 1u << CK_ISA_scalar);
    assert_int_equal(ck_isa_set_mask(1), 1);
    assert_int_equal(ck_isa_mask(), 1);
    assert_int_equal(ck_isa_set_mask(~0u), all);
}

/* The best kernel of the stem within the mask, by the table alone: its order is worst to best. */
static const ck_kernel *best_of(const char *stem, unsigned mask)
{
    const ck_subject *const subject = ck_subject_v1();
    const ck_kernel *best = NULL;

    for (unsigned i = 0; i < subject->count; i++) {
        const ck_kernel *const k = &subject->kernels[i];
        if (strcmp(k->stem, stem) == 0 && mask >> ck_isa_find(k->isa) & 1) best = k;
    }
    return best;
}

static void dispatch_takes_the_best_of_the_mask(void **state)
{
    (void)state;
    const unsigned all = ck_isa_mask();

    for (unsigned mask = 0; mask < 1u << CK_ISA_COUNT; mask++) {
        const unsigned now = ck_isa_set_mask(mask);
        assert_int_equal(now, mask & all);
        for (int s = 0; s < STEMS; s++)
            assert_ptr_equal(ck_dispatch(stems[s]), best_of(stems[s], now));
    }
    ck_isa_set_mask(all);
    assert_null(ck_dispatch("gemm_nt"));
    assert_null(ck_dispatch(NULL));
    assert_non_null(ck_dispatch("gemm_nt_f32"));
}

static void subject_is_complete(void **state)
{
    (void)state;
    const ck_subject *const subject = ck_subject_v1();
    const char *last = "";
    int distinct = 0;

    assert_int_equal(subject->abi, CK_SUBJECT_ABI);
    assert_int_equal(subject->size, sizeof *subject);
    assert_string_equal(subject->name, "ck");
    assert_true(subject->version && *subject->version);
    for (unsigned i = 0; i < subject->count; i++) {
        const ck_kernel *const k = &subject->kernels[i];
        const ck_isa isa = ck_isa_find(k->isa);
        assert_int_equal(k->size, sizeof *k);
        assert_true(k->fn && k->fn_strict && k->spec && !k->domain && isa < CK_ISA_COUNT);
        assert_true(strcmp(last, k->stem) <= 0);
        distinct += strcmp(last, k->stem) != 0;
        last = k->stem;
        assert_int_equal(k->unavailable == NULL, ck_isa_mask() >> isa & 1);
    }
    assert_int_equal(distinct, STEMS);
}

/* What `--report` prints, one line; parsed by nobody, compared as a whole. */
static int report(FILE *to)
{
    const char *const error = ck_isa_max_error();
    const ck_kernel *const exp = ck_dispatch("exp_f32");
    const ck_kernel *avx2 = ck_subject_v1()->kernels;
    float x = 0;

    while (strcmp(avx2->isa, "avx2") != 0) avx2++;
    fprintf(to, "mask %x; ", ck_isa_mask());
    fprintf(to, "widened %x; ", ck_isa_set_mask(~0u));
    fprintf(to, "exp_f32 %s, %s; ", exp ? exp->isa : "none",
            ck_status_text(ck_exp_f32(&(ck_unary_args){ &x, &x, 1 })));
    fprintf(to, "%s: %s; error: %s\n", avx2->isa, avx2->unavailable ? avx2->unavailable : "runs",
            error ? error : "none");
    return 0;
}

/* Runs this program with `--report` under that CK_ISA_MAX; its stdout and stderr go to `text`. */
static void run_report(const char *cap, char *text, size_t size)
{
    int pipes[2], status = 0;
    size_t length = 0;
    ssize_t got;

    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *const argv[] = { "test_kernels", "--report", NULL };
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        if (cap ? setenv("CK_ISA_MAX", cap, 1) : unsetenv("CK_ISA_MAX")) _exit(126);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    close(pipes[1]);
    while (length + 1 < size && (got = read(pipes[0], text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The bundles that the CPU runs, of those in the mask. */
static unsigned able(unsigned mask)
{
    for (unsigned isa = 0; isa < CK_ISA_COUNT; isa++)
        if (ck_cpu_lacks((ck_isa)isa)) mask &= ~(1u << isa);
    return mask;
}

static void expect_cap(const char *cap, unsigned closure)
{
    const unsigned mask = able(closure);
    const ck_kernel *const exp = best_of("exp_f32", mask);
    const char *avx2 = ck_cpu_lacks(CK_ISA_avx2);
    char want[512], got[512], reason[64];

    if (cap) snprintf(reason, sizeof reason, "capped by CK_ISA_MAX=%s", cap);
    if (!avx2) avx2 = mask >> CK_ISA_avx2 & 1 ? "runs" : reason;
    snprintf(want, sizeof want, "mask %x; widened %x; exp_f32 %s, ok; avx2: %s; error: none\n",
             mask, mask, exp->isa, avx2);
    run_report(cap, got, sizeof got);
    assert_string_equal(got, want);
}

static void isa_max_caps(void **state)
{
    (void)state;
    const unsigned sse41 = 1u << CK_ISA_scalar | 1u << CK_ISA_sse41;
    const unsigned avx2 = sse41 | 1u << CK_ISA_avx2, avx512 = avx2 | 1u << CK_ISA_avx512;

    expect_cap(NULL, (1u << CK_ISA_COUNT) - 1);
    expect_cap("scalar", 1u << CK_ISA_scalar);
    expect_cap("sse41", sse41);
    expect_cap("avx2", avx2);
    expect_cap("avxvnni", avx2 | 1u << CK_ISA_avxvnni);
    expect_cap("avx512", avx512);
    expect_cap("avx512vnni", avx512 | 1u << CK_ISA_avx512vnni);
    expect_cap("avx512bf16", avx512 | 1u << CK_ISA_avx512bf16);
}

static void isa_max_empty_is_no_cap(void **state)
{
    (void)state;
    char unset[512], empty[512];

    run_report(NULL, unset, sizeof unset);
    run_report("", empty, sizeof empty);
    assert_string_equal(empty, unset);
}

static void isa_max_unknown_stops_dispatch(void **state)
{
    (void)state;
    const char *const lacks = ck_cpu_lacks(CK_ISA_avx2);
    const char *const wrong = "CK_ISA_MAX=avx3 is no instruction set";
    char want[1024], got[1024];

    snprintf(want, sizeof want,
             "ck: %s; wanted one of: scalar sse41 avx2 avxvnni avx512 avx512vnni avx512bf16\n"
             "mask 0; widened 0; exp_f32 none, %s; avx2: %s; error: %s\n",
             wrong, ck_status_text(CK_ERR_ISA), lacks ? lacks : wrong, wrong);
    run_report("avx3", got, sizeof got);
    assert_string_equal(got, want);
}

/* --- Weights: strict gemm_nt_<w>_f32 is strict gemm_nt_f32 of dequantised rows, bit for bit. */

typedef struct weights_entry {
    ck_dtype dtype;
    ck_status (*dequant)(const ck_dequant_args *args);
    ck_status (*product)(const ck_gemm_w_args *args);
} weights_entry;

static const weights_entry weights_entries[] = {
    { CK_DTYPE_Q4_0, ck_dequant_row_q4_0, ck_gemm_nt_q4_0_f32 },
    { CK_DTYPE_Q4_1, ck_dequant_row_q4_1, ck_gemm_nt_q4_1_f32 },
    { CK_DTYPE_Q4_K, ck_dequant_row_q4_k, ck_gemm_nt_q4_k_f32 },
    { CK_DTYPE_Q5_0, ck_dequant_row_q5_0, ck_gemm_nt_q5_0_f32 },
    { CK_DTYPE_Q5_1, ck_dequant_row_q5_1, ck_gemm_nt_q5_1_f32 },
    { CK_DTYPE_Q5_K, ck_dequant_row_q5_k, ck_gemm_nt_q5_k_f32 },
    { CK_DTYPE_Q6_K, ck_dequant_row_q6_k, ck_gemm_nt_q6_k_f32 },
    { CK_DTYPE_Q8_0, ck_dequant_row_q8_0, ck_gemm_nt_q8_0_f32 },
};

/* Bytes at random, but no half of exponent 31: bit 6 of every other byte is 0. */
static void random_blocks(unsigned char *p, size_t n)
{
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        p[i] = (unsigned char)(state >> 24 & (i % 2 ? 0xbfu : 0xffu));
    }
}

static void strict_product_is_product_of_values(const weights_entry *w)
{
    enum { M = 5, N = 3, K = 512, MOST_BYTES = 1024 };
    static unsigned char blocks[N * MOST_BYTES];
    static float a[M][K], values[N][K], y[M][N], z[M][N], c[M][N + 1];
    const float bias[N] = { 0.1f, -3.0f, 1e-3f };
    const size_t bytes = ck_row_bytes(w->dtype, K), per_row = K / ck_dtype_block(w->dtype);
    for (size_t i = 0; i < M * K; i++)
        a[i / K][i % K] = (float)((int)(i * 7919 % 2003) - 1001) / 977.0f;
    assert_true(bytes <= MOST_BYTES);
    for (size_t j = 0; j < N; j++) {
        random_blocks(blocks + j * bytes, bytes);
        blocks[j * bytes + bytes - 1] ^= (unsigned char)(j & 0x0f);
        assert_int_equal(w->dequant(&(ck_dequant_args){ values[j], blocks + j * bytes, K }), 0);
    }
    for (size_t i = 0; i < M * (N + 1); i++) c[i / (N + 1)][i % (N + 1)] = a[0][i] * 40;
    for (int adds = 0; adds < 2; adds++) {
        const ck_gemm_w_args g = {
            y[0], a[0], blocks, bias, M, N, K, N, K, per_row, adds ? c[0] : NULL, N + 1
        };
        const ck_gemm_args f = { z[0], a[0], values[0], c[0], bias,  M,    N,
                                 K,    N,    K,         K,    N + 1, 1.0f, adds ? 1.0f : 0.0f };
        assert_int_equal(w->product(&g), 0);
        assert_int_equal(ck_gemm_nt_f32(&f), 0);
        assert_memory_equal(y, z, sizeof y);
    }
    assert_true(y[M - 1][N - 1] == y[M - 1][N - 1]);
}

/* What is added has rows of its own and lies apart from the result. */
static void sums_of_weights_are_checked(void)
{
    static float y[2 * 4], a[2 * 32], c[2 * 4];
    static const unsigned char b[3 * CK_Q8_0_BYTES];
    const ck_gemm_w_args right = { y, a, b, NULL, 2, 3, 32, 4, 32, 1, c, 4 };
    ck_gemm_w_args g = right;
    assert_int_equal(ck_gemm_nt_q8_0_f32(&g), CK_OK);
    g.ldc = 2;
    assert_int_equal(ck_gemm_nt_q8_0_f32(&g), CK_ERR_SHAPE);
    g.m = 1, g.ldc = 3, g.c = y;
    assert_int_equal(ck_gemm_nt_q8_0_f32(&g), CK_ERR_ALIAS);
    g = right;
    g.c = y + 2;
    assert_int_equal(ck_gemm_nt_q8_0_f32(&g), CK_ERR_ALIAS);
    g = right;
    for (size_t i = 0; i < 8; i++) c[i] = (float)i, y[i] = 99;
    assert_int_equal(ck_gemm_nt_q8_0_f32(&g), CK_OK);
    for (size_t i = 0; i < 8; i++) assert_true(y[i] == (i % 4 < 3 ? c[i] : 99));
}

static void strict_products_of_weights(void)
{
    sums_of_weights_are_checked();
    ck_set_strict_parity(1);
    for (size_t i = 0; i < sizeof weights_entries / sizeof *weights_entries; i++)
        strict_product_is_product_of_values(&weights_entries[i]);
    ck_set_strict_parity(0);
}

static void strict_weights_equal_values(void **state)
{
    (void)state;
    under_each_mask(strict_products_of_weights);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_switch_reads_back), /* first: the switch is off at start */
        cmocka_unit_test(status_texts_differ),
        cmocka_unit_test(gemm_f32_rejects),
        cmocka_unit_test(gemm_nn_and_tn_reject),
        cmocka_unit_test(gemv_rejects),
        cmocka_unit_test(strict_gemv_is_a_row_of_gemm_nt),
        cmocka_unit_test(gemm_f32_takes_interleaved_rows),
        cmocka_unit_test(gemm_q_rejects),
        cmocka_unit_test(softmax_rejects),
        cmocka_unit_test(exp_rejects),
        cmocka_unit_test(rows_reject),
        cmocka_unit_test(f16_vectors),
        cmocka_unit_test(every_half_comes_back),
        cmocka_unit_test(vectors_hold_on_every_isa),
        cmocka_unit_test(vectors_hold_in_strict_mode),
        cmocka_unit_test(strict_mode_applies_from_call_to_call),
        cmocka_unit_test(isa_names_and_masks),
        cmocka_unit_test(dispatch_takes_the_best_of_the_mask),
        cmocka_unit_test(subject_is_complete),
        cmocka_unit_test(strict_weights_equal_values),
        cmocka_unit_test(isa_max_caps),
        cmocka_unit_test(isa_max_empty_is_no_cap),
        cmocka_unit_test(isa_max_unknown_stops_dispatch),
    };

    if (argc > 1 && strcmp(argv[1], "--report") == 0) return report(stdout);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
