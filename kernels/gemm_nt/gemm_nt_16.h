/* SPDX-License-Identifier: MIT */
/* gemm_nt of 16-bit operands, over the primitives of simd/. Elements become floats, which is exact;
 * then it is a product of floats: each output has one accumulator of CK_VF_LANES lanes, whatever the
 * tile it is in. */
#ifndef CK_GEMM_NT_16_H
#define CK_GEMM_NT_16_H

#include <assert.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "strict.h"
#include "table.h"

enum { CK_GEMM_16_MR = 4 };

/* No FMA in the scalar bundle; products of two halves are floats anyhow. */
#define CK_GEMM_16_SPEC                                                                 \
    {                                                                                   \
        .lanes = CK_VF_LANES, .accs = 1, .tail = CK_TAIL_LANE, .tree = CK_TREE_HALVING, \
        .mr = CK_GEMM_16_MR, .ku = CK_VF_LANES,                                         \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT |                     \
                 (CK_VF_LANES == 1 ? CK_NUM_MULADD : 0u),                               \
    }

/* CK_VF_LANES elements of a row of which n >= 1 are left; those beyond are 0. */
typedef ck_vf read_fn(const unsigned char *p, size_t n);

static inline ck_vf read_f32(const unsigned char *p, size_t n)
{
    float x[CK_VF_LANES] = { 0 };
    memcpy(x, p, (n < CK_VF_LANES ? n : CK_VF_LANES) * sizeof *x);
    return ck_vf_load(x);
}

static inline ck_vf read_f16(const unsigned char *p, size_t n)
{
    unsigned char rest[2 * CK_VF_LANES] = { 0 };
    if (n >= CK_VF_LANES) return ck_vf_load_half(p);
    memcpy(rest, p, 2 * n);
    return ck_vf_load_half(rest);
}

static inline ck_vf read_bf16(const unsigned char *p, size_t n)
{
    unsigned char rest[2 * CK_VF_LANES] = { 0 };
    if (n >= CK_VF_LANES) return ck_vf_load_brain(p);
    memcpy(rest, p, 2 * n);
    return ck_vf_load_brain(rest);
}

/* One element from a sum: nearest even, every NaN the same. */
typedef void write_fn(unsigned char *y, float x);

static inline void write_f32(unsigned char *y, float x) { memcpy(y, &x, sizeof x); }

static inline void write_f16(unsigned char *y, float x)
{
    unsigned char all[2 * CK_VF_LANES];
    ck_vf_store_half(all, ck_vf_one_nan(ck_vf_set1(x)));
    memcpy(y, all, 2);
}

static inline void write_bf16(unsigned char *y, float x)
{
    unsigned char all[2 * CK_VF_LANES];
    ck_vf_store_brain(all, ck_vf_one_nan(ck_vf_set1(x)));
    memcpy(y, all, 2);
}

/* How the operands of an op lie: bytes of an element, and what turns them into floats. */
typedef struct sixteen {
    read_fn *read_a, *read_b;
    write_fn *write;
    size_t a_bytes, b_bytes, y_bytes;
} sixteen;

/* A product, whatever its args are called. */
typedef struct rows_16 {
    const unsigned char *a, *b;
    unsigned char *y;
    const float *bias;
    size_t m, n, k, ldy, lda, ldb; /* in bytes */
} rows_16;

#define GEMM_INLINE __attribute__((always_inline)) static inline

/* Outputs i .. i + MR - 1 of column j. Rows beyond the last repeat it and are not stored. */
GEMM_INLINE void gemm_16_tile(const rows_16 *g, const sixteen *w, size_t i, size_t j)
{
    const size_t last = g->m - 1 - i;
    const unsigned char *b = g->k ? g->b + j * g->ldb : g->b, *a[CK_GEMM_16_MR];
    ck_vf acc[CK_GEMM_16_MR];
    for (size_t r = 0; r < CK_GEMM_16_MR; r++) {
        a[r] = g->k ? g->a + (i + (r < last ? r : last)) * g->lda : g->a;
        acc[r] = ck_vf_set1(0.0f);
    }
    for (size_t l = 0; l < g->k; l += CK_VF_LANES) {
        const ck_vf bv = w->read_b(b + l * w->b_bytes, g->k - l);
        for (size_t r = 0; r < CK_GEMM_16_MR; r++)
            acc[r] = ck_vf_muladd(w->read_a(a[r] + l * w->a_bytes, g->k - l), bv, acc[r]);
    }
    for (size_t r = 0; r < CK_GEMM_16_MR && r <= last; r++) {
        const float sum = ck_vf_sum(acc[r]);
        w->write(g->y + (i + r) * g->ldy + j * w->y_bytes, g->bias ? sum + g->bias[j] : sum);
    }
}

static inline void gemm_16_check(const rows_16 *g, const sixteen *w)
{
    assert(g->m == 0 || g->n == 0 || g->y);
    assert(g->m == 0 || g->n == 0 || g->k == 0 || (g->a && g->b));
    assert(g->lda >= g->k * w->a_bytes && g->ldb >= g->k * w->b_bytes);
    assert(g->ldy >= g->n * w->y_bytes);
    (void)g;
    (void)w;
}

GEMM_INLINE void gemm_16(const rows_16 *g, const sixteen *w)
{
    gemm_16_check(g, w);
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < g->m; i += CK_GEMM_16_MR) gemm_16_tile(g, w, i, j);
}

/* 16 elements of a row of which n are left, as floats. */
GEMM_INLINE void gemm_16_floats(float *x, read_fn *read, const unsigned char *p, size_t bytes,
                                size_t n)
{
    for (size_t e = 0; e < 16; e += CK_VF_LANES)
        ck_vf_store(x + e, e < n ? read(p + e * bytes, n - e) : ck_vf_set1(0.0f));
}

/* Element l in lane l mod 16. */
GEMM_INLINE double gemm_16_dot_strict(const unsigned char *a, const unsigned char *b, size_t k,
                                      const sixteen *w)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    for (size_t l = 0; l < k; l += 16) {
        float x[16], y[16];
        gemm_16_floats(x, w->read_a, a + l * w->a_bytes, w->a_bytes, k - l);
        gemm_16_floats(y, w->read_b, b + l * w->b_bytes, w->b_bytes, k - l);
        acc = ck_vd16_add(acc, ck_vd16_mul(ck_vd16_load(x), ck_vd16_load(y)));
    }
    return ck_vd16_sum(acc);
}

GEMM_INLINE void gemm_16_strict(const rows_16 *g, const sixteen *w)
{
    gemm_16_check(g, w);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *const a = g->k ? g->a + i * g->lda : g->a;
            const unsigned char *const b = g->k ? g->b + j * g->ldb : g->b;
            const double dot = gemm_16_dot_strict(a, b, g->k, w);
            const double y = g->bias ? dot + (double)g->bias[j] : dot;
            w->write(g->y + i * g->ldy + j * w->y_bytes,
                     w->y_bytes == sizeof(float) ? ck_strict_f32(y) : ck_strict_odd(y));
        }
}

/* Of gemm_w: a is f32, y too. */
GEMM_INLINE rows_16 gemm_16_weights(const ck_gemm_w_args *g)
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
                      g->ldb * 2 };
}

/* Of gemm_h. */
GEMM_INLINE rows_16 gemm_16_halves(const ck_gemm_h_args *g, const sixteen *w)
{
    return (rows_16){ g->a,
                      g->b,
                      g->y,
                      g->bias,
                      g->m,
                      g->n,
                      g->k,
                      g->ldy * w->y_bytes,
                      g->lda * w->a_bytes,
                      g->ldb * w->b_bytes };
}

#endif
