/* SPDX-License-Identifier: MIT */
/* References of elementwise functions. */
#include "range.h"

/* libm's exp is good to 1 ulp, 2 REF_UD; the strict kernels' own is taken to be to 2. */
static const double exp_own = 2 * REF_UD, exp_strict = 4 * REF_UD;

static double cap(double e) { return e * REF_SLACK; }

/* Overflow: RN(v) is infinite iff v >= REF_OVER; a result within the budget of that may be either.
 * Directed rounding may stop at FLT_MAX. Never NaN, never negative. */
static unsigned exp_classes(const ref_spec *spec, ref_ball b)
{
    if (b.v + b.e < REF_OVER) return REF_FINITE;
    const int nearest = spec->strict || spec->u <= 0x1p-24;
    return nearest && b.v - b.e > REF_OVER ? REF_PINF : REF_FINITE | REF_PINF;
}

static int flushed(const ref_spec *spec, double x)
{
    return !spec->strict && spec->num->exp_zero_below < 0 && x < spec->num->exp_zero_below;
}

/* Fast: r v with r = rexp u, u doubled in directed modes as the spec says; where the result may be
 * subnormal its rounding eta (or the flush) too; below exp_zero_below v itself, as the result is 0.
 * DAZ changes exp of a subnormal by less than 2^-125. Strict: half an ulp and both exponentials. */
static double exp_radius(const ref_spec *spec, double x, double v)
{
    const double own = exp_own * v;
    if (x == 0) return 0;
    if (spec->strict) {
        const double e = own + exp_strict * v;
        return v < REF_HALF_MIN * (1 - 8 * REF_UD) ? v : cap(ref_half_ulp(v + e) + e);
    }
    if (flushed(spec, x)) return cap(v + own);
    const ref_fp fp = ref_fp_of(spec);
    const double r = spec->num->rexp * fp.u * v;
    return cap(r + own + (v - r < REF_MIN_NORMAL ? fp.eta : 0) + 4 * fp.daz * (fabs(x) < fp.daz));
}

/* v = exp(x), which is 0 if each spec asked for must give 0: below exp_zero_below, or, in strict
 * mode, rounding to 0. Else what must be 0 is held to [0, 2v] only. */
static double exp_value(const ref_spec *specs, size_t nspecs, double x)
{
    const double v = exp(fmin(x, 200)); /* finite, and as much beyond FLT_MAX as exp(x) */
    for (size_t s = 0; s < nspecs; s++)
        if (specs[s].strict ? !(v < REF_HALF_MIN * (1 - 8 * REF_UD)) : !flushed(&specs[s], x))
            return v;
    return 0;
}

/* y = exp(x), |dy| <= rexp u y. exp(0) = 1, exp(-inf) = +0, exp(+inf) = +inf, NaN gives NaN, all
 * with radius 0. Source: unary.h, oracle.md 1. */
void ref_exp_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                 ref_out *out)
{
    const float *in = ((const ref_unary_args *)args)->x;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const double x = (double)in[tile->c0 + i % tile->cols];
        const int special = isnan(x) || isinf(x);
        const double v = special ? exp(x) : exp_value(specs, nspecs, x);
        out->v[i] = v;
        out->term[i] = isfinite(v) ? v : 0;
        for (size_t s = 0; s < nspecs; s++) {
            double *e = &out->e[s * out->n + i];
            *e = special ? 0 : exp_radius(&specs[s], x, v);
            const unsigned can = special ? 0 : exp_classes(&specs[s], (ref_ball){ v, *e });
            if (can == REF_PINF) out->v[i] = INFINITY;
            if (can == REF_PINF) *e = 0;
            if (can == (REF_FINITE | REF_PINF)) *e = REF_ANY;
        }
    }
}
