/* SPDX-License-Identifier: MIT */
/* gemm_nt of 16-bit operands, over the primitives of simd/. Elements become floats, which is exact;
 * then it is a product of floats: each output has one accumulator of CK_VF_LANES lanes, whatever the
 * tile it is in. */
#ifndef CK_GEMM_NT_16_H
#define CK_GEMM_NT_16_H

#include <assert.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "kernel.h"
#include "simd/element_16.h"
#include "strict.h"

enum { CK_GEMM_16_MR = 4 };

/* No FMA in the scalar bundle; products of two halves are floats anyhow. */
#define CK_GEMM_16_SPEC                                                                 \
    {                                                                                   \
        .lanes = CK_VF_LANES, .accs = 1, .tail = CK_TAIL_LANE, .tree = CK_TREE_HALVING, \
        .mr = CK_GEMM_16_MR, .ku = CK_VF_LANES,                                         \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT |                     \
                 (CK_VF_LANES == 1 ? CK_NUM_MULADD : 0u),                               \
    }

/* How the operands of an op lie. */
typedef struct sixteen {
    const ck_element *a, *b, *y;
} sixteen;

/* A product, whatever its args are called. */
typedef struct rows_16 {
    const unsigned char *a, *b;
    unsigned char *y;
    const float *bias;
    size_t m, n, k, ldy, lda, ldb; /* in bytes */
    const float *c;                /* NULL: nothing is added */
    size_t ldc;                    /* in elements */
} rows_16;

/* CK_VF_LANES elements of a row of which n >= 1 are left; those beyond are 0. */
CK_INLINE ck_vf gemm_16_read(const ck_element *e, const unsigned char *p, size_t n)
{
    return n < CK_VF_LANES ? e->load_n(p, n) : e->load(p);
}

/* Outputs i .. i + MR - 1 of column j. Rows beyond the last repeat it and are not stored. */
CK_INLINE void gemm_16_tile(const rows_16 *g, const sixteen *w, size_t i, size_t j)
{
    const size_t last = g->m - 1 - i;
    const unsigned char *b = g->k ? g->b + j * g->ldb : g->b, *a[CK_GEMM_16_MR];
    ck_vf acc[CK_GEMM_16_MR];
    for (size_t r = 0; r < CK_GEMM_16_MR; r++) {
        a[r] = g->k ? g->a + (i + (r < last ? r : last)) * g->lda : g->a;
        acc[r] = ck_vf_set1(0.0f);
    }
    for (size_t l = 0; l < g->k; l += CK_VF_LANES) {
        const ck_vf bv = gemm_16_read(w->b, b + l * w->b->bytes, g->k - l);
        for (size_t r = 0; r < CK_GEMM_16_MR; r++)
            acc[r] = ck_vf_muladd(gemm_16_read(w->a, a[r] + l * w->a->bytes, g->k - l), bv, acc[r]);
    }
    for (size_t r = 0; r < CK_GEMM_16_MR && r <= last; r++) {
        float y = ck_vf_sum(acc[r]);
        if (g->c) y += g->c[(i + r) * g->ldc + j];
        w->y->store_n(g->y + (i + r) * g->ldy + j * w->y->bytes,
                      ck_vf_set1(g->bias ? y + g->bias[j] : y), 1);
    }
}

static inline void gemm_16_check(const rows_16 *g, const sixteen *w)
{
    assert(g->m == 0 || g->n == 0 || g->y);
    assert(g->m == 0 || g->n == 0 || g->k == 0 || (g->a && g->b));
    assert(g->lda >= g->k * w->a->bytes && g->ldb >= g->k * w->b->bytes);
    assert(g->ldy >= g->n * w->y->bytes && (!g->c || g->ldc >= g->n));
    (void)g;
    (void)w;
}

CK_INLINE void gemm_16(const rows_16 *g, const sixteen *w)
{
    gemm_16_check(g, w);
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < g->m; i += CK_GEMM_16_MR) gemm_16_tile(g, w, i, j);
}

/* Element l in lane l mod 16. */
CK_INLINE double gemm_16_dot_strict(const unsigned char *a, const unsigned char *b, size_t k,
                                    const sixteen *w)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    for (size_t l = 0; l < k; l += 16)
        acc = ck_vd16_add(acc, ck_vd16_mul(w->a->load_d(a + l * w->a->bytes, k - l),
                                           w->b->load_d(b + l * w->b->bytes, k - l)));
    return ck_vd16_sum(acc);
}

CK_INLINE void gemm_16_strict(const rows_16 *g, const sixteen *w)
{
    gemm_16_check(g, w);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *const a = g->k ? g->a + i * g->lda : g->a;
            const unsigned char *const b = g->k ? g->b + j * g->ldb : g->b;
            double y = gemm_16_dot_strict(a, b, g->k, w);
            if (g->c) y += (double)g->c[i * g->ldc + j];
            if (g->bias) y += (double)g->bias[j];
            w->y->store_d(g->y + i * g->ldy + j * w->y->bytes, ck_vd16_set1(y), 1);
        }
}

/* Of gemm_w: a is f32, y too. */
CK_INLINE rows_16 gemm_16_weights(const ck_gemm_w_args *g)
{
    const void *const a = g->a;
    void *const y = g->y;
    return (rows_16){ a,
                      g->b,
                      y,
                      g->bias,
                      g->m,
                      g->n,
                      g->k,
                      g->ldy * sizeof(float),
                      g->lda * sizeof(float),
                      g->ldb * 2,
                      g->c,
                      g->ldc };
}

/* Of gemm_h. */
CK_INLINE rows_16 gemm_16_halves(const ck_gemm_h_args *g, const sixteen *w)
{
    return (rows_16){ g->a,
                      g->b,
                      g->y,
                      g->bias,
                      g->m,
                      g->n,
                      g->k,
                      g->ldy * w->y->bytes,
                      g->lda * w->a->bytes,
                      g->ldb * w->b->bytes,
                      NULL,
                      0 };
}

#endif
