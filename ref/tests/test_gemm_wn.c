/* SPDX-License-Identifier: MIT */
/* Tests of the references of gemm_nn of weights in blocks: they are adjoint to those of gemm_nt, and those of
 * gemm_nn_f32 on decoded rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"

enum { M = 3, K = 7, N = 512, LDB = 17, BYTES_MOST = 210 };

/* Where a block has its halves: `d` of codes, `m` of minimums, -1: none. */
typedef struct weights {
    size_t elements, bytes;
    int d, m;
    ref_fn *nt, *nn, *dequant;
} weights;

#define FORMATS(X)             \
    X(q4_0, 32, 18, 0, -1)     \
    X(q4_1, 32, 20, 0, 2)      \
    X(q4_k, 256, 144, 0, 2)    \
    X(q5_0, 32, 22, 0, -1)     \
    X(q5_1, 32, 24, 0, 2)      \
    X(q5_k, 256, 176, 0, 2)    \
    X(q6_k, 256, 210, 208, -1) \
    X(q8_0, 32, 34, 0, -1)
#define DECLARE(name, ...) \
    ref_fn ref_gemm_nt_##name##_f32, ref_gemm_nn_##name##_f32, ref_dequant_row_##name;
FORMATS(DECLARE)
#undef DECLARE
#define ROW(name, elements, bytes, d, m) \
    { elements,                          \
      bytes,                             \
      d,                                 \
      m,                                 \
      ref_gemm_nt_##name##_f32,          \
      ref_gemm_nn_##name##_f32,          \
      ref_dequant_row_##name },
static const weights formats[] = { FORMATS(ROW) };
#undef ROW
enum { FORMATS_COUNT = sizeof formats / sizeof *formats };

static const ck_numspec chain = { .lanes = 1, .accs = 1 };
static const ref_spec specs[] = { { &chain, 0, 0x1p-24, 0, 0 }, { &chain, 1, 0x1p-24, 0, 0 } };

static unsigned char b[K * LDB * BYTES_MOST];
static float dy[M * K], x[M * N], w[K * N];
static double y[2 * M * N], term[2 * M * N], e[2 * M * N], z[2 * M * N], ze[2 * M * N];

/* Scales are 2^-4 .. 2^-1 and differ from block to block. */
static void draw(const weights *f)
{
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)below(256);
    for (size_t i = 0; i < K * LDB; i++) {
        unsigned char *block = b + i * f->bytes;
        block[f->d] = 0, block[f->d + 1] = (unsigned char)(0x2c + 4 * below(4));
        if (f->m >= 0) block[f->m] = 0, block[f->m + 1] = (unsigned char)(0x2c + 4 * below(4));
    }
    for (size_t i = 0; i < M * K; i++) dy[i] = (float)below(201) - 100;
    for (size_t i = 0; i < M * N; i++) x[i] = (float)below(201) - 100;
}

/* <dY, X W^T> = <dY W, X>. */
static void nn_is_adjoint_to_nt(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < FORMATS_COUNT; t++) {
        const weights *f = &formats[t];
        const ref_gemm_w_args forward = { x, b, NULL, N, N, LDB, NULL, 0 },
                              back = { dy, b, NULL, K, K, LDB, NULL, 0 };
        double one = 0, other = 0, size = 0;
        draw(f);
        f->nt(&forward, &(ref_tile){ 0, M, 0, K }, &specs[1], 1, &(ref_out){ M * K, z, term, ze });
        f->nn(&back, &(ref_tile){ 0, M, 0, N }, &specs[1], 1, &(ref_out){ M * N, y, term, e });
        for (size_t i = 0; i < M * K; i++) one += (double)dy[i] * z[i];
        for (size_t i = 0; i < M * N; i++) other += y[i] * (double)x[i];
        for (size_t i = 0; i < M * N; i++) size += fabs(y[i] * (double)x[i]);
        assert_true(size > 0 && fabs(one - other) <= 1e-13 * size);
    }
}

/* Values, and in nearest the radii, of gemm_nn_f32 with the decoded rows; any tile. */
static void products_are_those_of_decoded_rows(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < FORMATS_COUNT; t++) {
        const weights *f = &formats[t];
        draw(f);
        for (size_t l = 0; l < K; l++) {
            const ref_dequant_args row = { b + l * LDB * f->bytes };
            f->dequant(&row, &(ref_tile){ 0, 1, 0, N }, &specs[1], 1, &(ref_out){ N, y, term, e });
            for (size_t j = 0; j < N; j++) w[l * N + j] = (float)y[j];
        }
        const ref_gemm_w_args blocks = { dy, b, NULL, K, K, LDB, NULL, 0 };
        const ref_gemm_args plain = { .a = dy, .b = w, .k = K, .lda = K, .ldb = N, .alpha = 1 };
        const ref_tile tiles[] = { { 0, M, 0, N }, { 1, 2, 31, 34 }, { 2, 1, N - 1, 1 } };
        for (size_t k = 0; k < 3; k++) {
            const size_t n = tiles[k].rows * tiles[k].cols;
            f->nn(&blocks, &tiles[k], specs, 2, &(ref_out){ n, y, term, e });
            ref_gemm_nn_f32(&plain, &tiles[k], specs, 2, &(ref_out){ n, z, term, ze });
            for (size_t i = 0; i < 2 * n; i++) assert_true(y[i] == z[i] && e[i] >= ze[i]);
            /* the finest form may be inexact where the product of rounded weights is not */
            for (size_t i = 0; i < 2 * n; i++) assert_true(ze[i] == 0 || e[i] <= 1.01 * ze[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(nn_is_adjoint_to_nt),
                                        TEST(products_are_those_of_decoded_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
