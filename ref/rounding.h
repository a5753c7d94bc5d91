/* SPDX-License-Identifier: MIT */
/* Results that are rounded to 16 bits. */
#ifndef REF_ROUNDING_H
#define REF_ROUNDING_H

#include "decode.h"
#include "step.h"

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

/* Numbers of 32 or 16 bits in memory. */
typedef struct ref_number {
    ref_decode_fn *decode; /* NULL: f32 */
    const ref_format *to;
} ref_number;
static const ref_number ref_number_f32 = { NULL, NULL };
static const ref_number ref_number_bf16 = { ref_decode_bf16, &ref_brain };
static const ref_number ref_number_f16 = { ref_decode_f16, &ref_half };

static inline float ref_number_at(const ref_number *f, const void *p, size_t i)
{
    const unsigned char *const bytes = p;
    float x;
    if (f->decode) return (float)f->decode(bytes + 2 * i, 0).product;
    memcpy(&x, bytes + sizeof x * i, sizeof x);
    return x;
}

/* A result that is stored in that format, f32's being rounded already. A zero whose sign is not certain has
 * a radius, below any number, since with none its sign is demanded. */
static inline ref_ball ref_stored_as(const ref_number *f, const ref_arith *k, ref_range y)
{
    const ref_ball own = ref_stored(k, y);
    if (!f->to || !ref_only(y, REF_FINITE) || own.e == REF_ANY) return own;
    ref_ball b = ref_rounded(f->to, y.b);
    if (b.e == 0 && b.v == 0 && y.b.e > 0) {
        if (fabs(y.b.v) <= y.b.e) return (ref_ball){ 0, REF_HALF_MIN };
        b.v = copysign(0, y.b.v);
    }
    return b;
}

#endif
