/* SPDX-License-Identifier: MIT */
/* Balls of activations: relu max(x, 0); silu x s(x); gelu x s(t), t = 2 sqrt(2/pi) (x + 0.044715 x^3),
 * which is the tanh form, x (1 + tanh(t / 2)) / 2; s(t) = 1 / (1 + e^-t).
 * Sources: Hendrycks, Gimpel 2016, arXiv:1606.08415; docs/oracle.md, "activations". */
#ifndef REF_ACTIVATION_H
#define REF_ACTIVATION_H

#include "ball.h"

typedef enum ref_act { REF_ACT_NONE, REF_ACT_RELU, REF_ACT_SILU, REF_ACT_GELU } ref_act;

/* What s is taken of. */
static inline double ref_act_gate(ref_act act, double x)
{
    const double twice = 1.5957691216057308; /* 2 sqrt(2 / pi) */
    return act == REF_ACT_GELU ? twice * (x + 0.044715 * x * x * x) : x;
}

static inline double ref_act_gate_slope(ref_act act, double x)
{
    return act == REF_ACT_GELU ? 1.5957691216057308 * (1 + 3 * 0.044715 * x * x) : 1;
}

/* x finite. */
static inline double ref_act_value(ref_act act, double x)
{
    if (act == REF_ACT_NONE) return x;
    if (act == REF_ACT_RELU) return fmax(x, 0);
    const double t = ref_act_gate(act, x), e = exp(-fabs(t));
    return x * (t < 0 ? e : 1) / (1 + e);
}

/* An upper bound of |f'| on [low, high], f' = s + x t' s (1 - s). Everywhere at most 1.0999 (silu) and
 * 1.1290 (gelu). Below 0, with a = |x|: at most e^-t(a) (1 + a t'(a)), which falls as a grows; above 2
 * at most 1 + a t'(a) e^-t(a), which does so too. */
static inline double ref_act_slope(ref_act act, double low, double high)
{
    const double most = 1.13, a = high < 0 ? -high : low;
    if (act == REF_ACT_NONE) return 1;
    if (act == REF_ACT_RELU) return high <= 0 ? 0 : 1;
    if (high >= 0 && low <= 2) return most;
    const double e = exp(-ref_act_gate(act, a)), part = a * ref_act_gate_slope(act, a) * e;
    return e > 0 ? fmin(most, ((high < 0 ? e : 1) + part) * REF_SLACK) : high >= 0;
}

/* At least a t e^-t for all a = |x| in [least, most], t = t(a): below 0.55 everywhere, below a t, and
 * falling from 1.5 (gelu), 2 (silu) on. It is what a relative error of t moves the result by. */
static inline double ref_act_lean(ref_act act, double least, double most)
{
    const double t = ref_act_gate(act, least), e = exp(-t);
    if (least < 2) return fmin(0.55, most * ref_act_gate(act, most) * REF_SLACK);
    return e > 0 ? least * t * e * REF_SLACK : 0;
}

/* s(t) is certainly 1 or 0 to the kernel, whichever mode it is in; perhaps; certainly computed. */
typedef enum ref_act_end { REF_ACT_LIVE, REF_ACT_MAYBE, REF_ACT_ENDED } ref_act_end;

/* e^-|t| is 0 below exp_zero_below and, to nearest, where it is less than half of the least float; then
 * too 1 + e is 1 for e < u / 2. A budget of up to 2^10 u does not change that. x s(t) is then x for x > 0,
 * and below 0, where e is a factor, 0 only if e is. */
static inline ref_act_end ref_act_end_of(ref_act act, const ref_spec *spec, ref_fp fp, double least,
                                         double most, int above)
{
    const double low = ref_act_gate(act, least) * (1 - 0x1p-19);
    const double high = ref_act_gate(act, most) * (1 + 0x1p-19);
    const double zero = spec->strict ? 0 : spec->num->exp_zero_below;
    const int nearest = fp.u <= 0x1p-24;
    const double one = above ? fp.u : spec->strict ? 0 : REF_HALF_MIN;
    if (nearest && exp(-low) * 1.001 < one / 2) return REF_ACT_ENDED;
    if (!(zero < 0)) return REF_ACT_LIVE;
    return low > -zero ? REF_ACT_ENDED : high < -zero ? REF_ACT_LIVE : REF_ACT_MAYBE;
}

/* The error of computing x s(t), a = |x| in [least, most], where |x s(t)| <= f: relative, at most three
 * roundings and the budget r of the exponential (1 + e, the product or none, the quotient); t is off by
 * at most 5 u (x x, two constants, the product and the sum of the cubic, the last product), which moves
 * e^-t by 5 u t and the result by 5 u lean; what is flushed. A reciprocal and a product: 1.5 u more. */
static inline double ref_act_own(ref_act act, const ref_spec *spec, ref_fp fp, double f,
                                 double least, double most, ref_act_end end)
{
    const double zero = spec->strict ? 0 : spec->num->exp_zero_below;
    const int divides = spec->strict || (spec->num->flags & CK_NUM_TRUE_DIV);
    const double r = spec->strict ? 4 * REF_UD : spec->num->rexp * fp.u;
    const double rounded = ref_growth(divides ? 3 : 4.5, fp.u);
    const double lean = ref_act_lean(act, least, most);
    double e = f * (rounded + (1 + rounded) * r / (1 - r));
    if (act == REF_ACT_GELU) e += 5.01 * fp.u * lean;
    e += 4 * fp.eta + fp.eta_add + 4 * fp.daz;
    if (!(zero < 0)) e += most * fp.eta; /* e^-t may be subnormal */
    if (end == REF_ACT_MAYBE) e += -zero * exp(zero) * 1.01;
    return e + 16 * REF_UD * (f + lean); /* this file's own */
}

/* The ball of an activation of every x in the ball a. The argument's error is carried on by the
 * steepest slope over it: |f(x) - f(v)| <= |f'| e. */
static inline ref_ball ref_activate(ref_act act, const ref_spec *spec, ref_ball a)
{
    const ref_fp fp = ref_fp_of(spec);
    const double low = a.v - a.e, high = a.v + a.e, v = ref_act_value(act, a.v);
    if (act == REF_ACT_NONE) return a;
    if (act == REF_ACT_RELU) {
        if (high <= 0) return ref_exact(0);
        return (ref_ball){ v, a.v < 0 ? high : ref_operand(fp, a).e };
    }
    const double least = fmax(fmax(low, -high), 0), most = fmax(-low, high);
    const int single = least > 0;
    const ref_act_end end = ref_act_end_of(act, spec, fp, least, most, low > 0);
    if (a.v == 0 && a.e == 0) return ref_exact(0);
    if (single && end == REF_ACT_ENDED) return low > 0 ? a : ref_exact(0);
    const double moved = ref_act_slope(act, low, high) * a.e;
    const double own =
        ref_act_own(act, spec, fp, fabs(v) + moved, least, most, single ? end : REF_ACT_MAYBE);
    return (ref_ball){ v, (moved + own) * REF_SLACK };
}

/* Strict: one rounding of the double result; what is below half of the least float becomes 0. */
static inline ref_ball ref_strict_rounding(ref_ball a)
{
    const double most = fabs(a.v) + a.e;
    if (most < REF_HALF_MIN * (1 - 0x1p-20)) return ref_exact(0);
    if (a.e == 0 && ref_is_float(a.v)) return a;
    return (ref_ball){ a.v, (ref_half_ulp(most) + a.e) * REF_SLACK };
}

#endif
