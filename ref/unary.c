/* SPDX-License-Identifier: MIT */
/* References of elementwise functions. */
#include "range.h"

ref_fn ref_exp_f32;

/* libm's exp is good to 1 ulp, 2 REF_UD; the strict kernels' own is taken to be to 2. */
static const double exp_own = 2 * REF_UD, exp_strict = 4 * REF_UD;

static double cap(double e) { return e * REF_SLACK; }

/* 2^-150 rounds to 0, and anything less; v is off by exp_own, the strict kernel by exp_strict. */
static int strict_zero(double v) { return v < REF_HALF_MIN * (1 - 8 * REF_UD); }

/* Overflow: RN(v) is infinite iff v >= REF_OVER; a result within the budget of that may be either.
 * Directed rounding may stop at FLT_MAX. Never NaN, never negative. */
static ref_ball overflow(const ref_spec *spec, ref_ball b)
{
    const int nearest = spec->strict || spec->u <= 0x1p-24;
    if (b.v + b.e < REF_OVER) return b;
    if (nearest && b.v - b.e > REF_OVER) return (ref_ball){ INFINITY, 0 };
    return (ref_ball){ b.v, REF_ANY };
}

/* Strict: half an ulp and both exponentials. */
static ref_ball exp_of_strict(double v)
{
    const double e = (exp_own + exp_strict) * v;
    if (strict_zero(v)) return ref_exact(0);
    return (ref_ball){ v, cap(ref_half_ulp(v + e) + e) };
}

/* Fast: r v with r = rexp u, u doubled in directed modes as the spec says; where the result may be
 * subnormal its rounding eta (or the flush) too; exactly 0 below exp_zero_below. DAZ changes exp of
 * a subnormal by less than 2^-125. */
static ref_ball exp_of_fast(const ref_spec *spec, double x, double v)
{
    const ref_fp fp = ref_fp_of(spec);
    const double r = spec->num->rexp * fp.u * v, zero_below = spec->num->exp_zero_below;
    if (zero_below < 0 && x < zero_below) return ref_exact(0);
    const double under = (v - r < REF_MIN_NORMAL ? fp.eta : 0) + 4 * fp.daz * (fabs(x) < fp.daz);
    return (ref_ball){ v, cap(r + exp_own * v + under) };
}

/* v = exp(x), or finite and as much beyond FLT_MAX. */
static ref_ball exp_of(const ref_spec *spec, double x, double v)
{
    if (isnan(x) || isinf(x)) return ref_exact(exp(x));
    if (x == 0) return ref_exact(1);
    return overflow(spec, spec->strict ? exp_of_strict(v) : exp_of_fast(spec, x, v));
}

/* y = exp(x), |dy| <= rexp u y. exp(0) = 1, exp(-inf) = +0, exp(+inf) = +inf, NaN gives NaN, all
 * with radius 0. Source: kernels.def; docs/oracle.md, "exp". */
void ref_exp_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                 ref_out *out)
{
    const float *in = ((const ref_unary_args *)args)->x;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const double x = (double)in[tile->c0 + i % tile->cols], v = exp(fmin(x, 200));
        out->term[i] = isnan(x) || isinf(x) ? 0 : v;
        for (size_t s = 0; s < nspecs; s++) {
            const ref_ball y = exp_of(&specs[s], x, v);
            out->v[s * out->n + i] = y.v;
            out->e[s * out->n + i] = y.e;
        }
    }
}
