/* SPDX-License-Identifier: MIT */
/* Ball arithmetic: a double value and a bound on how far a float computation may be from it.
 * Every function is a theorem under the model of ref_fp, second order included. */
#ifndef REF_BALL_H
#define REF_BALL_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ref.h"

/* Unit roundoff of the reference's own double arithmetic. */
#define REF_UD 0x1p-53
/* Radii are made of far fewer than 2^20 double operations on positive numbers, each off by 2^-53
 * relative, which this covers; sums of n terms add n REF_UD where they are made. */
#define REF_SLACK (1 + 1e-9)
/* The least magnitude that rounds to infinity: FLT_MAX + ulp / 2 = 2^128 - 2^103. */
#define REF_OVER 0x1.ffffffp127
/* Below it nothing overflows, however it was rounded: FLT_MAX (1 - 2^-20). */
#define REF_FITS       (FLT_MAX * (1 - 0x1p-20))
#define REF_MIN_NORMAL 0x1p-126
/* Half the least float: what is less rounds to zero. */
#define REF_HALF_MIN 0x1p-150

/* The computed value of every x in [v - e, v + e] that the computation stands for lies there. */
typedef struct ref_ball {
    double v, e;
} ref_ball;

/* The arithmetic a ball speaks of: fl(x op y) = (x op y)(1 + d) + h with |d| <= u; |h| <= eta for
 * products, quotients, roots and FMAs, |h| <= eta_add for sums. An operand below `daz` may be taken
 * as zero. */
typedef struct ref_fp {
    double u, eta, eta_add, daz;
} ref_fp;

/* Nearest: h is half of the least float, directed: all of it; a sum of floats that is subnormal is
 * exact. Flushing loses less than the least normal float, of sums too. Strict mode sets and
 * restores MXCSR and computes in double, in which floats never underflow. */
static inline ref_fp ref_fp_of(const ref_spec *spec)
{
    if (spec->strict) return (ref_fp){ REF_UD, 0, 0, 0 };
    ref_fp fp = { spec->u, spec->u > 0x1p-24 ? 2 * REF_HALF_MIN : REF_HALF_MIN, 0, 0 };
    if (spec->ftz || (spec->num->flags & CK_NUM_FTZ)) fp.eta = fp.eta_add = REF_MIN_NORMAL;
    if (spec->daz || (spec->num->flags & CK_NUM_DAZ)) fp.daz = REF_MIN_NORMAL;
    return fp;
}

static inline ref_ball ref_exact(double v) { return (ref_ball){ v, 0 }; }

/* The operand of an instruction: |0 - x| <= |x| < daz where x may be subnormal. */
static inline ref_ball ref_operand(ref_fp fp, ref_ball a)
{
    if (fp.daz > 0 && a.v != 0 && !(fabs(a.v) - a.e >= fp.daz)) a.e += fp.daz;
    return a;
}

/* One rounding of x in [v - e, v + e]: |fl(x) - v| <= e + u (|v| + e) + h. An unrounded x lies in
 * the ball as well, so FMA contraction of the step is covered. v itself is one double rounding off.
 */
static inline ref_ball ref_round(double u, double h, ref_ball a)
{
    a.e = (a.e + u * (fabs(a.v) + a.e) + h + REF_UD * fabs(a.v)) * REF_SLACK;
    return a;
}

static inline ref_ball ref_rnd(ref_fp fp, ref_ball a) { return ref_round(fp.u, fp.eta, a); }

/* |(a + da) + (b + db) - (a + b)| <= |da| + |db|. */
static inline ref_ball ref_add(ref_fp fp, ref_ball a, ref_ball b)
{
    a = ref_operand(fp, a);
    b = ref_operand(fp, b);
    return ref_round(fp.u, fp.eta_add, (ref_ball){ a.v + b.v, a.e + b.e });
}

static inline ref_ball ref_sub(ref_fp fp, ref_ball a, ref_ball b)
{
    b.v = -b.v;
    return ref_add(fp, a, b);
}

/* |(a + da)(b + db) - ab| <= |a||db| + |b||da| + |da||db|. */
static inline ref_ball ref_mul(ref_fp fp, ref_ball a, ref_ball b)
{
    a = ref_operand(fp, a);
    b = ref_operand(fp, b);
    const double e = fabs(a.v) * b.e + fabs(b.v) * a.e + a.e * b.e;
    return ref_rnd(fp, (ref_ball){ a.v * b.v, e });
}

