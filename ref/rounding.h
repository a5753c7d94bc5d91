/* SPDX-License-Identifier: MIT */
/* Results that are rounded to 16 bits. */
#ifndef REF_ROUNDING_H
#define REF_ROUNDING_H

#include "ball.h"

/* A format of numbers with `bits` bits of significand, multiples of 2^least; from `over` on its results
 * are infinite. */
typedef struct ref_format {
    int bits, least;
    double over;
} ref_format;

/* docs/formats.md; IEEE 754, binary16: 11 bits, 2^-24, 65504 + 16. */
static const ref_format ref_half = { 11, -24, 65520 };
/* The upper half of a float: 8 bits, 2^-133, 2^128 - 2^119. */
static const ref_format ref_brain = { 8, -133, 0x1.ffp127 };

/* v to nearest, ties to even. */
static inline double ref_round_to(const ref_format *f, double v)
{
    int exponent;
    if (v == 0 || !isfinite(v)) return v;
    if (fabs(v) >= f->over) return v < 0 ? (double)-INFINITY : (double)INFINITY;
    frexp(v, &exponent); /* |v| < 2^exponent */
    const int last = exponent - f->bits > f->least ? exponent - f->bits : f->least;
    return ldexp(nearbyint(ldexp(v, -last)), last);
}

/* What the numbers of a ball are rounded to: rounding keeps their order, so the results lie between those
 * of the ball's ends. Nothing is demanded where some of them are infinite. */
static inline ref_ball ref_rounded(const ref_format *f, ref_ball a)
{
    const double low = ref_round_to(f, a.v - a.e), high = ref_round_to(f, a.v + a.e);
    if (low == high) return ref_exact(low);
    if (!isfinite(low) || !isfinite(high)) return (ref_ball){ a.v, REF_ANY };
    const double v = low + (high - low) / 2;
    return (ref_ball){ v, fmax(high - v, v - low) * REF_SLACK };
}

#endif
