/* SPDX-License-Identifier: MIT */
/* References of rmsnorm and layernorm. */
#include <stdlib.h>

#include "rounding.h"

ref_fn ref_rmsnorm_f32, ref_rmsnorm_bf16, ref_layernorm_f32, ref_layernorm_bf16;

/* One row under one spec. */
typedef struct norm {
    const ref_norm_args *g;
    const ref_number *format;
    const float *x;
    ref_range mean, rstd;
} norm;

/* 1 / sqrt(sum / d + eps), and, without CK_NUM_TRUE_SQRT, the declared budget. */
static ref_range rstd_of(const ref_arith *k, ref_range sum, size_t d, float eps)
{
    const ref_range mean = ref_step_over(k, sum, (double)d);
    const ref_range root = ref_step_sqrt(k, ref_step_add(k, mean, ref_range_of(eps)));
    ref_range r = ref_step_recip(k, root);
    if (!k->spec->strict && !(k->spec->num->flags & CK_NUM_TRUE_SQRT))
        r.b.e += k->spec->num->rrsqrt * k->fp.u * (fabs(r.b.v) + r.b.e);
    return r;
}

static void square_all(const float *x, size_t d, double *t)
{
    for (size_t j = 0; j < d; j++) t[j] = (double)x[j] * (double)x[j];
}

/* t[j] = (x[j] - m)^2; whether every difference is a float and so its square exact. */
static int square_deviations(const float *x, size_t d, double m, double *t)
{
    int exact = 1;
    for (size_t j = 0; j < d; j++) {
        const double v = (double)x[j] - m;
        exact &= ref_is_float(v) && ref_sum_is((double)x[j], -m, v);
        t[j] = v * v;
    }
    return exact;
}

/* inf - inf where a number is infinite; else the mean has overflowed and every difference is infinite. */
static ref_range infinite_mean(const norm *w)
{
    ref_range y = { w->mean.can & REF_NAN ? REF_NAN : REF_PINF, { 0, 0 } };
    if (w->mean.can & REF_FINITE) return ref_any();
    for (size_t j = 0; j < w->g->d; j++)
        if (!isfinite(w->x[j])) y.can = REF_NAN;
    return y;
}

/* sum (x - m)^2 with a computed mean m = mu + delta, |delta| <= mean.e, mu being off the true mean by
 * less: sum (x - m)^2 is sum (x - mu)^2 + 2 delta sum (mu - x) + d delta^2, the last two less than
 * 3 d mean.e^2. Each difference is rounded once, so its square twice; then the sum of positive terms
 * by its height. One-pass sums (CK_NUM_ONEPASS_VAR) are not this op's. */
static ref_range deviations(const ref_arith *k, const norm *w, double *t)
{
    const size_t d = w->g->d;
    if (!ref_only(w->mean, REF_FINITE)) return infinite_mean(w);
    const int exact = square_deviations(w->x, d, w->mean.b.v, t);
    if (exact && w->mean.b.e == 0) return ref_step_sum(k, t, d, 1);
    double v = 0;
    for (size_t j = 0; j < d; j++) v += t[j];
    const double e = w->mean.b.e, n = (double)d, shift = 3 * n * e * e, u = k->fp.u;
    const double s =
        (v + shift) * (1 + ref_growth(2, u)) + 4 * n * (k->fp.eta_add + k->fp.daz) * (sqrt(v) + 1);
    const ref_order o = ref_order_of(k->spec->num, d);
    const ref_loss loss = {
        .n = n, .s = s, .any = n, .height = k->spec->strict ? n : ref_height(&o, 1), .nodes = -1
    };
    const ref_ball b = { v, (s - v + ref_sum_error(k->fp, &loss) + (2 * n + 8) * REF_UD * s) *
                                REF_SLACK };
    if (s * (1 + ref_growth(n, u)) < REF_FITS || k->spec->strict)
        return (ref_range){ REF_FINITE, b };
    return ref_any();
}

static ref_range element(const ref_arith *k, const norm *w, size_t j)
{
    const ref_norm_args *const g = w->g;
    const ref_range x = ref_range_of(w->x[j]), gamma = ref_range_of(g->gamma[j]);
    if (!g->beta) return ref_step_mul(k, ref_step_mul(k, x, w->rstd), gamma);
    const ref_range normed = ref_step_mul(k, ref_step_sub(k, x, w->mean), w->rstd);
    return ref_step_muladd(k, normed, gamma, ref_range_of(g->beta[j]));
}

/* The statistics of a row; t has room for d terms. */
static void measure(const ref_arith *k, norm *w, double *t)
{
    const ref_norm_args *const g = w->g;
    if (g->beta) {
        for (size_t j = 0; j < g->d; j++) t[j] = (double)w->x[j];
        w->mean = ref_step_over(k, ref_step_sum(k, t, g->d, 0), (double)g->d);
        w->rstd = rstd_of(k, deviations(k, w, t), g->d, g->eps);
    } else {
        square_all(w->x, g->d, t);
        w->rstd = rstd_of(k, ref_step_sum(k, t, g->d, 1), g->d, g->eps);
    }
}

static void put_row(const ref_arith *k, const norm *w, ref_out *out, size_t s, size_t at)
{
    const ref_norm_args *const g = w->g;
    for (size_t j = 0; j < g->d && !g->statistics; j++)
        ref_put(out, s, at + j, ref_stored_as(w->format, k, element(k, w, j)));
    if (g->statistics && g->beta) ref_put(out, s, at, ref_stored(k, w->mean));
    if (g->statistics) ref_put(out, s, at + (g->beta != NULL), ref_stored(k, w->rstd));
}

static void norm_rows(const ref_norm_args *g, const ref_number *format, const ref_tile *tile,
                      const ref_spec *specs, size_t nspecs, ref_out *out)
{
    double *const t = malloc(g->d * sizeof *t);
    float *const x = malloc(g->d * sizeof *x);
    if (!t || !x) abort();
    for (size_t i = 0; i < tile->rows; i++) {
        const size_t at = i * tile->cols;
        norm w = { .g = g, .format = format, .x = x };
        for (size_t j = 0; j < g->d; j++)
            x[j] = ref_number_at(format, g->x, (tile->r0 + i) * g->ldx + j);
        for (size_t s = 0; s < nspecs; s++) {
            const ref_arith k = ref_arith_of(&specs[s]);
            measure(&k, &w, t);
            put_row(&k, &w, out, s, at);
        }
        for (size_t j = at; j < at + tile->cols; j++) ref_put_result_term(out, nspecs, j);
        for (size_t j = g->d; j < g->cols && !g->statistics; j++)
            ref_put_all(out, nspecs, at + j, 0);
    }
    free(t);
    free(x);
}

#define NORM(op, dtype)                                                                    \
    void ref_##op##_##dtype(const void *args, const ref_tile *tile, const ref_spec *specs, \
                            size_t nspecs, ref_out *out)                                   \
    {                                                                                      \
        norm_rows(args, &ref_number_##dtype, tile, specs, nspecs, out);                    \
    }

/* y = (x rstd) gamma, rstd = 1 / sqrt(sum x^2 / d + eps), operation by operation; +0 in the pad lanes.
 * Source: norm.h; docs/oracle.md, "norms". */
NORM(rmsnorm, f32)
NORM(rmsnorm, bf16)

/* y = ((x - mean) rstd) gamma + beta, the variance in two passes.
 * Source: norm.h; docs/oracle.md, "norms". */
NORM(layernorm, f32)
NORM(layernorm, bf16)
#undef NORM
