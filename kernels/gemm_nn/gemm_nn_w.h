/* SPDX-License-Identifier: MIT */
/* gemm_nn of weights in blocks with f32 activations, over the primitives of simd/. A block becomes floats by the
 * text of dequant_row, which the including file brings; a few rows of a meet it while it is there. Each output
 * is one chain over the rows of blocks, whatever the tile it is in. */
#ifndef CK_GEMM_NN_W_H
#define CK_GEMM_NN_W_H

#include <assert.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "kernel.h"
#include "strict.h"

enum { CK_GEMM_WN_MR = 4 };

/* No FMA in the scalar bundle. */
#define CK_GEMM_WN_SPEC                                             \
    {                                                               \
        .lanes = 1, .accs = 1, .mr = CK_GEMM_WN_MR,                 \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT | \
                 (CK_VF_LANES == 1 ? CK_NUM_MULADD : 0u),           \
    }

/* A format: elements and bytes of a block, and its values. */
typedef struct weights {
    size_t elements, bytes;
    void (*block)(float *y, const unsigned char *x);
} weights;

static inline const unsigned char *gemm_wn_block(const ck_gemm_wn_args *g, const weights *w,
                                                 size_t l, size_t j)
{
    const unsigned char *const b = g->b;
    return b + (l * g->ldb + j / w->elements) * w->bytes;
}

/* Rows i .. i + MR - 1 of the columns of one block, from j on. Rows beyond the last repeat it and are not
 * stored. */
static inline void gemm_wn_tile(const ck_gemm_wn_args *g, const weights *w, size_t i, size_t j)
{
    const size_t last = g->m - 1 - i, vectors = w->elements / CK_VF_LANES;
    const float *a[CK_GEMM_WN_MR];
    ck_vf acc[CK_GEMM_WN_MR][CK_K_BLOCK / CK_VF_LANES];
    float values[CK_K_BLOCK];

    for (size_t r = 0; r < CK_GEMM_WN_MR; r++) {
        a[r] = g->k ? g->a + (i + (r < last ? r : last)) * g->lda : g->a;
        for (size_t v = 0; v < vectors; v++) acc[r][v] = ck_vf_set1(0.0f);
    }
    for (size_t l = 0; l < g->k; l++) {
        w->block(values, gemm_wn_block(g, w, l, j));
        for (size_t r = 0; r < CK_GEMM_WN_MR; r++) {
            const ck_vf av = ck_vf_set1(a[r][l]);
            for (size_t v = 0; v < vectors; v++)
                acc[r][v] = ck_vf_muladd(av, ck_vf_load(values + v * CK_VF_LANES), acc[r][v]);
        }
    }
    for (size_t r = 0; r < CK_GEMM_WN_MR && r <= last; r++)
        for (size_t v = 0; v < vectors; v++)
            ck_vf_store(g->y + (i + r) * g->ldy + j + v * CK_VF_LANES, acc[r][v]);
}

static inline void gemm_wn_check(const ck_gemm_wn_args *g, const weights *w)
{
    assert(g->n % w->elements == 0 && w->elements <= CK_K_BLOCK && g->ldy >= g->n);
    assert(g->lda >= g->k && g->ldb >= g->n / w->elements);
    (void)g;
    (void)w;
}

static inline void gemm_wn(const void *args, const weights *w)
{
    const ck_gemm_wn_args *const g = args;

    gemm_wn_check(g, w);
    for (size_t j = 0; j < g->n; j += w->elements)
        for (size_t i = 0; i < g->m; i += CK_GEMM_WN_MR) gemm_wn_tile(g, w, i, j);
}

static inline void gemm_wn_row_strict(const ck_gemm_wn_args *g, const weights *w, size_t i,
                                      size_t j)
{
    const size_t vectors = w->elements / CK_VD_LANES;
    ck_vd acc[CK_K_BLOCK / CK_VD_LANES];
    float values[CK_K_BLOCK];

    for (size_t v = 0; v < vectors; v++) acc[v] = ck_vd_set1(0.0);
    for (size_t l = 0; l < g->k; l++) {
        const ck_vd a = ck_vd_set1((double)g->a[i * g->lda + l]);
        w->block(values, gemm_wn_block(g, w, l, j));
        for (size_t v = 0; v < vectors; v++)
            acc[v] = ck_vd_add(acc[v], ck_vd_mul(a, ck_vd_load(values + v * CK_VD_LANES)));
    }
    for (size_t v = 0; v < vectors; v++)
        ck_vd_store(g->y + i * g->ldy + j + v * CK_VD_LANES, acc[v]);
}

static inline void gemm_wn_strict(const void *args, const weights *w)
{
    const ck_gemm_wn_args *const g = args;

    gemm_wn_check(g, w);
    for (size_t j = 0; j < g->n; j += w->elements)
        for (size_t i = 0; i < g->m; i++) gemm_wn_row_strict(g, w, i, j);
}

#endif
