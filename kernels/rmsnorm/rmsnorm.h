/* SPDX-License-Identifier: MIT */
/* The text of rmsnorm, compiled once per format and ISA, after simd/<isa>.h. */
#ifndef CK_RMSNORM_H
#define CK_RMSNORM_H

#include "norm_row.h"

/* A row; returns its rstd. */
typedef float rmsnorm_row_fn(const ck_element *e, const ck_rmsnorm_args *g, unsigned char *y,
                             const unsigned char *x);

CK_INLINE float rmsnorm_row(const ck_element *e, const ck_rmsnorm_args *g, unsigned char *y,
                            const unsigned char *x)
{
    const size_t d = g->d, step = CK_VF_LANES * e->bytes;
    const float rstd = 1.0f / sqrtf(norm_sum_squares(e, x, d, 0.0f) / (float)d + g->eps);
    const ck_vf r = ck_vf_set1(rstd);
    size_t j = 0;
    for (; d - j >= CK_VF_LANES; j += CK_VF_LANES, x += step, y += step)
        e->store(y, ck_vf_mul(ck_vf_mul(e->load(x), r), ck_vf_load(g->gamma + j)));
    if (j < d) {
        const ck_vf normed = ck_vf_mul(e->load_n(x, d - j), r);
        e->store_n(y, ck_vf_mul(normed, ck_vf_load_n(g->gamma + j, d - j, 0.0f)), d - j);
    }
    return rstd;
}

CK_INLINE float rmsnorm_row_strict(const ck_element *e, const ck_rmsnorm_args *g, unsigned char *y,
                                   const unsigned char *x)
{
    const double mean = norm_sum_squares_strict(e, x, g->d, 0.0) / (double)g->d;
    const double rstd = 1.0 / sqrt(mean + (double)g->eps);
    const ck_vd16 r = ck_vd16_set1(rstd);
    for (size_t j = 0; j < g->d; j += 16) {
        const size_t left = g->d - j;
        const ck_vd16 normed = ck_vd16_mul(e->load_d(x + j * e->bytes, left), r);
        e->store_d(y + j * e->bytes, ck_vd16_mul(normed, norm_load_d(g->gamma + j, left)), left);
    }
    return ck_strict_f32(rstd);
}

/* All rows by `row`, a constant function. */
CK_INLINE void rmsnorm_rows(const void *args, const ck_element *e, rmsnorm_row_fn *row)
{
    const ck_rmsnorm_args *const g = args;
    const unsigned char *const x = g->x;
    unsigned char *const all = g->y;
    assert(g->t == 0 || (g->y && g->x && g->gamma && g->d > 0));
    assert(g->cols >= g->d && g->ldx >= g->d && g->ldy >= g->cols && g->eps >= 0.0f);
    assert(g->y != g->x || g->ldy == g->ldx);
    for (size_t i = 0; i < g->t; i++) {
        unsigned char *const y = all + i * g->ldy * e->bytes;
        const float rstd = row(e, g, y, x + i * g->ldx * e->bytes);
        norm_pad(e, y, g->d, g->cols);
        if (g->rstd) g->rstd[i * g->ldr] = rstd;
    }
}

CK_INLINE void rmsnorm(const void *args, const ck_element *e)
{
    rmsnorm_rows(args, e, rmsnorm_row);
}
CK_INLINE void rmsnorm_strict(const void *args, const ck_element *e)
{
    rmsnorm_rows(args, e, rmsnorm_row_strict);
}

#endif
