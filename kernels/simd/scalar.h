/* SPDX-License-Identifier: MIT */
/* Vector primitives of the scalar bundle: plain C, one lane. */
#ifndef CK_SIMD_H
#define CK_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
 *   sum, hmax        of the lanes, s[l] += s[l + h] for h = lanes/2, ..., 1
 * ck_vd_load* widen f32; ck_vd_store* round to f32 and store every NaN as 0x7fc00000.
 * A translation unit includes one bundle. */
typedef float ck_vf;
typedef double ck_vd;
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
static inline float ck_vf_sum(ck_vf x) { return x; }
static inline float ck_vf_hmax(ck_vf x) { return x; }
static inline float ck_f_muladd(float a, float b, float c) { return a * b + c; }

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
