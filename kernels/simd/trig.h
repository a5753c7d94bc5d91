/* SPDX-License-Identifier: MIT */
/* Powers theta^-w, sines and cosines in double, of + - * / only: the same bits on every ISA. Strict
 * mode's rounding is assumed. After a bundle's header. */
#ifndef CK_SIMD_TRIG_H
#define CK_SIMD_TRIG_H

#include <stddef.h>

/* hi + lo, |lo| at most half an ulp of hi or little more. */
typedef struct ck_vdd {
    ck_vd hi, lo;
} ck_vdd;

/* a + b exactly (Knuth, The Art of Computer Programming 2, 4.2.2). */
static inline ck_vdd ck_vdd_sum(ck_vd a, ck_vd b)
{
    const ck_vd s = ck_vd_add(a, b), z = ck_vd_sub(s, a);
    return (ck_vdd){ s, ck_vd_add(ck_vd_sub(a, ck_vd_sub(s, z)), ck_vd_sub(b, z)) };
}

/* The leading 26 bits of a (Veltkamp). */
static inline ck_vd ck_vd_head(ck_vd a)
{
    const ck_vd c = ck_vd_mul(ck_vd_set1(134217729.0), a);
    return ck_vd_sub(c, ck_vd_sub(c, a));
}

/* a b exactly (Dekker 1971). */
static inline ck_vdd ck_vdd_product(ck_vd a, ck_vd b)
{
    const ck_vd p = ck_vd_mul(a, b), ah = ck_vd_head(a), bh = ck_vd_head(b);
    const ck_vd al = ck_vd_sub(a, ah), bl = ck_vd_sub(b, bh);
    ck_vd lo = ck_vd_sub(ck_vd_mul(ah, bh), p);
    lo = ck_vd_add(ck_vd_add(lo, ck_vd_mul(ah, bl)), ck_vd_mul(al, bh));
    return (ck_vdd){ p, ck_vd_add(lo, ck_vd_mul(al, bl)) };
}

static inline ck_vdd ck_vdd_add(ck_vdd a, ck_vdd b)
{
    const ck_vdd s = ck_vdd_sum(a.hi, b.hi);
    return ck_vdd_sum(s.hi, ck_vd_add(s.lo, ck_vd_add(a.lo, b.lo)));
}

static inline ck_vdd ck_vdd_mul(ck_vdd a, ck_vdd b)
{
    const ck_vdd p = ck_vdd_product(a.hi, b.hi);
    const ck_vd cross = ck_vd_add(ck_vd_mul(a.hi, b.lo), ck_vd_mul(a.lo, b.hi));
    return ck_vdd_sum(p.hi, ck_vd_add(p.lo, cross));
}

/* a / b of doubles. */
static inline ck_vdd ck_vdd_quotient(ck_vd a, ck_vd b)
{
    const ck_vd q = ck_vd_div(a, b);
    const ck_vdd p = ck_vdd_product(q, b);
    return (ck_vdd){ q, ck_vd_div(ck_vd_sub(ck_vd_sub(a, p.hi), p.lo), b) };
}

/* ln 2 in two parts */
#define CK_LN2_HI 0x1.62e42fefa39efp-1
#define CK_LN2_LO 0x1.abc9e3b39803fp-56

/* ln x, x >= 1: 2 artanh((m - 1) / (m + 1)) + k ln 2, x = m 2^k, 3/4 < m <= 3/2; 17 terms leave less than
 * 2^-75. */
static inline ck_vdd ck_vdd_log(double x)
{
    double k = 0.0;
    for (; x > 1.5; x *= 0.5) k += 1.0;
    const ck_vdd s = ck_vdd_quotient(ck_vd_set1(x - 1.0), ck_vd_set1(x + 1.0));
    const ck_vdd square = ck_vdd_mul(s, s);
    ck_vdd p = { ck_vd_set1(0.0), ck_vd_set1(0.0) };
    for (int n = 33; n > 0; n -= 2) {
        p = ck_vdd_mul(p, square);
        p = ck_vdd_add(p, ck_vdd_quotient(ck_vd_set1(1.0), ck_vd_set1((double)n)));
    }
    p = ck_vdd_mul(p, s);
    const ck_vdd ln2 = { ck_vd_set1(CK_LN2_HI), ck_vd_set1(CK_LN2_LO) };
    const ck_vdd whole = ck_vdd_mul((ck_vdd){ ck_vd_set1(k), ck_vd_set1(0.0) }, ln2);
    return ck_vdd_add(whole, ck_vdd_add(p, p));
}

/* exp(-y), 0 <= y < 700, within one ulp or little more: y = n ln 2 + r, |r| <= ln(2) / 2 in two parts, of
 * which the second is added at the end. */
