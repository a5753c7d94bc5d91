/* SPDX-License-Identifier: MIT */
/* What may come out of a float computation when infinities, NaNs or overflow take part: the set of
 * classes that some order of evaluation or rounding can give. A result is only demanded if it is
 * the only one. */
#ifndef REF_RANGE_H
#define REF_RANGE_H

#include "ball.h"

enum { REF_FINITE = 1, REF_PINF = 2, REF_NINF = 4, REF_NAN = 8 };

typedef struct ref_range {
    unsigned can; /* REF_FINITE, ... */
    ref_ball b;   /* of the finite results */
} ref_range;

/* The classes of a rounded result. In nearest the result is infinite for certain if all of the
 * ball, which includes the rounding to an unbounded exponent, is beyond FLT_MAX: the rounded value
 * is then at least 2^128. Directed rounding may stop at FLT_MAX. Doubles made of floats do not
 * overflow. */
static inline unsigned ref_overflow(ref_fp fp, ref_ball b)
{
    const int is_double = fp.u < 0x1p-24, nearest = fp.u <= 0x1p-24;
    if (is_double) return REF_FINITE;
    if (nearest && b.v - b.e > REF_OVER) return REF_PINF;
    if (nearest && b.v + b.e < -REF_OVER) return REF_NINF;
    return REF_FINITE | (b.v + b.e < REF_FITS ? 0u : (unsigned)REF_PINF) |
           (b.v - b.e > -REF_FITS ? 0u : (unsigned)REF_NINF);
}

static inline ref_range ref_range_of(float x)
{
    const unsigned can = isnan(x) ? REF_NAN : isinf(x) ? (x > 0 ? REF_PINF : REF_NINF) : REF_FINITE;
    return (ref_range){ can, ref_exact(can == REF_FINITE ? (double)x : 0) };
}

static inline unsigned ref_negated(unsigned can)
{
    return (can & (REF_FINITE | REF_NAN)) | (can & REF_PINF ? (unsigned)REF_NINF : 0u) |
           (can & REF_NINF ? (unsigned)REF_PINF : 0u);
}

/* Infinities `inf` times a finite number of the ball b: by its sign, and NaN if it may be 0. */
static inline unsigned ref_scale_inf(ref_fp fp, unsigned inf, ref_ball b)
{
    b = ref_operand(fp, b);
    unsigned can = 0;
    if (inf == 0) return 0;
    if (b.v + b.e > 0) can |= inf;
    if (b.v - b.e < 0) can |= ref_negated(inf);
    if (fabs(b.v) <= b.e) can |= REF_NAN;
    return can;
}

static inline ref_range ref_range_mul(ref_fp fp, ref_range x, ref_range y)
{
    const unsigned xi = x.can & (REF_PINF | REF_NINF), yi = y.can & (REF_PINF | REF_NINF);
    ref_range z = { (x.can | y.can) & REF_NAN, { 0, 0 } };
    if (x.can & y.can & REF_FINITE) {
        z.b = ref_mul(fp, x.b, y.b);
        z.can |= ref_overflow(fp, z.b);
    }
    if (x.can & REF_FINITE) z.can |= ref_scale_inf(fp, yi, x.b);
    if (y.can & REF_FINITE) z.can |= ref_scale_inf(fp, xi, y.b);
    if (yi & REF_PINF) z.can |= xi;
    if (yi & REF_NINF) z.can |= ref_negated(xi);
    return z;
}

/* The same product on its way into the addition of an FMA: neither rounded nor overflowing. */
static inline ref_range ref_range_product(ref_fp fp, ref_range x, ref_range y)
{
    return ref_range_mul((ref_fp){ 0, 0, 0, fp.daz }, x, y);
}

static inline ref_range ref_range_add(ref_fp fp, ref_range x, ref_range y)
{
    const unsigned inf = REF_PINF | REF_NINF;
    ref_range z = { (x.can | y.can) & REF_NAN, { 0, 0 } };
    if (x.can & y.can & REF_FINITE) {
        z.b = ref_add(fp, x.b, y.b);
        z.can |= ref_overflow(fp, z.b);
    }
    if (x.can & REF_FINITE) z.can |= y.can & inf;
    if (y.can & REF_FINITE) z.can |= x.can & inf;
    z.can |= x.can & y.can & inf;
    if ((x.can & inf) && ref_negated(x.can & inf) & y.can) z.can |= REF_NAN;
    return z;
}

#endif
