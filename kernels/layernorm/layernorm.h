/* SPDX-License-Identifier: MIT */
/* The text of layernorm, compiled once per format and ISA, after simd/<isa>.h. */
#ifndef CK_LAYERNORM_H
#define CK_LAYERNORM_H

#include "norm_row.h"

typedef struct layernorm_stats {
    float mean, rstd;
} layernorm_stats;

/* A row; returns its statistics. */
typedef layernorm_stats layernorm_row_fn(const ck_element *e, const ck_layernorm_args *g,
                                         unsigned char *y, const unsigned char *x);

/* ((x - m) r) g + b */
static inline ck_vf layernorm_one(ck_vf x, ck_vf m, ck_vf r, ck_vf g, ck_vf b)
{
    return ck_vf_muladd(ck_vf_mul(ck_vf_sub(x, m), r), g, b);
}

CK_INLINE layernorm_stats layernorm_row(const ck_element *e, const ck_layernorm_args *g,
                                        unsigned char *y, const unsigned char *x)
{
    const size_t d = g->d, step = CK_VF_LANES * e->bytes;
    const float mean = norm_sum(e, x, d) / (float)d;
    const float rstd = 1.0f / sqrtf(norm_sum_squares(e, x, d, mean) / (float)d + g->eps);
    const ck_vf m = ck_vf_set1(mean), r = ck_vf_set1(rstd);
    size_t j = 0;
    for (; d - j >= CK_VF_LANES; j += CK_VF_LANES, x += step, y += step)
        e->store(
            y, layernorm_one(e->load(x), m, r, ck_vf_load(g->gamma + j), ck_vf_load(g->beta + j)));
    if (j < d)
        e->store_n(y,
                   layernorm_one(e->load_n(x, d - j), m, r, ck_vf_load_n(g->gamma + j, d - j, 0.0f),
                                 ck_vf_load_n(g->beta + j, d - j, 0.0f)),
                   d - j);
    return (layernorm_stats){ mean, rstd };
}

CK_INLINE layernorm_stats layernorm_row_strict(const ck_element *e, const ck_layernorm_args *g,
                                               unsigned char *y, const unsigned char *x)
{
    const size_t d = g->d;
    const double mu = norm_sum_strict(e, x, d) / (double)d;
    const double inverse =
        1.0 / sqrt(norm_sum_squares_strict(e, x, d, mu) / (double)d + (double)g->eps);
    const ck_vd16 m = ck_vd16_set1(mu), r = ck_vd16_set1(inverse);
    for (size_t j = 0; j < d; j += 16) {
        const ck_vd16 off = ck_vd16_sub(e->load_d(x + j * e->bytes, d - j), m);
        const ck_vd16 scaled = ck_vd16_mul(ck_vd16_mul(off, r), norm_load_d(g->gamma + j, d - j));
        e->store_d(y + j * e->bytes, ck_vd16_add(scaled, norm_load_d(g->beta + j, d - j)), d - j);
    }
    return (layernorm_stats){ ck_strict_f32(mu), ck_strict_f32(inverse) };
}

/* All rows by `row`, a constant function. */
CK_INLINE void layernorm_rows(const void *args, const ck_element *e, layernorm_row_fn *row)
{
    const ck_layernorm_args *const g = args;
    const unsigned char *const x = g->x;
    unsigned char *const all = g->y;
    assert(g->t == 0 || (g->y && g->x && g->gamma && g->beta && g->d > 0));
    assert(g->cols >= g->d && g->ldx >= g->d && g->ldy >= g->cols && g->eps >= 0.0f);
    assert(g->y != g->x || g->ldy == g->ldx);
    for (size_t i = 0; i < g->t; i++) {
        unsigned char *const y = all + i * g->ldy * e->bytes;
        const layernorm_stats s = row(e, g, y, x + i * g->ldx * e->bytes);
        norm_pad(e, y, g->d, g->cols);
        if (g->mean) g->mean[i * g->ldr] = s.mean;
        if (g->rstd) g->rstd[i * g->ldr] = s.rstd;
    }
}

CK_INLINE void layernorm(const void *args, const ck_element *e)
{
    layernorm_rows(args, e, layernorm_row);
}
CK_INLINE void layernorm_strict(const void *args, const ck_element *e)
{
    layernorm_rows(args, e, layernorm_row_strict);
}

#endif
