/* SPDX-License-Identifier: MIT */
/* The logarithm of double kernels, one number at a time. */
#ifndef CK_SIMD_LOG_H
#define CK_SIMD_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* log(x), x >= 1 and finite, or NaN: the same on every ISA, being + - * / in this order and exponent bits.
 * x = 2^k f, sqrt(1/2) <= f < sqrt(2); log(f) = 2 atanh(s) = 2 s + 2 s (s^2/3 + s^4/5 + ...), s = (f - 1) /
 * (f + 1), |s| < 0.172, whose first term left out, s^24 / 25, is below 2^-65. ln 2 comes in two parts, k times
 * the first one being exact. Within 2 ulp. */
static inline double ck_d_log(double x)
{
    /* 1/23, 1/21, ..., 1/3 */
    static const double series[] = { 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0,
                                     1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0,
                                     1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0 };
    const uint64_t fraction = ((uint64_t)1 << 52) - 1, one = (uint64_t)1023 << 52;
    uint64_t bits;
    double f;
    memcpy(&bits, &x, sizeof bits);
    double k = (double)(int)(bits >> 52) - 1023.0;
    bits = (bits & fraction) | one;
    memcpy(&f, &bits, sizeof f);
    if (f > 0x1.6a09e667f3bcdp+0) {
        f *= 0.5;
        k += 1.0;
    }
    const double s = (f - 1.0) / (f + 1.0), z = s * s;
    double q = series[0];
    for (size_t i = 1; i < sizeof series / sizeof *series; i++) q = q * z + series[i];
    const double twice = s + s;
    const double low = k * 0x1.a39ef35793c76p-33 + twice * (z * q);
    const double y = k * 0x1.62e42feep-1 + (twice + low);
    return x != x ? x : y;
}

#endif
