/* SPDX-License-Identifier: MIT */
/* The tail of the normal distribution and the GELU by it: f32 for the fast kernels, f64 for the strict
 * ones. After a bundle's header. */
#ifndef CK_SIMD_NORMAL_H
#define CK_SIMD_NORMAL_H

#include "simd/exp.h"

/* The error budget of ck_vf_normal_tail beside its exponential in u. */
#define CK_TAIL_RERF 4.0

static inline ck_vf ck_vf_magnitude(ck_vf x)
{
    const ck_vf zero = ck_vf_set1(0.0f);
    return ck_vf_if_lt(x, zero, ck_vf_sub(zero, x), x);
}

static inline ck_vd ck_vd_magnitude(ck_vd x)
{
    const ck_vd zero = ck_vd_set1(0.0);
    return ck_vd_if_lt(x, zero, ck_vd_sub(zero, x), x);
}

/* P(X > a), a >= 0: exp(-a^2 / 2) M(a). M(a) (a + k) / 2 k is a polynomial in q = (a - k) / (a + k),
 * k = 3.5, off by at most 0.43 u for a < 13.5; beyond, the exponential is 0. */
static inline ck_vf ck_vf_normal_tail(ck_vf a)
{
    static const float p[] = { 0x1.2e8988p-16f, 0x1.0cee54p-14f, -0x1.290c2cp-14f, -0x1.de8d1ep-12f,
                               0x1.e60ab2p-11f, 0x1.460358p-9f,  -0x1.0fa0dep-6f,  0x1.712312p-5f,
                               -0x1.4aef38p-4f, 0x1.b396fap-4f };
    const ck_vf k = ck_vf_set1(3.5f), inverse = ck_vf_div(ck_vf_set1(1.0f), ck_vf_add(a, k));
    const ck_vf q = ck_vf_mul(ck_vf_sub(a, k), inverse);
    const ck_vf e = ck_vf_exp(ck_vf_mul(ck_vf_mul(ck_vf_set1(-0.5f), a), a));
    ck_vf m = ck_vf_set1(p[0]);
    for (size_t i = 1; i < sizeof p / sizeof *p; i++) m = ck_vf_muladd(m, q, ck_vf_set1(p[i]));
    return ck_vf_mul(e, ck_vf_mul(m, ck_vf_mul(ck_vf_set1(7.0f), inverse)));
}

/* x P(X < x), from the tail on the side where x is, so that small results keep their digits. The clamps
 * pass a NaN, as their second operand, and -inf 0 is avoided by a number of which the result is -0 as
 * well. */
static inline ck_vf ck_vf_gelu_erf(ck_vf x)
{
    const ck_vf zero = ck_vf_set1(0.0f), low = ck_vf_max(ck_vf_set1(-16.0f), x);
    const ck_vf tail = ck_vf_normal_tail(ck_vf_min(ck_vf_set1(16.0f), ck_vf_magnitude(low)));
    const ck_vf rest = ck_vf_sub(ck_vf_set1(1.0f), tail);
    return ck_vf_mul(low, ck_vf_if_lt(low, zero, tail, rest));
}

/* sum a^(2n+1) / (2n+1)!! over n = 0 .. 31, from the last term on: for a <= 2.5 what is left out is below
 * 2^-70 of it. */
static inline ck_vd ck_vd_normal_series(ck_vd a)
{
    const ck_vd square = ck_vd_mul(a, a), one = ck_vd_set1(1.0);
    ck_vd s = one;
    for (int n = 31; n > 0; n--)
        s = ck_vd_add(one, ck_vd_mul(ck_vd_mul(square, ck_vd_set1(1.0 / (2 * n + 1))), s));
    return ck_vd_mul(a, s);
}

/* 1 / (a + 1 / (a + 2 / (a + 3 / ...))), Laplace's fraction, 64 deep: for a >= 2.5 off by less than
 * 2^-54. */
static inline ck_vd ck_vd_normal_fraction(ck_vd a)
{
    ck_vd f = a;
    for (int n = 64; n > 0; n--) f = ck_vd_add(a, ck_vd_div(ck_vd_set1((double)n), f));
    return ck_vd_div(ck_vd_set1(1.0), f);
}

/* exp(-a^2 / 2) / sqrt(2 pi) times the fraction from 2.5 on; below, half less its product with the series,
 * which cancels to 1/80 at most. x is a float: a^2 / 2 is exact. */
static inline ck_vd ck_vd_gelu_erf(ck_vd x)
{
    const ck_vd zero = ck_vd_set1(0.0), bound = ck_vd_set1(2.5);
    const ck_vd low = ck_vd_max(ck_vd_set1(-40.0), x);
    const ck_vd a = ck_vd_min(ck_vd_set1(40.0), ck_vd_magnitude(low));
    const ck_vd e = ck_vd_mul(ck_vd_exp(ck_vd_mul(ck_vd_mul(ck_vd_set1(-0.5), a), a)),
                              ck_vd_set1(0x1.9884533d43651p-2));
    const ck_vd series = ck_vd_mul(e, ck_vd_normal_series(ck_vd_min(bound, a)));
    const ck_vd far = ck_vd_mul(e, ck_vd_normal_fraction(ck_vd_max(bound, a)));
    const ck_vd tail = ck_vd_if_lt(a, bound, ck_vd_sub(ck_vd_set1(0.5), series), far);
    return ck_vd_mul(low, ck_vd_if_lt(low, zero, tail, ck_vd_sub(ck_vd_set1(1.0), tail)));
}

#endif
