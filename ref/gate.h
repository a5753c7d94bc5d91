/* SPDX-License-Identifier: MIT */
/* The exponential and x / (1 + exp(-t)), on ranges. */
#ifndef REF_GATE_H
#define REF_GATE_H

#include "step.h"

/* Relative errors of the strict exponential (2 ulp) and of libm's (1 ulp), in REF_UD. */
enum { REF_EXP_STRICT = 4, REF_EXP_OWN = 2 };

/* exp(a): within rexp u; 1 at 0; 0 below exp_zero_below; +inf where it overflows. In double, e^600 stands for
 * all above it and 0 for all below e^-600, far beyond what leaves a trace in a float: next to 1 the latter leaves
 * none in a double, and two floats times it are below half of the least float. */
static inline ref_range ref_step_exp(const ref_arith *k, ref_range a)
{
    const ck_numspec *const num = k->spec->num;
    const int strict = k->spec->strict;
    if (ref_only(a, REF_PINF)) return (ref_range){ REF_PINF, { 0, 0 } };
    if (ref_only(a, REF_NINF)) return ref_point(0);
    if (ref_only(a, REF_NAN)) return a;
    if (!ref_only(a, REF_FINITE)) return ref_any();
    if (ref_sure(a) && a.b.v == 0) return ref_point(1);
    if (strict && a.b.v + a.b.e > 600) return (ref_range){ REF_FINITE, { exp(600), exp(600) } };
    if (strict && a.b.v + a.b.e < -600) return ref_point(0);
    const double below = num->exp_zero_below,
                 r = strict ? REF_EXP_STRICT * REF_UD : num->rexp * k->fp.u;
    const int flushes = !strict && below < 0;
    if (flushes && a.b.v + a.b.e < below) return ref_point(0);
    if (!strict && a.b.v - a.b.e > 100) return (ref_range){ REF_PINF, { 0, 0 } };
    ref_ball y = ref_exp(k->fp, r, a.b);
    if (flushes && a.b.v - a.b.e < below) y.e = fmax(y.e, y.v * REF_SLACK);
    return (ref_range){ ref_overflow(k->fp, y), y };
}

/* 1 + E for E >= 0. Where E is below a quarter of an ulp of 1, nearest gives 1: that is looked at first,
 * and kept if the result is exact by it. Else the sum's ball holds kernels that carry more digits, too. */
static inline ref_range ref_step_one_plus(const ref_arith *k, ref_range E)
{
    const int one = k->ones && !k->directed && !k->spec->strict;
    if (one && ref_only(E, REF_FINITE) && E.b.v + E.b.e < k->fp.u / 2) return ref_point(1);
    return ref_step_add(k, ref_point(1), E);
}

/* x / s, s >= 1 or +inf. What may overflow may give 0. */
static inline ref_range ref_step_share(const ref_arith *k, ref_range x, ref_range s)
{
    if (ref_only(s, REF_NAN) || ref_only(x, REF_NAN)) return (ref_range){ REF_NAN, { 0, 0 } };
    if (!ref_only(x, REF_FINITE)) return ref_any();
    const double v = x.b.v / s.b.v;
    if (ref_only(s, REF_PINF)) return ref_point(copysign(0, x.b.v));
    if (ref_sure(x) && x.b.v == 0 && !(s.can & REF_NAN)) return x;
    if (ref_sure(x) && ref_sure(s) && fma(v, s.b.v, -x.b.v) == 0 && ref_kept(k, v))
        return ref_point(v);
    if (!(s.can & REF_FINITE)) return ref_any();
    ref_range y = { REF_FINITE, ref_div(k->fp, x.b, s.b) };
    if (!k->spec->strict && !(k->spec->num->flags & CK_NUM_TRUE_DIV))
        y.b.e += 1.5 * k->fp.u * (fabs(y.b.v) + y.b.e);
    if (s.can & REF_PINF) y.b.e = fmax(y.b.e, (fabs(y.b.v) + fabs(x.b.e)) * REF_SLACK);
    return y;
}

/* x / (1 + exp(-t)) as x / (1 + e), or x e / (1 + e) for t < 0, e = exp(-|t|), which does not overflow.
 * Strict: the first form only, whose roundings are no more. */
static inline ref_range ref_step_gated(const ref_arith *k, ref_range x, ref_range t)
{
    const int below = t.b.v < 0 || t.can & REF_NINF;
    const ref_range e = ref_step_exp(k, below ? t : ref_neg(t));
    return ref_step_share(k, below ? ref_step_mul(k, x, e) : x, ref_step_one_plus(k, e));
}

/* x sigmoid(x), whose limits are -0 and +inf. */
static inline ref_range ref_step_silu(const ref_arith *k, float x)
{
    if (isnan(x)) return ref_range_of(x);
    if (isinf(x)) return x > 0 ? ref_range_of(x) : ref_point(-0.0);
    return ref_step_gated(k, ref_range_of(x), ref_range_of(x));
}

#endif
