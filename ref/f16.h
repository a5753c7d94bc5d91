/* SPDX-License-Identifier: MIT */
/* The IEEE half format, to and from double: sign 1, exponent 5 with bias 15, fraction 10. */
#ifndef REF_F16_H
#define REF_F16_H

#include "ball.h"

/* (-1)^s 2^(E-15) (1 + F / 2^10); E = 0: F 2^-24; E = 31: infinity, or NaN if F != 0. Exact. */
static inline double ref_f16_value(uint16_t bits)
{
    const int sign = bits >> 15, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double x;
    if (exponent == 31)
        x = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        x = fraction * 0x1p-24;
    else
        x = (1024 + fraction) * ref_pow2(exponent - 25);
    return sign ? -x : x;
}

/* Nearest, ties to even; beyond 65504 + 16 to infinity; every NaN to 0x7e00. The fraction is
 * rounded to an integer, whose carry runs into the exponent field as it must. */
static inline uint16_t ref_f16_bits(float x)
{
    const double mag = fabs((double)x);
    const unsigned sign = signbit(x) ? 0x8000u : 0;
    unsigned bits;
    if (isnan(x)) return 0x7e00;
    if (mag >= 65520) {
        bits = 0x7c00;
    } else if (mag < 0x1p-14) {
        bits = (unsigned)nearbyint(mag * 0x1p24);
    } else {
        const int k = ref_exponent(mag);
        bits = ((unsigned)(k + 14) << 10) + (unsigned)nearbyint(mag * ref_pow2(10 - k));
    }
    return (uint16_t)(sign | bits);
}

#endif
