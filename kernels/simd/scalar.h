/* SPDX-License-Identifier: MIT */
/* Vector primitives of the scalar bundle: plain C, one lane. */
#ifndef CK_SIMD_H
#define CK_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "f16.h"
#include "strict.h"

/* The primitives of all bundles, here without the prefixes ck_vf_ (f32) and ck_vd_ (f64):
 *   load_n, store_n  touch p[0..n) and no other byte, 0 <= n <= lanes; the rest reads as `rest`
 *   muladd           a * b + c; without FMA the product is rounded first
 *   max, min         the second operand if one of the two is NaN
 *   if_lt            a < b ? yes : no in each lane; NaN counts as not less
 *   round            the nearest integer in every rounding mode, |x| < 2^22; NaN stays NaN
 *   shift            x * 2^n for integral n by the exponent field, the result being normal, or
 *                    2^128 = inf; if both are NaN the result is
 *   pow2             2^n for integral n in -1022..1023; anything if n is NaN
 *   load_across      x[i] = p[i], p[ld + i], p[2 ld + i], ... for each i < lanes
 *   load_pairs       first[i] = p[2i], second[i] = p[2i + 1]; store_pairs: the reverse
 *   sum, hmax        of the lanes, s[l] += s[l + h] for h = lanes/2, ..., 1
 *   if_nan           x, but y where x is a NaN
 *   one_nan          every NaN as 0x7fc00000
 * ck_vd_load* widen f32; ck_vd_store* round to f32 and store every NaN as 0x7fc00000.
 * ck_vi_ are as many int32 lanes as ck_vf has floats:
 *   load_u8, _s8     bytes p[0..lanes), widened
 *   store_8          -128..127 to the bytes p[0..lanes)
 *   field            x >> shift & mask of x >= 0
 *   add              the same n to each
 *   join             low + 16 high - zero
 *   to_f             exact for |x| < 2^24
 *   bits             lane l: bit l of a word
 *   nearest          of floats, |x| < 2^22; ties to even in every rounding mode
 * At any address, lanes numbers of 16 bits: load_half and load_brain widen f16 and bf16, a NaN becoming
 * 0x7fc00000; store_half and store_brain round to nearest even in every mode, a NaN becoming quiet and
 * keeping sign and leading bits.
 * A translation unit includes one bundle. */
typedef float ck_vf;
typedef double ck_vd;
typedef int32_t ck_vi;
enum { CK_VF_LANES = 1, CK_VD_LANES = 1 };

static inline ck_vf ck_vf_set1(float x) { return x; }
static inline ck_vf ck_vf_load(const float *p) { return *p; }
static inline ck_vf ck_vf_load_n(const float *p, size_t n, float rest) { return n ? *p : rest; }
static inline void ck_vf_store(float *p, ck_vf x) { *p = x; }
static inline void ck_vf_store_n(float *p, ck_vf x, size_t n)
{
    if (n) *p = x;
}
static inline ck_vf ck_vf_add(ck_vf a, ck_vf b) { return a + b; }
static inline ck_vf ck_vf_sub(ck_vf a, ck_vf b) { return a - b; }
static inline ck_vf ck_vf_mul(ck_vf a, ck_vf b) { return a * b; }
static inline ck_vf ck_vf_div(ck_vf a, ck_vf b) { return a / b; }
static inline ck_vf ck_vf_max(ck_vf a, ck_vf b) { return a > b ? a : b; }
static inline ck_vf ck_vf_min(ck_vf a, ck_vf b) { return a < b ? a : b; }
static inline ck_vf ck_vf_muladd(ck_vf a, ck_vf b, ck_vf c) { return a * b + c; }
static inline ck_vf ck_vf_if_lt(ck_vf a, ck_vf b, ck_vf yes, ck_vf no) { return a < b ? yes : no; }
static inline void ck_vf_load_across(ck_vf *x, const float *p, size_t ld)
{
    (void)ld;
    x[0] = *p;
}
static inline void ck_vf_load_pairs(const float *p, ck_vf *first, ck_vf *second)
{
    *first = p[0];
    *second = p[1];
}
static inline void ck_vf_store_pairs(float *p, ck_vf first, ck_vf second)
{
    p[0] = first;
    p[1] = second;
}
static inline float ck_vf_sum(ck_vf x) { return x; }
static inline float ck_vf_hmax(ck_vf x) { return x; }
static inline float ck_f_muladd(float a, float b, float c) { return a * b + c; }
static inline ck_vf ck_vf_if_nan(ck_vf x, ck_vf y) { return x != x ? y : x; }
static inline ck_vf ck_vf_one_nan(ck_vf x)
{
    const uint32_t nan_bits = 0x7fc00000;
    if (x != x) memcpy(&x, &nan_bits, sizeof x);
    return x;
}

