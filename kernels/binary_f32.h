/* SPDX-License-Identifier: MIT */
/* The text of elementwise functions of two operands, compiled once per op and ISA, after simd/<isa>.h and
 *   CK_BINARY_FAST(a, b), CK_BINARY_STRICT(a, b)   the function of vectors. */
#ifndef CK_BINARY_F32_H
#define CK_BINARY_F32_H

#include <assert.h>

#include "binary.h"

/* y may be a or b. */
static inline void binary_row(float *y, const float *a, const float *b, size_t n)
{
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES)
        ck_vf_store(y + j, CK_BINARY_FAST(ck_vf_load(a + j), ck_vf_load(b + j)));
    if (j == n) return;
    const ck_vf u = ck_vf_load_n(a + j, n - j, 0.0f), v = ck_vf_load_n(b + j, n - j, 0.0f);
    ck_vf_store_n(y + j, CK_BINARY_FAST(u, v), n - j);
}

static inline void binary_row_strict(float *y, const float *a, const float *b, size_t n)
{
    size_t j = 0;
    for (; n - j >= CK_VD_LANES; j += CK_VD_LANES)
        ck_vd_store(y + j, CK_BINARY_STRICT(ck_vd_load(a + j), ck_vd_load(b + j)));
    if (j == n) return;
    const ck_vd u = ck_vd_load_n(a + j, n - j, 0.0f), v = ck_vd_load_n(b + j, n - j, 0.0f);
    ck_vd_store_n(y + j, CK_BINARY_STRICT(u, v), n - j);
}

/* All rows by `row`, a constant function, and +0 beyond each. */
static inline void binary_rows(const ck_binary_args *g,
                               void (*row)(float *, const float *, const float *, size_t))
{
    assert(g->t == 0 || (g->y && g->a && g->b));
    assert(g->cols >= g->d && g->lda >= g->d && g->ldb >= g->d && g->ldy >= g->cols);
    for (size_t i = 0; i < g->t; i++) {
        float *y = g->y + i * g->ldy;
        row(y, g->a + i * g->lda, g->b + i * g->ldb, g->d);
        for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
    }
}

static inline void binary_f32(const void *args) { binary_rows(args, binary_row); }
static inline void binary_f32_strict(const void *args) { binary_rows(args, binary_row_strict); }

#endif
