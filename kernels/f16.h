/* SPDX-License-Identifier: MIT */
/* IEEE binary16 by integer operations: the caller's rounding mode, FTZ and DAZ do not matter. */
#ifndef CK_F16_H
#define CK_F16_H

#include <stdint.h>
#include <string.h>

static inline uint32_t f32_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The 16 bits at any address. */
static inline uint16_t f16_load(const unsigned char *p)
{
    uint16_t h;

    memcpy(&h, p, sizeof h);
    return h;
}

/* The value of h, exact; a NaN becomes quiet and keeps its sign and payload, as VCVTPH2PS has it.
 */
static inline float f16_to_f32(uint16_t h)
{
    const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 0x3ffu;

    if (exponent == 31)
        return f32_of_bits(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0));
    if (exponent) return f32_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    return f32_of_bits(sign | f32_bits((float)fraction * 0x1p-24f)); /* zero and subnormals */
}

/* x to nearest-even: beyond the largest half to infinity, below to subnormals and zero. A NaN stays
 * one, as VCVTPS2PH has it. */
static inline uint16_t f16_of_f32(float x)
{
    const uint32_t bits = f32_bits(x), sign = bits >> 16 & 0x8000u, mag = bits & 0x7fffffffu;

    if (mag > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (mag >> 13 & 0x3ffu));
    if (mag >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* from 65520 on */
    if (mag >=
        0x38800000u) { /* normal halves; a carry of the fraction into the exponent is right */
        const uint32_t rebiased = mag - (112u << 23);
        return (uint16_t)(sign | (rebiased + 0xfffu + (rebiased >> 13 & 1)) >> 13);
    }
    if (mag < 0x33000000u) return (uint16_t)sign; /* below half the least subnormal */
    const uint32_t shift = 126 - (mag >> 23), fraction = (mag & 0x7fffffu) | 0x800000u;
    const uint32_t whole = fraction >> shift, rest = fraction << (32 - shift);
    const uint32_t up = rest > 0x80000000u || (rest == 0x80000000u && (whole & 1));
    return (uint16_t)(sign | (whole + up));
}

#endif
