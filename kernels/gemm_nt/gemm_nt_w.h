/* SPDX-License-Identifier: MIT */
/* gemm_nt of weights in blocks with f32 activations, over the primitives of simd/. A block becomes
 * floats by the text of dequant_row, which the including file brings; then it is gemm_nt_f32: each
 * output has one accumulator of CK_VF_LANES lanes, whatever the tile it is in. */
#ifndef CK_GEMM_NT_W_H
#define CK_GEMM_NT_W_H

#include <assert.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "kernel.h"
#include "strict.h"

enum { CK_GEMM_W_MR = 4 };

/* No FMA in the scalar bundle. */
#define CK_GEMM_W_SPEC(block)                                                           \
    {                                                                                   \
        .lanes = CK_VF_LANES, .accs = 1, .tail = CK_TAIL_LANE, .tree = CK_TREE_HALVING, \
        .mr = CK_GEMM_W_MR, .k_multiple = (block),                                      \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT |                     \
                 (CK_VF_LANES == 1 ? CK_NUM_MULADD : 0u),                               \
    }

/* A format: elements and bytes of a block, and its values. */
typedef struct weights {
    size_t elements, bytes;
    void (*block)(float *y, const unsigned char *x);
} weights;

/* Outputs i .. i + MR - 1 of column j. Rows beyond the last repeat it and are not stored. */
static inline void gemm_w_tile(const ck_gemm_w_args *g, const weights *w, size_t i, size_t j)
{
    const size_t last = g->m - 1 - i;
    const unsigned char *b = g->b;
    const float *a[CK_GEMM_W_MR];
    ck_vf acc[CK_GEMM_W_MR];
    float values[CK_K_BLOCK];

    for (size_t r = 0; r < CK_GEMM_W_MR; r++) {
        a[r] = g->k ? g->a + (i + (r < last ? r : last)) * g->lda : g->a;
        acc[r] = ck_vf_set1(0.0f);
    }
    if (g->k) b += j * g->ldb * w->bytes;
    for (size_t l = 0; l < g->k; l += w->elements, b += w->bytes) {
        w->block(values, b);
        for (size_t e = 0; e < w->elements; e += CK_VF_LANES) {
            const ck_vf bv = ck_vf_load(values + e);
            for (size_t r = 0; r < CK_GEMM_W_MR; r++)
                acc[r] = ck_vf_muladd(ck_vf_load(a[r] + l + e), bv, acc[r]);
        }
    }
    for (size_t r = 0; r < CK_GEMM_W_MR && r <= last; r++) {
        float y = ck_vf_sum(acc[r]);
        if (g->c) y += g->c[(i + r) * g->ldc + j];
        g->y[(i + r) * g->ldy + j] = g->bias ? y + g->bias[j] : y;
    }
}

static inline void gemm_w_check(const ck_gemm_w_args *g, const weights *w)
{
    assert(g->k % w->elements == 0 && w->elements <= CK_K_BLOCK && g->ldy >= g->n);
    assert(g->lda >= g->k && g->ldb >= g->k / w->elements && (!g->c || g->ldc >= g->n));
    (void)g;
    (void)w;
}

static inline void gemm_w(const void *args, const weights *w)
{
    const ck_gemm_w_args *const g = args;

    gemm_w_check(g, w);
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < g->m; i += CK_GEMM_W_MR) gemm_w_tile(g, w, i, j);
}

/* Blocks are multiples of 16, so element e of one is in lane e mod 16 as element l + e of a row is. */
static inline double gemm_w_dot_strict(const float *a, const unsigned char *b, size_t k,
                                       const weights *w)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    float values[CK_K_BLOCK];

    for (size_t l = 0; l < k; l += w->elements, b += w->bytes) {
        w->block(values, b);
        for (size_t e = 0; e < w->elements; e += 16)
            acc = ck_vd16_add(acc, ck_vd16_mul(ck_vd16_load(a + l + e), ck_vd16_load(values + e)));
    }
    return ck_vd16_sum(acc);
}

static inline void gemm_w_strict(const void *args, const weights *w)
{
    const ck_gemm_w_args *const g = args;
    const unsigned char *const base = g->b;

    gemm_w_check(g, w);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const float *const a = g->k ? g->a + i * g->lda : g->a;
            const unsigned char *const b = g->k ? base + j * g->ldb * w->bytes : base;
            double y = gemm_w_dot_strict(a, b, g->k, w);
            if (g->c) y += (double)g->c[i * g->ldc + j];
            g->y[i * g->ldy + j] = ck_strict_f32(g->bias ? y + (double)g->bias[j] : y);
        }
}

#endif