/* (a + da)/(b + db) - a/b = (da - (a/b) db)/(b + db). Infinite radius if b may be 0. */
static inline ref_ball ref_div(ref_fp fp, ref_ball a, ref_ball b)
{
    a = ref_operand(fp, a);
    b = ref_operand(fp, b);
    const double v = a.v / b.v, least = fabs(b.v) - b.e;
    if (!(least > 0)) return (ref_ball){ v, INFINITY };
    /* least is a difference: 2 REF_UD |b| is its own error */
    const double e = (a.e + fabs(v) * b.e) / (least - 2 * REF_UD * fabs(b.v));
    return e >= 0 ? ref_rnd(fp, (ref_ball){ v, e }) : (ref_ball){ v, INFINITY };
}

/* |sqrt(x) - sqrt(a)| = |x - a| / (sqrt(x) + sqrt(a)), x >= max(a - e, 0). Requires a >= 0. */
static inline ref_ball ref_sqrt(ref_fp fp, ref_ball a)
{
    a = ref_operand(fp, a);
    const double v = sqrt(a.v), low = sqrt(fmax(a.v - a.e, 0));
    return ref_rnd(fp, (ref_ball){ v, v > 0 ? a.e / (v + low) : sqrt(a.e) });
}

/* An upper bound of e^w - 1, w >= 0: e^w - 1 - w <= w^2 for w <= 1. */
static inline double ref_expm1(double w) { return w <= 1 ? w + w * w : expm1(w) * REF_SLACK; }

/* A kernel's exponential of relative error r: |e^x (1 + d) - e^a| <= e^a (expm1(e)(1 + r) + r),
 * |d| <= r. A result in the subnormal range is rounded to its grid once more: eta. What a flush
 * loses is the caller's. exp() of libm is good to 1 ulp: 2 REF_UD. */
static inline ref_ball ref_exp(ref_fp fp, double r, ref_ball a)
{
    a = ref_operand(fp, a);
    const double v = exp(a.v), w = ref_expm1(a.e);
    const double e = v * (w * (1 + r) + r + 4 * REF_UD);
    return (ref_ball){ v, (e + (v - e < REF_MIN_NORMAL ? fp.eta : 0)) * REF_SLACK };
}

/* Upper bound of (1 + u)^h - 1, h roundings one after another: at most e^(hu) - 1. */
static inline double ref_growth(double h, double u) { return ref_expm1(h * u * (1 + 4 * REF_UD)); }

/* sum a_i b_i with at most h roundings on the way of any product:
 * e = sum(|a| b.e + |b| a.e + a.e b.e) + growth(h) sum (|a| + a.e)(|b| + b.e) + underflow, where
 * each of the n products may add eta and, if flushed, each of the n sums eta_add. */
static inline ref_ball ref_dot(ref_fp fp, const ref_ball *a, const ref_ball *b, size_t n, double h)
{
    double v = 0, in = 0, s = 0;
    for (size_t i = 0; i < n; i++) {
        const ref_ball x = ref_operand(fp, a[i]), y = ref_operand(fp, b[i]);
        v += x.v * y.v;
        in += fabs(x.v) * y.e + fabs(y.v) * x.e + x.e * y.e;
        s += (fabs(x.v) + x.e) * (fabs(y.v) + y.e);
    }
    const double g = ref_growth(h, fp.u), own = ((double)n + 2) * REF_UD;
    const double under = (double)n * (fp.eta + fp.eta_add + 2 * fp.daz) * (1 + g);
    return (ref_ball){ v, (in + (g + own) * s + under) * (1 + 2 * own) * REF_SLACK };
}

/* 2^k, -1022 <= k <= 1023. */
static inline double ref_pow2(int k)
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The exponent of x: 2^k <= |x| < 2^(k+1). x normal. */
static inline int ref_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

/* The least power of two >= x; 0 for 0. x normal or 0. */
static inline double ref_ceil_pow2(double x)
{
    if (x == 0) return 0;
    const double p = ref_pow2(ref_exponent(x));
    return p < x ? 2 * p : p;
}

/* The value of the lowest set bit of a float: x is a multiple of it. 0 for 0. */
static inline double ref_low_bit(float x)
{
    int k;
    const double f = fabs(frexp((double)x, &k)); /* f 2^24 is an integer */
    const uint64_t m = (uint64_t)(f * 0x1p24);
    return m == 0 ? 0 : (double)(m & (0 - m)) * ref_pow2(k - 24);
}

/* Half an ulp of a float of magnitude up to `mag`: 2^(k-24), and 2^-150 below 2^-126. */
static inline double ref_half_ulp(double mag)
{
    return mag < REF_MIN_NORMAL ? REF_HALF_MIN : ref_pow2(ref_exponent(mag) - 24);
}

static inline int ref_is_float(double x)
{
    return fabs(x) <= (double)FLT_MAX && (double)(float)x == x;
}

#endif
