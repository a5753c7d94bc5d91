/* SPDX-License-Identifier: MIT */
/* The text of rmsnorm_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_RMSNORM_F32_H
#define CK_RMSNORM_F32_H

#include "norm_f32.h"

static inline float rmsnorm_row(float *y, const float *x, const float *gamma, size_t d, float eps)
{
    const float rstd = 1.0f / sqrtf(norm_sum_squares(x, d, 0.0f) / (float)d + eps);
    const ck_vf r = ck_vf_set1(rstd);
    size_t j = 0;
    for (; d - j >= CK_VF_LANES; j += CK_VF_LANES)
        ck_vf_store(y + j, ck_vf_mul(ck_vf_mul(ck_vf_load(x + j), r), ck_vf_load(gamma + j)));
    if (j < d) {
        const ck_vf normed = ck_vf_mul(ck_vf_load_n(x + j, d - j, 0.0f), r);
        ck_vf_store_n(y + j, ck_vf_mul(normed, ck_vf_load_n(gamma + j, d - j, 0.0f)), d - j);
    }
    return rstd;
}

static inline float rmsnorm_row_strict(float *y, const float *x, const float *gamma, size_t d,
                                       float eps)
{
    const double mean = ck_vd16_dot(x, x, d) / (double)d, rstd = 1.0 / sqrt(mean + (double)eps);
    const ck_vd r = ck_vd_set1(rstd);
    size_t j = 0;
    for (; d - j >= CK_VD_LANES; j += CK_VD_LANES)
        ck_vd_store(y + j, ck_vd_mul(ck_vd_mul(ck_vd_load(x + j), r), ck_vd_load(gamma + j)));
    if (j < d) {
        const ck_vd normed = ck_vd_mul(ck_vd_load_n(x + j, d - j, 0.0f), r);
        ck_vd_store_n(y + j, ck_vd_mul(normed, ck_vd_load_n(gamma + j, d - j, 0.0f)), d - j);
    }
    return ck_strict_f32(rstd);
}

/* All rows by `row`, a constant function. */
static inline void rmsnorm_rows(const ck_rmsnorm_args *g,
                                float (*row)(float *, const float *, const float *, size_t, float))
{
    assert(g->t == 0 || (g->y && g->x && g->gamma && g->d > 0));
    assert(g->cols >= g->d && g->ldx >= g->d && g->ldy >= g->cols && g->eps >= 0.0f);
    assert(g->y != g->x || g->ldy == g->ldx);
    for (size_t i = 0; i < g->t; i++) {
        float *y = g->y + i * g->ldy;
        const float rstd = row(y, g->x + i * g->ldx, g->gamma, g->d, g->eps);
        norm_pad(y, g->d, g->cols);
        if (g->rstd) g->rstd[i * g->ldr] = rstd;
    }
}

static inline void rmsnorm_f32(const void *args) { rmsnorm_rows(args, rmsnorm_row); }
static inline void rmsnorm_f32_strict(const void *args) { rmsnorm_rows(args, rmsnorm_row_strict); }

#endif