/* By truncation, which no rounding mode changes. NaN to int would be undefined. */
static inline ck_vf ck_vf_round(ck_vf x)
{
    return x != x ? x : (float)(int32_t)(x + (x < 0.0f ? -0.5f : 0.5f));
}

static inline ck_vf ck_vf_shift(ck_vf x, ck_vf n)
{
    uint32_t bits;
    if (n != n) return n;
    memcpy(&bits, &x, sizeof bits);
    bits += (uint32_t)(int32_t)n << 23;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static inline ck_vi ck_vi_load_u8(const unsigned char *p) { return *p; }
static inline ck_vi ck_vi_load_s8(const unsigned char *p) { return (int8_t)*p; }
static inline void ck_vi_store_8(unsigned char *p, ck_vi x) { *p = (unsigned char)x; }
static inline ck_vi ck_vi_field(ck_vi x, int shift, int mask) { return x >> shift & mask; }
static inline ck_vi ck_vi_add(ck_vi x, int n) { return x + n; }
static inline ck_vi ck_vi_join(ck_vi low, ck_vi high, int zero) { return low + 16 * high - zero; }
static inline ck_vf ck_vi_to_f(ck_vi x) { return (float)x; }
static inline ck_vi ck_vi_bits(uint32_t word) { return word & 1; }

static inline ck_vf ck_vf_load_half(const unsigned char *p)
{
    return ck_vf_one_nan(f16_to_f32(f16_load(p)));
}
static inline ck_vf ck_vf_load_brain(const unsigned char *p)
{
    return ck_vf_one_nan(f32_of_bits((uint32_t)f16_load(p) << 16));
}
static inline void ck_vf_store_half(unsigned char *p, ck_vf x)
{
    const uint16_t bits = f16_of_f32(x);
    memcpy(p, &bits, sizeof bits);
}
static inline void ck_vf_store_brain(unsigned char *p, ck_vf x)
{
    const uint32_t all = f32_bits(x), odd = all >> 16 & 1;
    const uint16_t bits = (uint16_t)((x != x ? all | 0x400000u : all + 0x7fffu + odd) >> 16);
    memcpy(p, &bits, sizeof bits);
}

/* Truncation and the difference are exact. */
static inline ck_vi ck_vi_nearest(ck_vf x)
{
    const int32_t whole = (int32_t)x;
    const float rest = x - (float)whole;
    const int up = rest > 0.5f || (rest == 0.5f && whole % 2 != 0);
    const int down = rest < -0.5f || (rest == -0.5f && whole % 2 != 0);
    return whole + up - down;
}

static inline ck_vd ck_vd_set1(double x) { return x; }
static inline ck_vd ck_vd_load(const float *p) { return (double)*p; }
static inline ck_vd ck_vd_load_n(const float *p, size_t n, float rest)
{
    return (double)ck_vf_load_n(p, n, rest);
}
static inline void ck_vd_store(float *p, ck_vd x) { *p = ck_strict_f32(x); }
static inline void ck_vd_store_n(float *p, ck_vd x, size_t n)
{
    if (n) ck_vd_store(p, x);
}
static inline ck_vd ck_vd_add(ck_vd a, ck_vd b) { return a + b; }
static inline ck_vd ck_vd_sub(ck_vd a, ck_vd b) { return a - b; }
static inline ck_vd ck_vd_mul(ck_vd a, ck_vd b) { return a * b; }
static inline ck_vd ck_vd_div(ck_vd a, ck_vd b) { return a / b; }
static inline ck_vd ck_vd_max(ck_vd a, ck_vd b) { return a > b ? a : b; }
static inline ck_vd ck_vd_min(ck_vd a, ck_vd b) { return a < b ? a : b; }
static inline ck_vd ck_vd_if_lt(ck_vd a, ck_vd b, ck_vd yes, ck_vd no) { return a < b ? yes : no; }
static inline double ck_vd_sum(ck_vd x) { return x; }

/* 1.5 * 2^52 + i holds i in its low bits, so that shifting makes i + 1023 an exponent field. */
static inline ck_vd ck_vd_pow2(ck_vd n)
{
    const double biased = n + (0x1.8p52 + 1023.0);
    uint64_t bits;
    double y;
    memcpy(&bits, &biased, sizeof bits);
    bits <<= 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}

#include "simd/vd16.h"

#endif
