/* SPDX-License-Identifier: MIT */
/* The exponentials: f32 for the fast kernels, f64 for the strict ones. After a bundle's header. */
#ifndef CK_SIMD_EXP_H
#define CK_SIMD_EXP_H

#include <math.h>

/* The least normal f32 is exp(-87.336); from here up no result is subnormal. */
#define CK_EXP_ZERO_BELOW (-87.0f)
/* The greatest x whose exp rounds to a finite f32. */
#define CK_EXP_INF_ABOVE 0x1.62e42ep+6f

/* The error budget of ck_vf_exp in u, 1.494 being the most over all floats. */
#define CK_EXP_REXP 1.6

/* exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2) / 2; exp(r) by its series, whose first
 * term left out, r^8 / 8!, is below 0.1 u. ln 2 comes in two parts, n times the first one being
 * exact. A NaN passes the clamps, as their second operand, and all that follows. */
static inline ck_vf ck_vf_exp(ck_vf x)
{
    const ck_vf low = ck_vf_set1(CK_EXP_ZERO_BELOW), high = ck_vf_set1(CK_EXP_INF_ABOVE);
    const ck_vf clamped = ck_vf_min(high, ck_vf_max(low, x));
    const ck_vf n = ck_vf_round(ck_vf_mul(clamped, ck_vf_set1(0x1.715476p+0f)));
    ck_vf r = ck_vf_muladd(n, ck_vf_set1(-0x1.63p-1f), clamped);
    r = ck_vf_muladd(n, ck_vf_set1(0x1.bd0106p-13f), r);

    ck_vf q = ck_vf_set1(1.0f / 5040.0f);
    q = ck_vf_muladd(q, r, ck_vf_set1(1.0f / 720.0f));
    q = ck_vf_muladd(q, r, ck_vf_set1(1.0f / 120.0f));
    q = ck_vf_muladd(q, r, ck_vf_set1(1.0f / 24.0f));
    q = ck_vf_muladd(q, r, ck_vf_set1(1.0f / 6.0f));
    q = ck_vf_muladd(q, r, ck_vf_set1(1.0f / 2.0f));
    const ck_vf t = ck_vf_muladd(ck_vf_mul(r, r), q, r);
    const ck_vf y = ck_vf_shift(ck_vf_add(ck_vf_set1(1.0f), t), n);

    const ck_vf above = ck_vf_if_lt(high, x, ck_vf_set1(INFINITY), y);
    return ck_vf_if_lt(x, low, ck_vf_set1(0.0f), above);
}

/* The strict exponential: the same on every ISA, being + - * in this order and exponent bits.
 * Within 2 ulp; a subnormal result is rounded once more, 0 below 2^-1075; NaN stays NaN. Adding and
 * taking away 1.5 * 2^52 rounds to the nearest integer, which is strict mode's rounding. */
static inline ck_vd ck_vd_exp(ck_vd x)
{
    const ck_vd magic = ck_vd_set1(0x1.8p52);
    const ck_vd clamped = ck_vd_min(ck_vd_set1(710.0), ck_vd_max(ck_vd_set1(-746.0), x));
    const ck_vd scaled = ck_vd_mul(clamped, ck_vd_set1(0x1.71547652b82fep+0));
    const ck_vd n = ck_vd_sub(ck_vd_add(scaled, magic), magic);
    ck_vd r = ck_vd_sub(clamped, ck_vd_mul(n, ck_vd_set1(0x1.62e42feep-1)));
    r = ck_vd_sub(r, ck_vd_mul(n, ck_vd_set1(0x1.a39ef35793c76p-33)));

    /* 1/k! for k = 13, 12, ..., 2 */
    static const double series[] = { 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                     1.0 / 3628800.0,    1.0 / 362880.0,    1.0 / 40320.0,
                                     1.0 / 5040.0,       1.0 / 720.0,       1.0 / 120.0,
                                     1.0 / 24.0,         1.0 / 6.0,         1.0 / 2.0 };
    ck_vd q = ck_vd_set1(series[0]);
    for (size_t i = 1; i < sizeof series / sizeof *series; i++)
        q = ck_vd_add(ck_vd_mul(q, r), ck_vd_set1(series[i]));
    const ck_vd t = ck_vd_add(r, ck_vd_mul(ck_vd_mul(r, r), q));
    const ck_vd p = ck_vd_add(ck_vd_set1(1.0), t);

    /* In two steps, since 2^n alone may overflow or be subnormal where the result is neither. */
    const ck_vd half = ck_vd_sub(ck_vd_add(ck_vd_mul(n, ck_vd_set1(0.5)), magic), magic);
    return ck_vd_mul(ck_vd_mul(p, ck_vd_pow2(half)), ck_vd_pow2(ck_vd_sub(n, half)));
}

static inline ck_vd16 ck_vd16_exp(ck_vd16 x)
{
    for (size_t i = 0; i < CK_VD16_REGS; i++) x.r[i] = ck_vd_exp(x.r[i]);
    return x;
}

#endif
