/* SPDX-License-Identifier: MIT */
/* How the product that a mutant wraps reads its operands. */
#ifndef HN_PRODUCT_H
#define HN_PRODUCT_H

#include <string.h>

#include "gemm.h"
#include "mutant.h"

/* a down its columns (tn), b down its columns (nn, tn). */
static inline int a_down(void) { return strcmp(hn_wrapped_stem, "gemm_tn_f32") == 0; }
static inline int b_down(void) { return strcmp(hn_wrapped_stem, "gemm_nt_f32") != 0; }

/* Factors l of row i and of column j. */
static inline float a_at(const ck_gemm_args *g, size_t i, size_t l)
{
    return a_down() ? g->a[l * g->lda + i] : g->a[i * g->lda + l];
}
static inline float b_at(const ck_gemm_args *g, size_t j, size_t l)
{
    return b_down() ? g->b[l * g->ldb + j] : g->b[j * g->ldb + l];
}

/* Term l of output (i, j). */
static inline float term(const ck_gemm_args *g, size_t i, size_t j, size_t l)
{
    return a_at(g, i, l) * b_at(g, j, l);
}

/* alpha, beta c and bias. */
static inline float epilogue(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    float y = g->alpha * sum;
    if (g->beta != 0.0f) y += g->beta * g->c[i * g->ldc + j];
    return g->bias ? y + g->bias[j] : y;
}

#endif
