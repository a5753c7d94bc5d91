/* SPDX-License-Identifier: MIT */
/* Contract tests of the entries of gemm_nn of weights in blocks, and that their strict bits are those of
 * gemm_nn_f32 on dequantised rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ck_dtype.h"
#include "ck_ops.h"
#include "gemm.h"
#include "quant.h"

enum { M = 5, N = 512, K = 9, LDB = 17, BYTES = 292 };
static float y[M * N], z[M * N], a[M * K], w[K * N];
static unsigned char b[K * LDB * BYTES];

typedef struct format {
    size_t elements, bytes;
    ck_status (*product)(const ck_gemm_wn_args *args);
    ck_status (*dequant)(const ck_dequant_args *args);
} format;
#define FORMAT(name, code)                                                                    \
    {                                                                                         \
        CK_##code##_BLOCK, CK_##code##_BYTES, ck_gemm_nn_##name##_f32, ck_dequant_row_##name, \
    }
static const format formats[] = {
    FORMAT(q4_0, Q4_0), FORMAT(q4_1, Q4_1), FORMAT(q4_k, Q4_K), FORMAT(q5_0, Q5_0),
    FORMAT(q5_1, Q5_1), FORMAT(q5_k, Q5_K), FORMAT(q6_k, Q6_K), FORMAT(q8_0, Q8_0),
};
#undef FORMAT
enum { FORMATS = sizeof formats / sizeof *formats };

static uint64_t seed = 1;
static unsigned draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33);
}

/* Any bytes are blocks; their infinite scales and NaNs are in contract too. */
static ck_gemm_wn_args make(void)
{
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)draw();
    for (size_t i = 0; i < M * K; i++) a[i] = (float)(int)(draw() % 2001 - 1000) * 0x1.3p-9f;
    for (size_t i = 0; i < M * N; i++) y[i] = 1e30f;
    return (ck_gemm_wn_args){ y, a, b, M, N, K, N, K, LDB };
}

static void strict_bits_are_those_of_dequantised_rows(void **state)
{
    (void)state;
    ck_set_strict_parity(1);
    for (size_t t = 0; t < 20 * FORMATS; t++) {
        const format *f = &formats[t % FORMATS];
        const ck_gemm_wn_args g = make();
        assert_int_equal(f->product(&g), CK_OK);
        for (size_t l = 0; l < K; l++)
            f->dequant(&(ck_dequant_args){ w + l * N, b + l * LDB * f->bytes, N });
        const ck_gemm_args plain = {
            .y = z, .a = a, .b = w, .m = M, .n = N, .k = K, .ldy = N, .lda = K, .ldb = N, .alpha = 1
        };
        assert_int_equal(ck_gemm_nn_f32(&plain), CK_OK);
        assert_memory_equal(y, z, sizeof y);
    }
    ck_set_strict_parity(0);
}

static void is(const format *f, const ck_gemm_wn_args *g, ck_status wanted)
{
    assert_int_equal(f->product(g), wanted);
    for (size_t i = 0; i < M * N; i++) assert_true(y[i] == 1e30f);
}

static void bad_arguments_are_refused(void **state)
{
    void *const in_y = y;
    (void)state;
    for (size_t t = 0; t < FORMATS; t++) {
        const format *f = &formats[t];
        ck_gemm_wn_args g;
        make();
        is(f, NULL, CK_ERR_NULL);
        g = make(), g.y = NULL, is(f, &g, CK_ERR_NULL);
        g = make(), g.a = NULL, is(f, &g, CK_ERR_NULL);
        g = make(), g.b = NULL, is(f, &g, CK_ERR_NULL);
        g = make(), g.n -= 1, is(f, &g, CK_ERR_MULTIPLE);
        g = make(), g.ldy = N - 1, is(f, &g, CK_ERR_SHAPE);
        g = make(), g.lda = K - 1, is(f, &g, CK_ERR_SHAPE);
        g = make(), g.ldb = N / f->elements - 1, is(f, &g, CK_ERR_SHAPE);
        g = make(), g.k = SIZE_MAX / 4, is(f, &g, CK_ERR_SHAPE);
        g = make(), g.a = y + N, is(f, &g, CK_ERR_ALIAS);
        g = make(), g.b = in_y, is(f, &g, CK_ERR_ALIAS);
        g = make(), g.m = 0, g.y = NULL, is(f, &g, CK_OK);
        g = make(), g.n = 0, g.b = NULL, is(f, &g, CK_OK);
    }
}

/* No rows of weights: zeros. */
static void an_empty_sum_is_zero(void **state)
{
    (void)state;
    for (size_t t = 0; t < FORMATS; t++) {
        ck_gemm_wn_args g = make();
        g.k = 0, g.a = NULL, g.b = NULL, g.lda = 0;
        assert_int_equal(formats[t].product(&g), CK_OK);
        for (size_t i = 0; i < M * N; i++) assert_true(y[i] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_bits_are_those_of_dequantised_rows),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(an_empty_sum_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
