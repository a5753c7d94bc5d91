/* SPDX-License-Identifier: MIT */
/* The text of layernorm_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_LAYERNORM_F32_H
#define CK_LAYERNORM_F32_H

#include "norm_f32.h"

/* ((x - m) r) g + b */
static inline ck_vf layernorm_one(ck_vf x, ck_vf m, ck_vf r, ck_vf g, ck_vf b)
{
    return ck_vf_muladd(ck_vf_mul(ck_vf_sub(x, m), r), g, b);
}

static inline ck_vd layernorm_one_strict(ck_vd x, ck_vd m, ck_vd r, ck_vd g, ck_vd b)
{
    return ck_vd_add(ck_vd_mul(ck_vd_mul(ck_vd_sub(x, m), r), g), b);
}

/* Row i; its statistics into *mean and *rstd. */
static inline void layernorm_row(const ck_layernorm_args *g, size_t i, float *mean, float *rstd)
{
    const float *x = g->x + i * g->ldx, *gamma = g->gamma, *beta = g->beta;
    float *y = g->y + i * g->ldy;
    const size_t d = g->d;
    size_t j = 0;
    *mean = norm_sum(x, d) / (float)d;
    *rstd = 1.0f / sqrtf(norm_sum_squares(x, d, *mean) / (float)d + g->eps);
    const ck_vf m = ck_vf_set1(*mean), r = ck_vf_set1(*rstd);
    for (; d - j >= CK_VF_LANES; j += CK_VF_LANES)
        ck_vf_store(y + j, layernorm_one(ck_vf_load(x + j), m, r, ck_vf_load(gamma + j),
                                         ck_vf_load(beta + j)));
    if (j < d)
        ck_vf_store_n(y + j,
                      layernorm_one(ck_vf_load_n(x + j, d - j, 0.0f), m, r,
                                    ck_vf_load_n(gamma + j, d - j, 0.0f),
                                    ck_vf_load_n(beta + j, d - j, 0.0f)),
                      d - j);
}

static inline void layernorm_row_strict(const ck_layernorm_args *g, size_t i, float *mean,
                                        float *rstd)
{
    const float *x = g->x + i * g->ldx, *gamma = g->gamma, *beta = g->beta;
    float *y = g->y + i * g->ldy;
    const size_t d = g->d;
    const double mu = norm_sum_strict(x, d) / (double)d;
    const double inverse =
        1.0 / sqrt(norm_sum_squares_strict(x, d, mu) / (double)d + (double)g->eps);
    const ck_vd m = ck_vd_set1(mu), r = ck_vd_set1(inverse);
    size_t j = 0;
    *mean = ck_strict_f32(mu);
    *rstd = ck_strict_f32(inverse);
    for (; d - j >= CK_VD_LANES; j += CK_VD_LANES)
        ck_vd_store(y + j, layernorm_one_strict(ck_vd_load(x + j), m, r, ck_vd_load(gamma + j),
                                                ck_vd_load(beta + j)));
    if (j < d)
        ck_vd_store_n(y + j,
                      layernorm_one_strict(ck_vd_load_n(x + j, d - j, 0.0f), m, r,
                                           ck_vd_load_n(gamma + j, d - j, 0.0f),
                                           ck_vd_load_n(beta + j, d - j, 0.0f)),
                      d - j);
}

/* All rows by `row`, a constant function. */
static inline void layernorm_rows(const ck_layernorm_args *g,
                                  void (*row)(const ck_layernorm_args *, size_t, float *, float *))
{
    assert(g->t == 0 || (g->y && g->x && g->gamma && g->beta && g->d > 0));
    assert(g->cols >= g->d && g->ldx >= g->d && g->ldy >= g->cols && g->eps >= 0.0f);
    assert(g->y != g->x || g->ldy == g->ldx);
    for (size_t i = 0; i < g->t; i++) {
        float mean, rstd;
        row(g, i, &mean, &rstd);
        norm_pad(g->y + i * g->ldy, g->d, g->cols);
        if (g->mean) g->mean[i * g->ldr] = mean;
        if (g->rstd) g->rstd[i * g->ldr] = rstd;
    }
}

static inline void layernorm_f32(const void *args) { layernorm_rows(args, layernorm_row); }
static inline void layernorm_f32_strict(const void *args)
{
    layernorm_rows(args, layernorm_row_strict);
}

#endif