static inline ck_vd ck_vd_exp_minus(ck_vdd y)
{
    const ck_vd magic = ck_vd_set1(0x1.8p52), one = ck_vd_set1(1.0);
    const ck_vd scaled = ck_vd_mul(y.hi, ck_vd_set1(0x1.71547652b82fep+0));
    const ck_vd n = ck_vd_sub(ck_vd_add(scaled, magic), magic);
    const ck_vdd whole = ck_vdd_product(n, ck_vd_set1(CK_LN2_HI));
    const ck_vd t = ck_vd_sub(whole.hi, y.hi); /* -r, exactly */
    const ck_vd rest = ck_vd_mul(n, ck_vd_set1(CK_LN2_LO));
    const ck_vd low = ck_vd_add(ck_vd_sub(whole.lo, y.lo), rest);

    /* 1/k! for k = 14, 13, ..., 2 */
    static const double series[] = { 1.0 / 87178291200.0,
                                     1.0 / 6227020800.0,
                                     1.0 / 479001600.0,
                                     1.0 / 39916800.0,
                                     1.0 / 3628800.0,
                                     1.0 / 362880.0,
                                     1.0 / 40320.0,
                                     1.0 / 5040.0,
                                     1.0 / 720.0,
                                     1.0 / 120.0,
                                     1.0 / 24.0,
                                     1.0 / 6.0,
                                     1.0 / 2.0 };
    ck_vd q = ck_vd_set1(series[0]);
    for (size_t i = 1; i < sizeof series / sizeof *series; i++)
        q = ck_vd_add(ck_vd_mul(q, t), ck_vd_set1(series[i]));
    const ck_vd above = ck_vd_add(t, ck_vd_mul(ck_vd_mul(t, t), q)); /* exp(t) - 1 */
    const ck_vd more = ck_vd_mul(low, ck_vd_add(one, above));
    return ck_vd_mul(ck_vd_add(one, ck_vd_add(above, more)),
                     ck_vd_pow2(ck_vd_sub(ck_vd_set1(0.0), n)));
}

typedef struct ck_vd_turn {
    ck_vd cos, sin;
} ck_vd_turn;

/* Of r, |r| <= pi / 4: Taylor series to r^20 and r^19. */
static inline ck_vd_turn ck_vd_small_turn(ck_vd r)
{
    static const double even[] = { 1.0 / 2432902008176640000.0,
                                   -1.0 / 6402373705728000.0,
                                   1.0 / 20922789888000.0,
                                   -1.0 / 87178291200.0,
                                   1.0 / 479001600.0,
                                   -1.0 / 3628800.0,
                                   1.0 / 40320.0,
                                   -1.0 / 720.0,
                                   1.0 / 24.0,
                                   -1.0 / 2.0 };
    static const double odd[] = { -1.0 / 121645100408832000.0,
                                  1.0 / 355687428096000.0,
                                  -1.0 / 1307674368000.0,
                                  1.0 / 6227020800.0,
                                  -1.0 / 39916800.0,
                                  1.0 / 362880.0,
                                  -1.0 / 5040.0,
                                  1.0 / 120.0,
                                  -1.0 / 6.0 };
    const ck_vd square = ck_vd_mul(r, r);
    ck_vd c = ck_vd_set1(even[0]), s = ck_vd_set1(odd[0]);
    for (size_t i = 1; i < sizeof even / sizeof *even; i++)
        c = ck_vd_add(ck_vd_mul(c, square), ck_vd_set1(even[i]));
    for (size_t i = 1; i < sizeof odd / sizeof *odd; i++)
        s = ck_vd_add(ck_vd_mul(s, square), ck_vd_set1(odd[i]));
    return (ck_vd_turn){ ck_vd_add(ck_vd_set1(1.0), ck_vd_mul(c, square)),
                         ck_vd_add(r, ck_vd_mul(ck_vd_mul(r, square), s)) };
}

/* cos a and sin a, 0 <= a <= 2^24, off by at most 2^-51: a = n pi / 2 + r, pi / 2 in three parts, of
 * which the first two have 29 bits, so that their products with n are exact. */
static inline ck_vd_turn ck_vd_turn_of(ck_vd a)
{
    const ck_vd magic = ck_vd_set1(0x1.8p52), zero = ck_vd_set1(0.0), half = ck_vd_set1(0.5);
    const ck_vd scaled = ck_vd_mul(a, ck_vd_set1(0x1.45f306dc9c883p-1));
    const ck_vd n = ck_vd_sub(ck_vd_add(scaled, magic), magic);
    ck_vd r = ck_vd_sub(a, ck_vd_mul(n, ck_vd_set1(0x1.921fb54p+0)));
    r = ck_vd_sub(r, ck_vd_mul(n, ck_vd_set1(0x1.10b4611p-30)));
    r = ck_vd_sub(r, ck_vd_mul(n, ck_vd_set1(0x1.4c4c6628b80dcp-59)));
    const ck_vd_turn t = ck_vd_small_turn(r);

    /* the quarter, n mod 4: n / 4 - 3 / 8 rounds to the whole turns */
    const ck_vd part = ck_vd_sub(ck_vd_mul(n, ck_vd_set1(0.25)), ck_vd_set1(0.375));
    const ck_vd turns = ck_vd_sub(ck_vd_add(part, magic), magic);
    const ck_vd quarter = ck_vd_sub(n, ck_vd_mul(turns, ck_vd_set1(4.0)));
    const ck_vd back = ck_vd_sub(zero, t.cos), down = ck_vd_sub(zero, t.sin);
    const ck_vd first = ck_vd_set1(1.5), second = ck_vd_set1(2.5);
    return (ck_vd_turn){
        ck_vd_if_lt(quarter, half, t.cos,
                    ck_vd_if_lt(quarter, first, down, ck_vd_if_lt(quarter, second, back, t.sin))),
        ck_vd_if_lt(quarter, half, t.sin,
                    ck_vd_if_lt(quarter, first, t.cos, ck_vd_if_lt(quarter, second, down, back)))
    };
}

#endif
