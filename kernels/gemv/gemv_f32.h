/* SPDX-License-Identifier: MIT */
/* The text of gemv_f32, compiled once per ISA, after simd/<isa>.h and CK_GEMV_ROWS. */
#ifndef CK_GEMV_F32_H
#define CK_GEMV_F32_H

#include <assert.h>

#include "gemm.h"
#include "strict.h"

/* The dot products of ROWS rows from j on. Rows beyond the last repeat it and are not stored: the
 * bits of an output do not depend on its place. */
static inline void gemv_rows(const ck_gemv_args *g, size_t j, float *dot)
{
    const size_t last = g->n - 1 - j;
    const float *b[CK_GEMV_ROWS], *x = g->x;
    ck_vf acc[CK_GEMV_ROWS];
    size_t l = 0;
    for (size_t r = 0; r < CK_GEMV_ROWS; r++) {
        b[r] = g->k ? g->b + (j + (r < last ? r : last)) * g->ldb : g->b;
        acc[r] = ck_vf_set1(0.0f);
    }
    for (; g->k - l >= CK_VF_LANES; l += CK_VF_LANES) {
        const ck_vf xv = ck_vf_load(x + l);
        for (size_t r = 0; r < CK_GEMV_ROWS; r++)
            acc[r] = ck_vf_muladd(xv, ck_vf_load(b[r] + l), acc[r]);
    }
    if (l < g->k) { /* the lanes beyond k add 0 * 0 */
        const ck_vf xv = ck_vf_load_n(x + l, g->k - l, 0.0f);
        for (size_t r = 0; r < CK_GEMV_ROWS; r++)
            acc[r] = ck_vf_muladd(xv, ck_vf_load_n(b[r] + l, g->k - l, 0.0f), acc[r]);
    }
    for (size_t r = 0; r < CK_GEMV_ROWS; r++) dot[r] = ck_vf_sum(acc[r]);
}

static inline void gemv_check(const ck_gemv_args *g)
{
    assert(g->n == 0 || g->y);
    assert(g->n == 0 || g->k == 0 || (g->x && g->b));
    assert(g->n == 0 || g->beta == 0.0f || g->c);
    assert(g->ldb >= g->k);
    (void)g;
}

static inline void gemv_f32(const void *args)
{
    const ck_gemv_args *g = args;
    gemv_check(g);
    for (size_t j = 0; j < g->n; j += CK_GEMV_ROWS) {
        float dot[CK_GEMV_ROWS];
        gemv_rows(g, j, dot);
        for (size_t r = 0; r < CK_GEMV_ROWS && j + r < g->n; r++) {
            float y = g->alpha * dot[r];
            if (g->beta != 0.0f) y = ck_f_muladd(g->beta, g->c[j + r], y);
            if (g->bias) y += g->bias[j + r];
            g->y[j + r] = y;
        }
    }
}

static inline void gemv_f32_strict(const void *args)
{
    const ck_gemv_args *g = args;
    gemv_check(g);
    for (size_t j = 0; j < g->n; j++) {
        const float *b = g->k ? g->b + j * g->ldb : g->b;
        double y = (double)g->alpha * ck_vd16_dot(g->x, b, g->k);
        if (g->beta != 0.0f) y += (double)g->beta * (double)g->c[j];
        if (g->bias) y += (double)g->bias[j];
        g->y[j] = ck_strict_f32(y);
    }
}

#endif
