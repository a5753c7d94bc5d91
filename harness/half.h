/* SPDX-License-Identifier: MIT */
/* IEEE binary16, and the upper halves of floats, for fills and for the mutants' own bodies. */
#ifndef HN_HALF_H
#define HN_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float hn_half_of(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31u);
    const float fraction = (float)(bits & 1023u);
    float x = exponent ? ldexpf(1024.0f + fraction, exponent - 25) : ldexpf(fraction, -24);
    if (exponent == 31) x = fraction > 0.0f ? (float)NAN : (float)INFINITY;
    return bits >> 15 ? -x : x;
}

/* Of the two bytes at p. */
static inline float hn_half_value(const unsigned char *p)
{
    return hn_half_of((unsigned)p[0] | (unsigned)p[1] << 8);
}

/* Of x >= 0 and finite; `truncate` instead of rounding to nearest even. */
static inline uint16_t hn_half_bits(float x, int truncate)
{
    int exponent;
    frexpf(x, &exponent); /* x < 2^exponent */
    const int least = exponent - 1 < -14 ? -14 : exponent - 1;
    const double units = ldexp((double)x, 10 - least); /* of the last place */
    const double whole = truncate ? floor(units) : rint(units);
    if (x == 0.0f) return 0;
    /* a carry into the exponent is right; of subnormals the exponent field is 0 */
    const unsigned bits = (unsigned)((least + 14) << 10) + (unsigned)whole;
    return (uint16_t)(bits > 0x7c00 ? 0x7c00 : bits);
}

/* Any float to nearest even, what is beyond the largest number to infinity: an upper half, a half. */
static inline uint16_t hn_brain_nearest(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)(isnan(x) ? 0x7fc0 : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

static inline uint16_t hn_half_nearest(float x)
{
    const unsigned sign = signbit(x) ? 0x8000u : 0;
    if (isnan(x)) return 0x7e00;
    return (uint16_t)(sign | (isinf(x) ? 0x7c00u : hn_half_bits(fabsf(x), 0)));
}

#endif
