/* SPDX-License-Identifier: MIT */
/* The text of gemm_nt_f32, compiled once per ISA, after simd/<isa>.h and CK_GEMM_MR, CK_GEMM_NR. */
#ifndef CK_GEMM_NT_F32_H
#define CK_GEMM_NT_F32_H

#include <assert.h>

#include "gemm.h"
#include "strict.h"

/* Row i of an operand of which k elements are used; with none of them, p may be NULL. */
static inline const float *gemm_row(const float *p, size_t i, size_t ld, size_t k)
{
    return k ? p + i * ld : p;
}

/* y[i,j] from its dot product. */
static inline void gemm_store(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    float y = g->alpha * sum;
    if (g->beta != 0.0f) y = ck_f_muladd(g->beta, g->c[i * g->ldc + j], y);
    if (g->bias) y += g->bias[j];
    g->y[i * g->ldy + j] = y;
}

/* The tile of MR rows from i and NR columns from j. Rows and columns beyond the last repeat it and
 * are not stored. Each output has one accumulator: its bits do not depend on its place in a tile.
 */
static inline void gemm_tile(const ck_gemm_args *g, size_t i, size_t j)
{
    const size_t k = g->k, last_row = g->m - 1 - i, last_column = g->n - 1 - j;
    const float *a[CK_GEMM_MR], *b[CK_GEMM_NR];
    ck_vf acc[CK_GEMM_MR][CK_GEMM_NR], av[CK_GEMM_MR];
    size_t l = 0;

    for (size_t r = 0; r < CK_GEMM_MR; r++)
        a[r] = gemm_row(g->a, i + (r < last_row ? r : last_row), g->lda, k);
    for (size_t c = 0; c < CK_GEMM_NR; c++)
        b[c] = gemm_row(g->b, j + (c < last_column ? c : last_column), g->ldb, k);
    for (size_t r = 0; r < CK_GEMM_MR; r++)
        for (size_t c = 0; c < CK_GEMM_NR; c++) acc[r][c] = ck_vf_set1(0.0f);

    for (; k - l >= CK_VF_LANES; l += CK_VF_LANES) {
        for (size_t r = 0; r < CK_GEMM_MR; r++) av[r] = ck_vf_load(a[r] + l);
        for (size_t c = 0; c < CK_GEMM_NR; c++) {
            const ck_vf bv = ck_vf_load(b[c] + l);
            for (size_t r = 0; r < CK_GEMM_MR; r++) acc[r][c] = ck_vf_muladd(av[r], bv, acc[r][c]);
        }
    }
    if (l < k) { /* the lanes beyond k add 0 * 0 */
        for (size_t r = 0; r < CK_GEMM_MR; r++) av[r] = ck_vf_load_n(a[r] + l, k - l, 0.0f);
        for (size_t c = 0; c < CK_GEMM_NR; c++) {
            const ck_vf bv = ck_vf_load_n(b[c] + l, k - l, 0.0f);
            for (size_t r = 0; r < CK_GEMM_MR; r++) acc[r][c] = ck_vf_muladd(av[r], bv, acc[r][c]);
        }
    }
    for (size_t r = 0; r < CK_GEMM_MR; r++)
        for (size_t c = 0; c < CK_GEMM_NR; c++)
            if (r <= last_row && c <= last_column)
                gemm_store(g, i + r, j + c, ck_vf_sum(acc[r][c]));
}

static inline void gemm_check(const ck_gemm_args *g)
{
    assert(g->m == 0 || g->n == 0 || g->y);
    assert(g->m == 0 || g->n == 0 || g->k == 0 || (g->a && g->b));
    assert(g->m == 0 || g->n == 0 || g->beta == 0.0f || g->c);
    assert(g->lda >= g->k && g->ldb >= g->k && g->ldy >= g->n);
    assert(g->beta == 0.0f || g->ldc >= g->n);
    assert(g->beta == 0.0f || g->y != g->c || g->ldy == g->ldc);
    (void)g;
}

static inline void gemm_nt_f32(const void *args)
{
    const ck_gemm_args *g = args;
    gemm_check(g);
    for (size_t j = 0; j < g->n; j += CK_GEMM_NR)
        for (size_t i = 0; i < g->m; i += CK_GEMM_MR) gemm_tile(g, i, j);
}

/* Products of floats are exact in double; lanes are i mod 16, the tail in its own. */
static inline double gemm_dot_strict(const float *a, const float *b, size_t k)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    size_t l = 0;
    for (; k - l >= 16; l += 16)
        acc = ck_vd16_add(acc, ck_vd16_mul(ck_vd16_load(a + l), ck_vd16_load(b + l)));
    if (l < k) {
        const ck_vd16 av = ck_vd16_load_n(a + l, k - l, 0.0f);
        acc = ck_vd16_add(acc, ck_vd16_mul(av, ck_vd16_load_n(b + l, k - l, 0.0f)));
    }
    return ck_vd16_sum(acc);
}

static inline void gemm_nt_f32_strict(const void *args)
{
    const ck_gemm_args *g = args;
    gemm_check(g);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const float *a = gemm_row(g->a, i, g->lda, g->k);
            const float *b = gemm_row(g->b, j, g->ldb, g->k);
            double y = (double)g->alpha * gemm_dot_strict(a, b, g->k);
            if (g->beta != 0.0f) y += (double)g->beta * (double)g->c[i * g->ldc + j];
            if (g->bias) y += (double)g->bias[j];
            g->y[i * g->ldy + j] = ck_strict_f32(y);
        }
}

#endif
