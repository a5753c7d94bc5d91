/* SPDX-License-Identifier: MIT */
/* Tests of the references: against MPFR, simulated float kernels and vectors worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../f16.h"
#include "../range.h"
#include "../softmax.h"
#include "../sum.h"
#include "draw.h"

/* ---- ball.h ---- */

static const mpfr_rnd_t modes[4] = { MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ };

/* |x rounded to float - v| <= e in every mode that u covers; a float is exact in double. */
static int rounds_into(mpfr_t x, ref_ball b, int directed)
{
    mpfr_t d;
    int ok = 1;
    mpfr_init2(d, 400);
    for (int i = 0; i < (directed ? 4 : 1); i++) {
        mpfr_set_flt(d, mpfr_get_flt(x, modes[i]), MPFR_RNDN);
        mpfr_sub_d(d, d, b.v, MPFR_RNDN);
        mpfr_abs(d, d, MPFR_RNDN);
        ok &= mpfr_cmp_d(d, b.e) <= 0;
    }
    /* unrounded too: FMA */
    mpfr_sub_d(d, x, b.v, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    ok &= mpfr_cmp_d(d, b.e) <= 0;
    mpfr_clear(d);
    return ok;
}

/* A ball around the float *x: its middle is off by up to e. */
static ref_ball around(float *x, int range, int positive)
{
    *x = signed_pow2(range);
    if (positive) *x = fabsf(*x);
    const double e = bits64() & 1 ? 0 : fabs((double)*x) * ldexp(unit(), -(int)below(30));
    double v = (double)*x + (2 * unit() - 1) * e * 0.999;
    if (positive && v < 0) v = 0;
    return (ref_ball){ e == 0 ? (double)*x : v, e };
}

static ref_fp mode_fp(int directed)
{
    const ck_numspec num = { 0 };
    const ref_spec spec = { &num, 0, directed ? 0x1p-23 : 0x1p-24, 0, 0 };
    return ref_fp_of(&spec);
}

static void balls_hold_every_rounding_of_the_true_result(void **unused)
{
    mpfr_t x, y, z;
    (void)unused;
    mpfr_inits2(300, x, y, z, (mpfr_ptr)0);
    for (int i = 0; i < 60000; i++) {
        const int directed = i & 1, range = i % 3 == 0 ? 60 : i % 3 == 1 ? 3 : 20;
        const ref_fp fp = mode_fp(directed);
        float p, q, s;
        const ref_ball a = around(&p, range, 0), b = around(&q, range, 0), c = around(&s, range, 1);
        mpfr_set_flt(x, p, MPFR_RNDN);
        mpfr_set_flt(y, q, MPFR_RNDN);
        mpfr_add(z, x, y, MPFR_RNDN);
        assert_true(rounds_into(z, ref_add(fp, a, b), directed));
        mpfr_sub(z, x, y, MPFR_RNDN);
        assert_true(rounds_into(z, ref_sub(fp, a, b), directed));
        mpfr_mul(z, x, y, MPFR_RNDN);
        assert_true(rounds_into(z, ref_mul(fp, a, b), directed));
        mpfr_div(z, x, y, MPFR_RNDN);
        assert_true(rounds_into(z, ref_div(fp, a, b), directed));
        mpfr_set_flt(x, s, MPFR_RNDN);
        mpfr_sqrt(z, x, MPFR_RNDN);
        assert_true(rounds_into(z, ref_sqrt(fp, c), directed));
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

/* A flushed product or sum is 0, a zeroed operand as well; neither costs where nothing is tiny. */
static void balls_hold_flushes(void **unused)
{
    const ck_numspec num = { .flags = CK_NUM_FTZ | CK_NUM_DAZ };
    const ref_spec spec = { &num, 0, 0x1p-24, 0, 0 };
    const ref_fp fp = ref_fp_of(&spec);
    const ref_ball small = { 0x1.8p-126, 0 }, sub = { 0x1.8p-127, 0 }, half = { 0.625, 0 };
    ref_ball r = ref_mul(fp, small, half);
    (void)unused;
    assert_true(within(0, r.v, r.e));
    r = ref_sub(fp, small, (ref_ball){ 0x1p-126, 0 });
    assert_true(within(0, r.v, r.e));
    r = ref_mul(fp, sub, (ref_ball){ 0x1p100, 0 });
    assert_true(within(0, r.v, r.e));
    r = ref_add(fp, sub, (ref_ball){ 0x1p-120, 0 });
    assert_true(within(0x1p-120, r.v, r.e));
    assert_true(within(0, ref_sqrt(fp, sub).v, ref_sqrt(fp, sub).e));
    assert_true(ref_mul(fp, half, half).e < 0.390625 * 0x1.00001p-24);
}

static void exp_ball_holds_results_of_its_budget(void **unused)
{
    mpfr_t x, z;
    (void)unused;
    mpfr_inits2(300, x, z, (mpfr_ptr)0);
    for (int i = 0; i < 20000; i++) {
        const double r = 2 * 0x1p-24, e = unit() * ldexp(1, -(int)below(30));
        const double p = unit() * 190 - 102, v = p + (2 * unit() - 1) * e * 0.999;
        mpfr_set_d(x, p, MPFR_RNDN);
        mpfr_exp(z, x, MPFR_RNDN);
        mpfr_mul_d(z, z, 1 + (bits64() & 1 ? r : -r) * 0.4999, MPFR_RNDN);
        /* half of the budget for a factor, half for the rounding to float */
        assert_true(rounds_into(z, ref_exp(mode_fp(0), r, (ref_ball){ v, e }), 0));
    }
    mpfr_clears(x, z, (mpfr_ptr)0);
}

static void ball_dot_holds_float_dots(void **unused)
{
    ref_ball a[64], b[64];
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const size_t n = 1 + below(64);
        float s = 0;
        for (size_t j = 0; j < n; j++) {
            float x, y;
            a[j] = around(&x, 4, 0);
            b[j] = around(&y, 4, 0);
            s = fmaf(x, y, s);
        }
        const ref_ball r = ref_dot(mode_fp(0), a, b, n, (double)n);
        assert_true(within((double)s, r.v, r.e));
    }
}

/* The farthest of the four corners of op on a and b from v, and the greatest in magnitude. */
static void corners(double (*op)(double, double), ref_ball a, ref_ball b, double v, double *far,
                    double *top)
{
    *far = *top = 0;
    for (int i = 0; i < 4; i++) {
        const double x = op(i & 1 ? a.v + a.e : a.v - a.e, i & 2 ? b.v + b.e : b.v - b.e);
        *far = fmax(*far, fabs(x - v));
        *top = fmax(*top, fabs(x));
    }
}

static double plus(double x, double y) { return x + y; }
static double minus(double x, double y) { return x - y; }
static double times(double x, double y) { return x * y; }
static double over(double x, double y) { return x / y; }
static double root(double x, double y) { return sqrt(x) + 0 * y; }

static void assert_tight(double (*op)(double, double), ref_ball a, ref_ball b, ref_ball r,
                         ref_fp fp)
{
    double far, top;
    corners(op, a, b, r.v, &far, &top);
    const double want = far + fp.u * top;
    assert_true(r.e >= want * (1 - 1e-6) && r.e <= want * (1 + 1e-6) + 0x1p-140);
}

/* A radius is what the corners of its operands need and one rounding: nothing is given away. */
static void balls_end_at_their_corners(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const ref_fp fp = mode_fp(i & 1);
        const ref_ball a = { (double)signed_pow2(4), 0.01 * unit() };
        const ref_ball b = { (double)signed_pow2(4), 0.01 * unit() };
        const ref_ball c = { fabs(a.v), a.e };
        assert_tight(plus, a, b, ref_add(fp, a, b), fp);
        assert_tight(minus, a, b, ref_sub(fp, a, b), fp);
        assert_tight(times, a, b, ref_mul(fp, a, b), fp);
        assert_tight(over, a, b, ref_div(fp, a, b), fp);
        assert_tight(root, c, b, ref_sqrt(fp, c), fp);
    }
}

/* Without a budget there is libm's own error, and the argument's is e^e - 1 of the result. */
static void exp_ball_is_as_wide_as_its_argument(void **unused)
{
    mpfr_t x;
    (void)unused;
    mpfr_init2(x, 200);
    for (int i = 0; i < 4000; i++) {
        const double v = unit() * 170 - 85, e = ldexp(unit(), -(int)below(12));
        const ref_ball sharp = ref_exp(mode_fp(0), 0, ref_exact(v));
        mpfr_set_d(x, v, MPFR_RNDN);
        mpfr_exp(x, x, MPFR_RNDN);
        mpfr_sub_d(x, x, sharp.v, MPFR_RNDN);
        assert_true(fabs(mpfr_get_d(x, MPFR_RNDA)) <= sharp.e);
        assert_true(sharp.e >= 2 * REF_UD * sharp.v && sharp.e < 8 * REF_UD * sharp.v);
        const ref_ball b = ref_exp(mode_fp(0), 0x1p-20, (ref_ball){ v, e });
        assert_true(b.e >= b.v * (expm1(e) + 0x1p-20) &&
                    b.e <= b.v * (e + e * e + 0x1p-20) * 1.00001);
    }
    assert_true(ref_expm1(0.5) >= expm1(0.5) && ref_expm1(0.5) <= 0.75);
    assert_true(ref_expm1(3) >= expm1(3) && ref_expm1(3) < 1.0001 * expm1(3));
    const ref_ball tiny = ref_exp(mode_fp(0), 0x1p-23, ref_exact(-100));
    assert_true(tiny.e >= REF_HALF_MIN && tiny.e < 1.1 * REF_HALF_MIN + 0x1p-23 * tiny.v);
    mpfr_clear(x);
}

static void ball_dot_is_as_wide_as_its_parts(void **unused)
{
    ref_ball a[32], b[32];
    (void)unused;
    for (int i = 0; i < 4000; i++) {
        const size_t n = 1 + below(32), h = below(40);
        const ref_fp fp = mode_fp(i & 1);
        double in = 0, s = 0, v = 0;
        for (size_t j = 0; j < n; j++) {
            a[j] = (ref_ball){ (double)signed_pow2(3), below(2) ? 0.01 * unit() : 0 };
            b[j] = (ref_ball){ (double)signed_pow2(3), below(2) ? 0.01 * unit() : 0 };
            const double top = (fabs(a[j].v) + a[j].e) * (fabs(b[j].v) + b[j].e);
            v += a[j].v * b[j].v;
            in += top - fabs(a[j].v * b[j].v);
            s += top;
        }
        const ref_ball r = ref_dot(fp, a, b, n, (double)h);
        const double want = in + (double)h * fp.u * s;
        assert_true(within(r.v, v, 1e-13 * s));
        assert_true(r.e >= want * (1 - 1e-6) && r.e <= want * (1 + 1e-5) + 1e-13 * s);
    }
}

static void balls_are_not_wider_than_one_rounding(void **unused)
{
    const ref_fp fp = mode_fp(0);
    const ref_ball a = { 1.5, 0 }, b = { 1.25, 0 };
    (void)unused;
    assert_true(ref_add(fp, a, b).e < 2.75 * 0x1.00001p-24);
    assert_true(ref_mul(fp, a, b).e < 1.875 * 0x1.00001p-24);
    assert_true(ref_div(fp, a, b).e < 1.2 * 0x1.00001p-24);
    assert_true(isinf(ref_div(fp, a, (ref_ball){ 1, 1 }).e));
    assert_true(ref_half_ulp(1) == 0x1p-24 && ref_half_ulp(0x1.fp0) == 0x1p-24);
    assert_true(ref_half_ulp(2) == 0x1p-23 && ref_half_ulp(0x1p-127) == 0x1p-150);
    assert_true(ref_half_ulp(0x1p-126) == 0x1p-150 && ref_half_ulp(0x1p-125) == 0x1p-149);
    assert_true(ref_low_bit(12) == 4 && ref_low_bit(-0x3p-149f) == 0x1p-149);
    assert_true(ref_low_bit(0) == 0 && ref_low_bit(0x1.000002p0f) == 0x1p-23);
    assert_true(ref_ceil_pow2(3) == 4 && ref_ceil_pow2(4) == 4 && ref_ceil_pow2(0) == 0);
}

/* ---- range.h ---- */

static unsigned class_of(double x)
{
    if (isnan(x)) return REF_NAN;
    return isinf(x) ? (x > 0 ? REF_PINF : REF_NINF) : REF_FINITE;
}

/* An infinity or NaN, or a finite number, or either of both. */
static ref_range either_of(float special, float finite, int which)
{
    const ref_range a = ref_range_of(special), b = ref_range_of(finite);
    return (ref_range){ (which & 1 ? a.can : 0) | (which & 2 ? b.can : 0), b.b };
}

/* Of sets with one finite number at most, the classes are exactly those that their members give. */
static void ranges_are_those_of_their_members(void **unused)
{
    static const float special[3] = { INFINITY, -INFINITY, NAN };
    static const float finite[] = { 0, 1, -1, 1e30f, -1e30f, 3e38f, -3e38f, 0x1p-140f };
    enum { F = sizeof finite / sizeof *finite };
    const ref_fp fp = mode_fp(0);
    (void)unused;
    for (size_t i = 0; i < 3 * F * 3; i++)
        for (size_t j = 0; j < 3 * F * 3; j++) {
            const float x[2] = { special[i % 3], finite[i / 3 % F] };
            const float y[2] = { special[j % 3], finite[j / 3 % F] };
            const int p = (int)(i / 3 / F) + 1, q = (int)(j / 3 / F) + 1;
            unsigned product = 0, sum = 0, fused = 0;
            for (int k = 0; k < 4; k++) {
                if (!(p >> (k & 1) & 1) || !(q >> (k >> 1) & 1)) continue;
                const float a = x[k & 1], b = y[k >> 1];
                product |= class_of((double)(a * b));
                sum |= class_of((double)(a + b));
                fused |= class_of((double)a * (double)b);
            }
            const ref_range u = either_of(x[0], x[1], p), v = either_of(y[0], y[1], q);
            assert_int_equal(ref_range_mul(fp, u, v).can, product);
            assert_int_equal(ref_range_add(fp, u, v).can, sum);
            assert_int_equal(ref_range_product(fp, u, v).can, fused);
        }
}

static void overflow_is_certain_or_possible_as_said(void **unused)
{
    const ref_fp near = mode_fp(0), directed = mode_fp(1), wide = { REF_UD, 0, 0, 0 };
    const double fits = REF_FITS, less = nextafter(fits, 0), above = nextafter(REF_OVER, INFINITY);
    (void)unused;
    for (int s = -1; s < 2; s += 2) {
        const unsigned inf = s > 0 ? REF_PINF : REF_NINF;
        assert_int_equal(ref_overflow(near, ref_exact(s * less)), REF_FINITE);
        assert_int_equal(ref_overflow(near, ref_exact(s * fits)), REF_FINITE | inf);
        assert_int_equal(ref_overflow(near, ref_exact(s * REF_OVER)), REF_FINITE | inf);
        assert_int_equal(ref_overflow(near, ref_exact(s * above)), inf);
        assert_int_equal(ref_overflow(near, (ref_ball){ s * 0x1p128, 0x1p102 }), inf);
        assert_int_equal(ref_overflow(near, (ref_ball){ s * 0x1p128, 0x1p103 }), REF_FINITE | inf);
        assert_int_equal(ref_overflow(near, (ref_ball){ s * 0x1p100, fits }), REF_FINITE | inf);
        assert_int_equal(ref_overflow(near, (ref_ball){ s * 1.0, 2 * fits }),
                         REF_FINITE | REF_PINF | REF_NINF);
        assert_int_equal(ref_overflow(directed, ref_exact(s * 0x1p200)), REF_FINITE | inf);
        assert_int_equal(ref_overflow(wide, ref_exact(s * 0x1p200)), REF_FINITE);
    }
    /* an infinity times what may be zero, or of either sign; DAZ makes zeros */
    assert_int_equal(ref_scale_inf(near, REF_PINF, (ref_ball){ 1, 1 }), REF_PINF | REF_NAN);
    assert_int_equal(ref_scale_inf(near, REF_PINF, (ref_ball){ 1, 2 }),
                     REF_PINF | REF_NINF | REF_NAN);
    assert_int_equal(ref_scale_inf(near, REF_PINF, (ref_ball){ -1, 1 }), REF_NINF | REF_NAN);
    assert_int_equal(ref_scale_inf(near, REF_PINF, (ref_ball){ -1, 0.5 }), REF_NINF);
    assert_int_equal(ref_scale_inf(near, 0, (ref_ball){ 0, 0 }), 0);
    const ref_fp zeroing = { 0x1p-24, 0, 0, REF_MIN_NORMAL };
    assert_true(ref_scale_inf(zeroing, REF_PINF, ref_exact(0x1p-130)) & REF_NAN);
    assert_false(ref_scale_inf(zeroing, REF_PINF, ref_exact(0x1p-126)) & REF_NAN);
}

/* ---- simulated kernels: the words of ck_numspec.h, written as plainly as can be ---- */

/* A float sum with the most roundings that a term of it has met; -1: untouched. */
typedef struct sim {
    float s;
    int h;
} sim;

static int flush_results; /* simulated FTZ */
static double rounded;    /* sum of |every rounded sum| */

static float flushed(float x)
{
    return flush_results && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static sim join(sim a, sim b)
{
    const int h = a.h > b.h ? a.h : b.h, exact = a.h < 0 || b.h < 0;
    const float s = flushed(a.s + b.s);
    if (!exact) rounded += (double)fabsf(s);
    return (sim){ s, exact ? h : h + 1 };
}

static sim accumulate(sim s, float x, float y, const ck_numspec *num)
{
    if (num->flags & CK_NUM_MULADD) return join(s, (sim){ flushed(x * y), 1 });
    const float sum = flushed(fmaf(x, y, s.s));
    rounded += (double)fabsf(sum);
    return (sim){ sum, (s.h < 0 ? 0 : s.h) + 1 };
}

static sim tree(const sim *part, size_t stride, unsigned count, unsigned how)
{
    sim s[512];
    for (unsigned i = 0; i < count; i++) s[i] = part[i * stride];
    if (how == CK_TREE_SEQ)
        for (unsigned i = 1; i < count; i++) s[0] = join(s[0], s[i]);
    else
        for (unsigned h = count / 2; h >= 1; h /= 2)
            for (unsigned i = 0; i < h; i++) s[i] = join(s[i], s[i + h]);
    return s[0];
}

static sim sim_chunk(const float *x, const float *y, size_t n, const ck_numspec *num)
{
    const unsigned lanes = num->lanes, accs = num->accs;
    sim part[512], lane[512] = { { 0, -1 } };
    for (size_t i = 0; i < (size_t)lanes * accs; i++) part[i] = (sim){ 0, -1 };
    const size_t vectors = n / lanes, grouped = vectors / accs * accs;
    size_t i = 0;
    for (; i < vectors * lanes; i++) {
        const size_t v = i / lanes, a = v < grouped ? v % accs : 0;
        sim *p = &part[a * lanes + i % lanes];
        *p = accumulate(*p, x[i], y[i], num);
    }
    if (num->tail == CK_TAIL_LANE)
        for (; i < n; i++) part[i % lanes] = accumulate(part[i % lanes], x[i], y[i], num);
    for (unsigned l = 0; l < lanes; l++) lane[l] = tree(part + l, lanes, accs, num->tree);
    sim s = tree(lane, 1, lanes, num->tree);
    for (; i < n; i++) s = accumulate(s, x[i], y[i], num);
    return s;
}

static sim sim_dot(const float *x, const float *y, size_t n, const ck_numspec *num)
{
    const size_t kc = num->kc ? num->kc : n;
    sim s = { 0, -1 };
    for (size_t i = 0; i < n; i += kc)
        s = join(s, sim_chunk(x + i, y + i, n - i < kc ? n - i : kc, num));
    return s;
}

/* Products, added up two random ones at a time. */
static float sim_random(const float *x, const float *y, size_t n)
{
    float t[1024];
    for (size_t i = 0; i < n; i++) t[i] = x[i] * y[i];
    while (n > 1) {
        const size_t i = below(n);
        const float a = t[i];
        t[i] = t[--n];
        const size_t j = below(n);
        t[j] += a;
    }
    return n ? t[0] : 0;
}

typedef struct ends {
    float alpha, beta, c, bias;
} ends;

static float sim_ends(float s, const ends *p, const ck_numspec *num)
{
    const int muladd = num->flags & CK_NUM_MULADD || (num->lanes == 0 && below(2));
    float y = flushed(p->alpha * s);
    if (p->beta != 0) y = flushed(muladd ? y + flushed(p->beta * p->c) : fmaf(p->beta, p->c, y));
    return flushed(y + p->bias);
}

static const ck_numspec orders[] = {
    { .lanes = 1, .accs = 1 },
    { .lanes = 1, .accs = 1, .flags = CK_NUM_MULADD },
    { .lanes = 4, .accs = 1, .tail = CK_TAIL_SCALAR, .flags = CK_NUM_MULADD },
    { .lanes = 8, .accs = 4, .tail = CK_TAIL_SCALAR },
    { .lanes = 8, .accs = 3, .tail = CK_TAIL_LANE, .tree = CK_TREE_SEQ },
    { .lanes = 16, .accs = 4, .tail = CK_TAIL_LANE },
    { .lanes = 16, .accs = 2, .tail = CK_TAIL_SCALAR, .kc = 100 },
    { .lanes = 3, .accs = 2, .tail = CK_TAIL_LANE, .tree = CK_TREE_SEQ, .kc = 37 },
    { .lanes = 1, .accs = 4, .flags = CK_NUM_MULADD, .kc = 64 },
    { .lanes = 2, .accs = 1, .tail = CK_TAIL_LANE },
    { .lanes = 0, .accs = 1 },
    { .lanes = 0, .accs = 1, .flags = CK_NUM_MULADD },
};

enum { ORDERS = sizeof orders / sizeof *orders, LONG = 1024 };

enum {
    NORMAL,
    POSITIVE,
    WIDE,
    CANCEL,
    CONSTANT,
    STAGNATION,
    DENORMAL,
    INTEGER,
    COARSE,
    LARGE,
    SUBNORMAL,
    KINDS
};

static float entry(int kind, size_t i, size_t step)
{
    switch (kind) {
    case NORMAL: return normal();
    case POSITIVE: return (float)(0.5 + unit());
    case WIDE: return signed_pow2(20);
    case STAGNATION: return i < step ? 1 : 0x1p-24f;
    case DENORMAL: return ldexpf(signed_pow2(1), -74);
    case INTEGER: return (float)((int)below(65) - 32);
    case COARSE: return (float)((int)below(512) - 256) / 256;
    case LARGE: return ldexpf(signed_pow2(2), 50);
    case SUBNORMAL: return ldexpf(signed_pow2(3), -127);
    default: return 0.1f;
    }
}

static float partner(int kind, size_t i)
{
    switch (kind) {
    case STAGNATION:
    case CANCEL: return 1;
    case CONSTANT: return 1.1f;
    case SUBNORMAL: return signed_pow2(8);
    default: return entry(kind, i, 0);
    }
}

static void draw(float *x, float *y, size_t n, int kind, size_t step)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = kind == CANCEL ? normal() : entry(kind, i, step);
        y[i] = partner(kind, i);
        if (kind == CANCEL && i % 2) x[i] = -x[i - 1] * (1 + (float)below(2) * 0x1p-20f);
    }
}

static ends draw_ends(double scale)
{
    ends p = { 1, 0, 0, 0 };
    const size_t what = below(4);
    if (what & 1) p.alpha = below(2) ? normal() : -0.5f;
    if (what & 2) p.beta = below(2) ? normal() : 1, p.c = normal() * (float)scale;
    if (below(2)) p.bias = normal() * (float)scale;
    return p;
}

typedef struct cell {
    double v[ORDERS + 1], term, e[ORDERS + 1];
} cell;

static cell one_gemm(const float *x, const float *y, size_t n, ends p, const ref_spec *specs,
                     size_t nspecs)
{
    cell r;
    ref_out out = { 1, r.v, &r.term, r.e };
    const ref_tile tile = { 0, 1, 0, 1 };
    const ref_gemm_args args = { x, y, &p.c, &p.bias, n, n, n, 1, p.alpha, p.beta };
    ref_gemm_nt_f32(&args, &tile, specs, nspecs, &out);
    return r;
}

/* Every order, fast, in one mode. flush: 1 results, 2 results and operands. */
static void all_specs(ref_spec *specs, double u, int flush)
{
    for (size_t s = 0; s < ORDERS; s++)
        specs[s] = (ref_spec){ &orders[s], 0, u, flush != 0, flush == 2 };
}

/* The CPU's own flushing, FTZ and DAZ of MXCSR, as glibc lets it be set. */
static void set_flushing(int on)
{
    fenv_t env;
    fegetenv(&env);
    env.__mxcsr = on ? env.__mxcsr | 0x8040 : env.__mxcsr & ~0x8040u;
    fesetenv(&env);
}

static double worst[ORDERS]; /* utilisation */

static float run_order(const float *x, const float *y, size_t n, size_t s)
{
    if (orders[s].lanes != 0) return sim_dot(x, y, n, &orders[s]).s;
    ck_numspec other = orders[below(ORDERS - 2)]; /* any order includes all of them */
    if (orders[s].flags & CK_NUM_MULADD && below(2)) return sim_random(x, y, n);
    return sim_dot(x, y, n, &other).s;
}

/* One draw, every order: the simulated kernel is inside its radius. */
static void check_draw(size_t n, int kind, double u, int flush)
{
    float x[LONG], y[LONG];
    ref_spec specs[ORDERS];
    const double scale = kind >= SUBNORMAL || kind == DENORMAL ? 0x1p-126
                         : kind == LARGE                       ? 0x1p100
                                                               : 1;
    draw(x, y, n, kind, 1);
    const ends p = draw_ends(scale);
    all_specs(specs, u, flush);
    const cell r = one_gemm(x, y, n, p, specs, ORDERS);
    for (size_t s = 0; s < ORDERS; s++) {
        if (u > 0x1p-24) fesetround(below(2) ? FE_UPWARD : FE_TOWARDZERO);
        flush_results = flush == 1;
        if (flush == 2) set_flushing(1);
        const float y32 = sim_ends(run_order(x, y, n, s), &p, &orders[s]);
        set_flushing(0);
        flush_results = 0;
        fesetround(FE_TONEAREST);
        const double got = (double)y32;
        if (!within(got, r.v[s], r.e[s]))
            fail_msg("kind %d n %zu order %zu: got %a, want %a +- %a", kind, n, s, got, r.v[s],
                     r.e[s]);
        if (r.e[s] > 0) worst[s] = fmax(worst[s], fabs(got - r.v[s]) / r.e[s]);
    }
}

static void correct_kernels_of_every_order_are_inside(void **unused)
{
    (void)unused;
    memset(worst, 0, sizeof worst);
    for (int i = 0; i < 12000; i++)
        check_draw(below(i % 8 == 0 ? 1000 : 80), (int)below(KINDS), 0x1p-24, 0);
    printf("worst utilisation by order:");
    for (size_t s = 0; s < ORDERS; s++) printf(" %.3f", worst[s]);
    printf("\n");
}

static void kernels_in_directed_modes_are_inside(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4000; i++) check_draw(below(120), (int)below(KINDS), 0x1p-23, 0);
}

static void flushing_kernels_are_inside(void **unused)
{
    (void)unused;
    memset(worst, 0, sizeof worst);
    for (int i = 0; i < 6000; i++) {
        const int kind = i % 3 == 0 ? DENORMAL : i % 3 == 1 ? SUBNORMAL : (int)below(KINDS);
        check_draw(below(i % 4 ? 20 : 120), kind, 0x1p-24, 1 + i / 3 % 2);
    }
    printf("flushing, worst utilisation of one chain: %.3f\n", worst[0]);
    /* and a flushing kernel that must not be is outside */
    const float x[2] = { 0x1p-100f, 0x1p-100f }, y[2] = { 0x1p-30f, 0x1p-30f };
    const ref_spec spec = { &orders[0], 0, 0x1p-24, 0, 0 };
    const cell r = one_gemm(x, y, 2, (ends){ 1, 0, 0, 0 }, &spec, 1);
    assert_false(within(0, r.v[0], r.e[0]));
}

static void height_is_that_of_the_simulated_tree(void **unused)
{
    float x[LONG];
    (void)unused;
    for (size_t i = 0; i < LONG; i++) x[i] = 1;
    for (size_t s = 0; orders[s].lanes != 0; s++)
        for (size_t n = 1; n < 400; n++) {
            const ref_order o = ref_order_of(&orders[s], n);
            assert_int_equal((int)ref_height(&o, 1), sim_dot(x, x, n, &orders[s]).h);
            assert_true(ref_height(&o, 0) >= ref_height(&o, 1) - 1);
        }
}

/* The replay in pieces, at any boundary, is the replay at once, and its sum the tree's. */
static void replay_in_pieces_is_the_whole(void **unused)
{
    double t[300];
    float x[300], y[300];
    (void)unused;
    for (size_t i = 0; i < 300; i++) {
        x[i] = (float)((int)below(21) - 10);
        y[i] = 1;
        t[i] = (double)x[i];
    }
    for (size_t s = 0; orders[s].lanes != 0; s++)
        for (size_t n = 1; n <= 300; n++) {
            const ref_order o = ref_order_of(&orders[s], n);
            ref_replay whole, cut;
            ref_replay_begin(&whole, &o);
            ref_replay_terms(&whole, t, n);
            ref_replay_begin(&cut, &o);
            for (size_t i = 0, m; i < n; i += m) {
                m = 1 + below(n - i);
                ref_replay_terms(&cut, t + i, m);
            }
            assert_true(whole.nodes == cut.nodes && whole.total == cut.total);
            rounded = 0;
            assert_true(whole.total == (double)sim_dot(x, y, n, &orders[s]).s);
            /* the replay counts a chain's first product as well, which only FMA rounds there */
            assert_true(orders[s].flags & CK_NUM_MULADD ? whole.nodes > rounded
                                                        : whole.nodes == rounded);
        }
}

/* [1, 2^-24, 2^-24, ...] loses every addition: the bound is nearly reached, and a kernel that
 * claims more lanes than it has is caught. */
static void stagnation_reaches_the_bound(void **unused)
{
    float x[LONG], y[LONG];
    const ends plain = { 1, 0, 0, 0 };
    const ref_spec specs[3] = { { &orders[0], 0, 0x1p-24, 0, 0 },
                                { &orders[5], 0, 0x1p-24, 0, 0 },
                                { &orders[10], 0, 0x1p-24, 0, 0 } };
    (void)unused;
    for (size_t n = 8; n <= LONG; n *= 2) {
        draw(x, y, n, STAGNATION, 1);
        const cell r = one_gemm(x, y, n, plain, specs, 3);
        const double off = fabs((double)sim_dot(x, y, n, &orders[0]).s - r.v[0]);
        assert_true(off <= r.e[0] && off > 0.8 * r.e[0]);
        assert_true(off <= r.e[2]);
        if (n > 64) assert_false(off <= r.e[1]);
        draw(x, y, n, STAGNATION, 64); /* a 1 for each of the 16 x 4 chains */
        if (n < 1024) continue;
        const cell q = one_gemm(x, y, n, plain, specs, 3);
        const double lanes = fabs((double)sim_dot(x, y, n, &orders[5]).s - q.v[0]);
        assert_true(lanes <= q.e[1] && lanes > 0.5 * q.e[1]);
    }
}

/* One product is rounded once, whatever the order; adding zeros costs nothing. */
static void one_term_costs_one_rounding(void **unused)
{
    const float x = 1.1f, y = 0.7f;
    ref_spec specs[ORDERS];
    (void)unused;
    all_specs(specs, 0x1p-24, 0);
    const cell r = one_gemm(&x, &y, 1, (ends){ 1, 0, 0, 0 }, specs, ORDERS);
    for (size_t s = 0; orders[s].lanes != 0; s++)
        assert_true(r.e[s] > 0x0.fffp-24 * r.v[s] && r.e[s] < 0x1.001p-24 * r.v[s]);
    assert_true(r.e[10] > 0x3.fffp-24 * r.v[10] && r.e[10] < 0x4.001p-24 * r.v[10]);
}

static void radii_order_as_promised(void **unused)
{
    float x[256], y[256];
    ref_spec specs[ORDERS];
    (void)unused;
    all_specs(specs, 0x1p-24, 0);
    draw(x, y, 256, NORMAL, 0);
    const cell r = one_gemm(x, y, 256, (ends){ 1, 0, 0, 0 }, specs, ORDERS);
    /* the replay of 64 chains beats one chain, which beats any order */
    assert_true(0 < r.e[5] && r.e[5] < r.e[0] && r.e[0] < r.e[10]);
    assert_true(r.e[0] < r.e[1]);
    /* only as many specs as asked for, the same one by one */
    for (size_t s = 0; s < ORDERS; s++)
        assert_true(one_gemm(x, y, 256, (ends){ 1, 0, 0, 0 }, specs + s, 1).e[0] == r.e[s]);
}

/* Long sums are read in pieces; the same radius to rounding, hence check against the simulation. */
static void sums_longer_than_a_piece_are_inside(void **unused)
{
    enum { N = 3 * REF_PIECE + 77 };
    static float x[N], y[N];
    ref_spec specs[ORDERS];
    (void)unused;
    all_specs(specs, 0x1p-24, 0);
    for (int kind = NORMAL; kind < KINDS; kind++) {
        draw(x, y, N, kind, 1);
        const cell r = one_gemm(x, y, N, (ends){ 1, 0, 0, 0 }, specs, ORDERS);
        for (size_t s = 0; orders[s].lanes != 0; s++)
            assert_true(within((double)sim_dot(x, y, N, &orders[s]).s, r.v[s], r.e[s]));
    }
}

/* ---- exactness ---- */

static ref_spec spec_of(size_t order, int strict, int ftz, int daz)
{
    return (ref_spec){ &orders[order], strict, 0x1p-24, ftz, daz };
}

static void exact_sums_have_radius_0_and_one_step_more_has_not(void **unused)
{
    float x[4] = { 4096, 1, 2048, 3 }, y[4] = { 2048, 1, 2048, -1 };
    const ref_spec specs[3] = { spec_of(0, 0, 0, 0), spec_of(10, 0, 0, 0), spec_of(0, 1, 0, 0) };
    ends p = { 1, 0, 0, 0 };
    (void)unused;
    /* 2^23 + 1 + 2^22 + 3 <= 2^24 */
    cell r = one_gemm(x, y, 4, p, specs, 3);
    assert_true(r.v[0] == 8388608 + 1 + 4194304 - 3 && r.e[0] == 0 && r.e[1] == 0 && r.e[2] == 0);
    x[2] = 2050; /* S = 2^23 + 2050 * 2048 + 4 <= 2^24 still; then above it */
    assert_true(one_gemm(x, y, 4, p, specs, 2).e[0] == 0);
    x[0] = 6144;
    r = one_gemm(x, y, 4, p, specs, 3);
    assert_true(r.e[0] > 0 && r.e[1] > 0);
    assert_true(r.e[2] == 0 || r.v[2] != (double)(float)r.v[2]);
    /* the limit itself: S = 2^24 g exact, one g more not */
    const float a[2] = { 0x1p23f, 0x1p23f }, b[2] = { 1, 1 }, c[3] = { 0x1p23f, 0x1p23f, 1 };
    const float ones[3] = { 1, 1, 1 };
    assert_true(one_gemm(a, b, 2, p, specs, 3).e[0] == 0);
    r = one_gemm(c, ones, 3, p, specs, 3);
    assert_true(r.e[0] > 0 && r.e[2] > 0); /* 2^24 + 1 is no float */
    p.alpha = 0.375f;                      /* 3 * 2^-3: alpha S <= 2^24 g / 8 */
    assert_true(one_gemm(b, b, 2, p, specs, 3).e[0] == 0);
    p.alpha = 0.1f;
    assert_true(one_gemm(b, b, 1, p, specs, 3).e[0] == 0); /* 0.1f = 13421773 2^-27 */
    assert_true(one_gemm(b, b, 2, p, specs, 3).e[0] > 0);
    p = (ends){ 1, 2, 3, 0.25f };
    assert_true(one_gemm(b, b, 2, p, specs, 3).e[0] == 0);
    p.bias = 0x1p-23f;
    assert_true(one_gemm(b, b, 2, p, specs, 3).e[0] > 0);
}

static void exact_sums_mind_underflow_and_flushing(void **unused)
{
    const float tiny[2] = { 0x1p-100f, 0x1p-100f }, least[2] = { 0x1p-49f, 0x1p-50f };
    const float small[2] = { 0x1p-140f, 0x1p-140f }, big[2] = { 0x1p100f, 0x1p100f };
    const float one[2] = { 1, 1 };
    const ends p = { 1, 0, 0, 0 };
    const ref_spec s[4] = { spec_of(0, 0, 0, 0), spec_of(0, 1, 0, 0), spec_of(0, 0, 1, 0),
                            spec_of(0, 0, 0, 1) };
    (void)unused;
    cell r = one_gemm(tiny, least, 2, p, s, 4); /* 2^-149 + 2^-150: no float */
    assert_true(r.e[0] > 0 && r.e[1] > 0);
    r = one_gemm(tiny, (const float[2]){ 0x1p-49f, 0x1p-48f }, 2, p, s, 4);
    assert_true(r.e[0] == 0 && r.e[1] == 0 && r.e[2] > 0 && r.e[3] > 0);
    r = one_gemm(small, one, 2, p, s, 4);
    assert_true(r.e[0] == 0 && r.e[2] >= 0x1p-139 && r.e[3] >= 0x1p-139);
    r = one_gemm(small, big, 2, p, s, 4); /* normal products of subnormal operands */
    assert_true(r.e[0] == 0 && r.e[2] == 0 && r.e[3] >= r.v[0]);
}

/* Random small data: whenever the reference says 0, every order gives the value bit for bit. */
static void radius_0_is_never_wrong(void **unused)
{
    float x[64], y[64];
    ref_spec specs[ORDERS];
    size_t exact = 0, inexact = 0;
    (void)unused;
    all_specs(specs, 0x1p-24, 0);
    for (int i = 0; i < 20000; i++) {
        const size_t n = 1 + below(64), wide = below(14);
        for (size_t j = 0; j < n; j++) {
            x[j] = (float)((int)below(2u << wide) - (1 << wide));
            y[j] = ldexpf((float)((int)below(2u << wide) - (1 << wide)), (int)below(3));
        }
        const ends p = { below(2) ? 1 : -0.375f, (float)below(3), (float)below(1000), 0.5f };
        const cell r = one_gemm(x, y, n, p, specs, ORDERS);
        for (size_t s = 0; s < ORDERS; s++) {
            const float got = sim_ends(run_order(x, y, n, s), &p, &orders[s]);
            assert_true(within((double)got, r.v[s], r.e[s]));
            exact += r.e[s] == 0;
            inexact += r.e[s] > 0;
        }
    }
    assert_true(exact > 50000 && inexact > 50000);
}

/* ---- strict ---- */

static double sim_strict(const float *x, const float *y, size_t n, const ends *p)
{
    double s[16] = { 0 };
    for (size_t i = 0; i < n; i++) s[i % 16] += (double)x[i] * (double)y[i];
    for (size_t h = 8; h > 0; h /= 2)
        for (size_t l = 0; l < h; l++) s[l] += s[l + h];
    double v = (double)p->alpha * s[0];
    if (p->beta != 0) v += (double)p->beta * (double)p->c;
    return (double)(float)(v + (double)p->bias);
}

/* A double sum may be wrong and yet a float: other orders of these terms give 0 and 2. */
static void strict_radius_covers_cancellation(void **unused)
{
    const float x[4] = { 0x1p60f, 1, -0x1p60f, 1 }, y[4] = { 1, 1, 1, 1 };
    const ref_spec spec = spec_of(0, 1, 0, 0);
    const cell r = one_gemm(x, y, 4, (ends){ 1, 0, 0, 0 }, &spec, 1);
    (void)unused;
    assert_true(within(0, r.v[0], r.e[0]) && within(1, r.v[0], r.e[0]) &&
                within(2, r.v[0], r.e[0]));
}

/* The double sums against 2000 bits, the strict kernel against its radius, which is one rounding.
 */
static void mpfr_agrees_with_gemm_and_strict_is_inside(void **unused)
{
    float x[256], y[256];
    mpfr_t sum, t, u;
    (void)unused;
    mpfr_inits2(2000, sum, t, u, (mpfr_ptr)0);
    for (int i = 0; i < 4000; i++) {
        const size_t n = below(256);
        draw(x, y, n, (int)below(KINDS), 1);
        const ends p = draw_ends(1);
        const ref_spec spec = spec_of(0, 1, 1, 1); /* MXCSR does not matter */
        const cell r = one_gemm(x, y, n, p, &spec, 1);
        double s = fabs((double)p.beta * (double)p.c) + fabs((double)p.bias);
        mpfr_set_zero(sum, 1);
        for (size_t j = 0; j < n; j++) {
            s += fabs((double)p.alpha * ((double)x[j] * (double)y[j]));
            mpfr_set_flt(t, x[j], MPFR_RNDN);
            mpfr_mul_d(t, t, (double)y[j], MPFR_RNDN);
            mpfr_add(sum, sum, t, MPFR_RNDN);
        }
        mpfr_mul_d(sum, sum, (double)p.alpha, MPFR_RNDN);
        mpfr_set_flt(t, p.beta, MPFR_RNDN);
        mpfr_mul_d(t, t, (double)p.c, MPFR_RNDN);
        mpfr_add(sum, sum, t, MPFR_RNDN);
        mpfr_add_d(sum, sum, (double)p.bias, MPFR_RNDN);
        mpfr_sub_d(t, sum, r.v[0], MPFR_RNDN);
        assert_true(fabs(mpfr_get_d(t, MPFR_RNDA)) <= (double)(n + 3) * 0x1p-53 * s);
        assert_true(within(sim_strict(x, y, n, &p), r.v[0], r.e[0]));
        /* the correctly rounded result is inside, and little else */
        const double right = (double)mpfr_get_flt(sum, MPFR_RNDN);
        assert_true(within(right, r.v[0], r.e[0]));
        assert_true(r.e[0] <=
                    ref_half_ulp(fabs(r.v[0])) * 1.001 + (double)(2 * n + 9) * 0x1p-53 * s);
    }
    mpfr_clears(sum, t, u, (mpfr_ptr)0);
}

/* ---- NaN, infinity, overflow ---- */

enum { IS_NAN, IS_PINF, IS_NINF, IS_ANY, IS_ZERO, IS_BALL };

static int kind_of(const cell *r, size_t s)
{
    if (r->e[s] == REF_ANY) return IS_ANY;
    if (isnan(r->v[s])) return IS_NAN;
    if (isinf(r->v[s])) return r->v[s] > 0 ? IS_PINF : IS_NINF;
    assert_true(r->e[s] >= 0 && isfinite(r->e[s]));
    return r->v[s] == 0 && r->e[s] == 0 ? IS_ZERO : IS_BALL;
}

static void gemm_specials_are_those_of_every_order(void **unused)
{
    const float inf = INFINITY, nan = NAN, big = 3e38f;
    const struct {
        float x[4], y[4];
        ends p;
        int fast, strict;
    } row[] = {
        { { 1, inf, 2, 3 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_PINF, IS_PINF },
        { { 1, inf, 2, 3 }, { 1, -1, 1, 1 }, { 1, 0, 0, 0 }, IS_NINF, IS_NINF },
        { { 1, inf, 2, 3 }, { 1, 0, 1, 1 }, { 1, 0, 0, 0 }, IS_NAN, IS_NAN },
        { { inf, -inf, 2, 3 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_NAN, IS_NAN },
        { { nan, 1, 2, 3 }, { 0, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_NAN, IS_NAN },
        { { inf, -big, -big, 3 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_ANY, IS_PINF },
        { { inf, big, big, 3 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_PINF, IS_PINF },
        { { big, big, 0, 0 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_PINF, IS_PINF },
        { { big, big, -big, -big }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_ANY, IS_ZERO },
        { { big, 1e38f, -big, 0 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_ANY, IS_BALL },
        { { big, 1e38f, 0, 0 }, { 1, 1, 1, 1 }, { 0.5f, 0, 0, 0 }, IS_PINF, IS_BALL },
        { { big, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 0, 0, -big }, IS_PINF, IS_BALL },
        { { big, 0, 0, 0 }, { 1, 1, 1, 1 }, { 1, 2, -big, 0 }, IS_BALL, IS_BALL },
        { { big, 0, 0, 0 }, { 1, 1, 1, 1 }, { 1, 3, -big, 0 }, IS_NINF, IS_NINF },
        { { FLT_MAX, 0, 0, 0 }, { 1, 1, 1, 1 }, { 1, 0, 0, 0 }, IS_ANY, IS_BALL },
        { { 1, 2, 3, 4 }, { 1, 1, 1, 1 }, { 1, 1, inf, 0 }, IS_PINF, IS_PINF },
        { { 1, inf, 3, 4 }, { 1, 1, 1, 1 }, { 1, 1, -inf, 0 }, IS_NAN, IS_NAN },
        { { 1, 2, 3, 4 }, { 1, 1, 1, 1 }, { 1, 1, 1, nan }, IS_NAN, IS_NAN },
        { { 1, 2, 3, 4 }, { 1, 1, 1, 1 }, { inf, 0, 0, 0 }, IS_PINF, IS_PINF },
        { { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { inf, 0, 0, 0 }, IS_NAN, IS_NAN },
        { { 1, inf, 3, 4 }, { 1, 1, 1, 1 }, { 0, 0, 0, 0 }, IS_NAN, IS_NAN },
        { { 1, inf, 3, 4 }, { 1, 1, 1, 1 }, { -1, 0, nan, 0 }, IS_NINF, IS_NINF },
        { { 1, 2, 3, 4 }, { 1, 1, 1, 1 }, { 0, 0, nan, 0 }, IS_ZERO, IS_ZERO },
    };
    const ref_spec fast = spec_of(0, 0, 0, 0), strict = spec_of(0, 1, 0, 0);
    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const cell f = one_gemm(row[i].x, row[i].y, 4, row[i].p, &fast, 1);
        const cell s = one_gemm(row[i].x, row[i].y, 4, row[i].p, &strict, 1);
        if (kind_of(&f, 0) != row[i].fast || kind_of(&s, 0) != row[i].strict)
            fail_msg("row %zu: fast %d, strict %d", i, kind_of(&f, 0), kind_of(&s, 0));
    }
}

/* Near overflow, all finite and all infinite results of correct kernels are accepted. */
static void overflowing_kernels_are_inside(void **unused)
{
    float x[32], y[32];
    ref_spec specs[ORDERS];
    size_t seen[IS_BALL + 1] = { 0 };
    (void)unused;
    for (int i = 0; i < 6000; i++) {
        const size_t n = 1 + below(32);
        for (size_t j = 0; j < n; j++) {
            x[j] = ldexpf(signed_pow2(2), 62);
            y[j] = ldexpf(i % 3 ? fabsf(x[j]) : signed_pow2(2), i % 3 ? 0 : 62);
            if (i % 3 == 1) x[j] = fabsf(x[j]);
            if (below(200) == 0) x[j] = INFINITY;
        }
        const ends p = { below(2) ? 1 : 0.75f, below(2) ? 1 : -3,
                         below(2) ? 0 : ldexpf(signed_pow2(3), 124), 0 };
        const int directed = i % 4 == 3;
        all_specs(specs, directed ? 0x1p-23 : 0x1p-24, 0);
        const cell r = one_gemm(x, y, n, p, specs, ORDERS);
        for (size_t s = 0; s < ORDERS; s++) {
            if (directed) fesetround(below(2) ? FE_UPWARD : FE_TOWARDZERO);
            const double got = (double)sim_ends(run_order(x, y, n, s), &p, &orders[s]);
            fesetround(FE_TONEAREST);
            const int kind = kind_of(&r, s);
            seen[kind]++;
            if (kind == IS_NAN) assert_true(isnan(got));
            if (kind == IS_PINF || kind == IS_NINF) assert_true(got == r.v[s]);
            if (kind == IS_BALL) assert_true(within(got, r.v[s], r.e[s]));
        }
    }
    assert_true(seen[IS_PINF] > 100 && seen[IS_NINF] > 100 && seen[IS_ANY] > 100 &&
                seen[IS_BALL] > 100);
}

/* Contracts that differ, asked for together: to each its own demand. */
static void gemm_specs_get_their_own_demands(void **unused)
{
    const float inf = INFINITY, big = 3e38f;
    const struct {
        float x[4];
        ends p;
        int muladd, fma, any, strict;
    } row[] = {
        /* 2 FLT_MAX is an infinity in float only */
        { { 1 }, { 1, 2, FLT_MAX, -inf }, IS_NAN, IS_NAN, IS_NAN, IS_NINF },
        { { 1 }, { 1, -2, FLT_MAX, inf }, IS_NAN, IS_NAN, IS_NAN, IS_PINF },
        { { 1 }, { 1, 2, FLT_MAX, 0 }, IS_PINF, IS_PINF, IS_PINF, IS_PINF },
        { { 1 }, { 1, 2, FLT_MAX, -big }, IS_PINF, IS_PINF, IS_PINF, IS_PINF },
        { { 1 }, { 1, 1.5f, big, -big }, IS_PINF, IS_PINF, IS_PINF, IS_BALL },
        /* nor does it overflow within an FMA */
        { { big }, { -1, 1.5f, big, 0 }, IS_PINF, IS_BALL, IS_ANY, IS_BALL },
        { { big }, { 1, -1.5f, big, -inf }, IS_NINF, IS_NINF, IS_NINF, IS_NINF },
        { { big }, { 1, -1.5f, big, inf }, IS_NAN, IS_PINF, IS_ANY, IS_PINF },
        /* the sum: infinite, of no certain class, finite */
        { { big, big }, { 0, 0, 0, 0 }, IS_NAN, IS_NAN, IS_NAN, IS_ZERO },
        { { big, big }, { 0, 1, 1, 1 }, IS_NAN, IS_NAN, IS_NAN, IS_BALL },
        { { big, big }, { 0.25f, 0, 0, 0 }, IS_PINF, IS_PINF, IS_PINF, IS_BALL },
        { { big, big }, { 1, 0, 0, -inf }, IS_NAN, IS_NAN, IS_NAN, IS_NINF },
        { { inf, -big, -big }, { 1, 0, 0, 0 }, IS_ANY, IS_ANY, IS_ANY, IS_PINF },
        { { big, big, -big, -big }, { 1, 0, 0, 0 }, IS_ANY, IS_ANY, IS_ANY, IS_ZERO },
    };
    const float one[4] = { 1, 1, 1, 1 };
    const ref_spec specs[4] = { spec_of(1, 0, 0, 0), spec_of(0, 0, 0, 0), spec_of(10, 0, 0, 0),
                                spec_of(0, 1, 0, 0) };
    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const cell r = one_gemm(row[i].x, one, 4, row[i].p, specs, 4);
        const int want[4] = { row[i].muladd, row[i].fma, row[i].any, row[i].strict };
        for (size_t s = 0; s < 4; s++)
            if (kind_of(&r, s) != want[s])
                fail_msg("row %zu: spec %zu is %d, not %d", i, s, kind_of(&r, s), want[s]);
    }
    /* the ball is about the value, the FMA's as well */
    const cell r = one_gemm(row[5].x, one, 4, row[5].p, specs, 4);
    assert_true(within(0.5 * (double)big, r.v[1], r.e[1]) && r.e[1] < 1e-6 * r.v[1]);
    assert_true(within(0.5 * (double)big, r.v[3], r.e[3]) && r.e[3] < r.e[1]);
}

static int same(double a, double b) { return isnan(a) ? isnan(b) : a == b; }

/* A spec's demand is what it is when nothing else is asked for, special values or not. */
static void gemm_demands_do_not_depend_on_company(void **unused)
{
    static const float odd[] = { 0, 1, -1, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 0x1p-130f };
    enum { ODD = sizeof odd / sizeof *odd };
    float x[12], y[12];
    ref_spec specs[ORDERS + 1];
    size_t split = 0;
    (void)unused;
    for (int i = 0; i < 8000; i++) {
        const size_t n = below(12);
        const int flush = i % 3;
        all_specs(specs, below(2) ? 0x1p-24 : 0x1p-23, flush);
        specs[ORDERS] = spec_of(0, 1, flush != 0, flush == 2);
        const size_t rare = 1 + below(20);
        for (size_t j = 0; j < n; j++) {
            x[j] = below(rare) ? normal() : odd[below(ODD)];
            y[j] = below(rare) ? normal() : odd[below(ODD)];
        }
        const ends p = { below(3) ? 1 : odd[below(ODD)], below(3) ? 2 : odd[below(ODD)],
                         below(3) ? normal() : odd[below(ODD)], below(3) ? 0 : odd[below(ODD)] };
        const cell r = one_gemm(x, y, n, p, specs, ORDERS + 1);
        for (size_t s = 0; s <= ORDERS; s++) {
            const cell alone = one_gemm(x, y, n, p, specs + s, 1);
            assert_true(same(alone.v[0], r.v[s]) && alone.e[0] == r.e[s]);
            split += !same(r.v[s], r.v[0]);
        }
    }
    assert_true(split > 500); /* specs that differ are seen */
}

static void gemm_tiles_read_their_own_rows(void **unused)
{
    float a[3 * 5], b[4 * 6], c[3 * 7], bias[4];
    double v[12], term[12], e[12];
    const ref_spec spec = spec_of(0, 0, 0, 0);
    (void)unused;
    for (int i = 0; i < 15; i++) a[i] = (float)(i + 1);
    for (int i = 0; i < 24; i++) b[i] = (float)(2 * i - 7);
    for (int i = 0; i < 21; i++) c[i] = (float)(i * i);
    for (int i = 0; i < 4; i++) bias[i] = (float)i / 4;
    const ref_gemm_args args = { a, b, c, bias, 4, 5, 6, 7, 2, 3 };
    ref_out out = { 4, v, term, e };
    ref_gemm_nt_f32(&args, &(ref_tile){ 1, 2, 2, 2 }, &spec, 1, &out);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double s = 0;
            for (int l = 0; l < 4; l++)
                s += (double)a[(i + 1) * 5 + l] * (double)b[(j + 2) * 6 + l];
            s = 2 * s + 3 * (double)c[(i + 1) * 7 + j + 2] + (double)bias[j + 2];
            assert_true(v[i * 2 + j] == s && e[i * 2 + j] == 0 && term[i * 2 + j] > 0);
        }
    /* nothing to read: k = 0, and beta = 0 leaves c alone */
    const ref_gemm_args none = { NULL, NULL, NULL, bias, 0, 0, 0, 0, 1, 0 };
    ref_out one = { 1, v, term, e };
    ref_gemm_nt_f32(&none, &(ref_tile){ 0, 1, 1, 1 }, &spec, 1, &one);
    assert_true(v[0] == 0.25 && e[0] == 0);
}

/* Operands that lie otherwise have the same value and the same radius. */
static void gemm_values_do_not_depend_on_how_operands_lie(void **unused)
{
    enum { M = 3, N = 4, K = 19, ALL = M * N, SPECS = 2 };
    float a[M * K], a_down[K * M], b[N * K], b_down[K * N], c[ALL], bias[N];
    double want[3][SPECS * ALL] = { 0 }, got[3][SPECS * ALL] = { 0 };
    const ref_spec specs[SPECS] = { spec_of(2, 0, 0, 0),
                                    { .num = &(ck_numspec){ 0 }, .strict = 1 } };
    const ref_tile all = { 0, M, 0, N };
    ref_out out = { ALL, want[0], want[1], want[2] }, other = { ALL, got[0], got[1], got[2] };
    (void)unused;
    for (int i = 0; i < M * K; i++) a_down[i % K * M + i / K] = a[i] = normal();
    for (int i = 0; i < N * K; i++) b_down[i % K * N + i / K] = b[i] = normal();
    for (int i = 0; i < ALL; i++) c[i] = normal();
    for (int i = 0; i < N; i++) bias[i] = normal();
    ref_gemm_args g = { a, b, c, bias, K, K, K, N, 0.3f, -2 };
    ref_gemm_nt_f32(&g, &all, specs, SPECS, &out);
    g.b = b_down, g.ldb = N;
    ref_gemm_nn_f32(&g, &all, specs, SPECS, &other);
    assert_memory_equal(want, got, sizeof want);
    g.a = a_down, g.lda = M;
    ref_gemm_tn_f32(&g, &all, specs, SPECS, &other);
    assert_memory_equal(want, got, sizeof want);
    for (size_t i = 0; i < M; i++) {
        const ref_gemv_args v = { a + i * K, b, c + i * N, bias, K, K, 0.3f, -2 };
        ref_out row = { N, got[0], got[1], got[2] };
        ref_gemv_f32(&v, &(ref_tile){ 0, N, 0, 1 }, specs, 1, &row);
        assert_memory_equal(want[0] + i * N, got[0], N * sizeof(double));
        assert_memory_equal(want[2] + i * N, got[2], N * sizeof(double));
    }
}

/* ---- half and blocks ---- */

static void halves_by_hand(void **unused)
{
    (void)unused;
    assert_true(ref_f16_value(0x0001) == 0x1p-24 && (float)ref_f16_value(0x0001) == 5.9604645e-08f);
    assert_true(ref_f16_value(0x7c00) == INFINITY && ref_f16_value(0xfc00) == -INFINITY);
    assert_true(isnan(ref_f16_value(0x7e00)) && isnan(ref_f16_value(0x7c01)));
    assert_true(ref_f16_value(0x3c00) == 1 && ref_f16_value(0x7bff) == 65504);
    assert_true(ref_f16_value(0x03ff) == 1023 * 0x1p-24 && ref_f16_value(0xc000) == -2);
    assert_true(signbit(ref_f16_value(0x8000)) != 0);
    assert_int_equal(ref_f16_bits(1.0009f), 0x3c01);
    assert_int_equal(ref_f16_bits(65519.996f), 0x7bff);
    assert_int_equal(ref_f16_bits(65520), 0x7c00);
    assert_int_equal(ref_f16_bits(-1e30f), 0xfc00);
    assert_int_equal(ref_f16_bits(0x1p-25f), 0x0000);        /* tie to even */
    assert_int_equal(ref_f16_bits(0x1.000002p-25f), 0x0001); /* above it */
    assert_int_equal(ref_f16_bits(0x1.8p-24f), 0x0002);      /* tie to even */
    assert_int_equal(ref_f16_bits(0x1.ffep-15f), 0x0400);    /* carry to the least normal */
    assert_int_equal(ref_f16_bits(0x1.002p0f), 0x3c00);      /* tie to even */
    assert_int_equal(ref_f16_bits(0x1.ffep0f), 0x4000);      /* carry into the exponent */
    assert_int_equal(ref_f16_bits(NAN), 0x7e00);
    for (unsigned h = 0; h < 65536; h++)
        if (!isnan(ref_f16_value((uint16_t)h)))
            assert_int_equal(ref_f16_bits((float)ref_f16_value((uint16_t)h)), h);
}

enum { BYTES = 34, PARTS = 33 };

static const ck_numspec exact_num = { .accs = 1 }, tie_num = { .flags = CK_NUM_TIE_EITHER };

static void quantize(const float *x, const ref_spec *specs, size_t nspecs, double *v, double *e)
{
    double term[2 * PARTS];
    ref_out out = { PARTS, v, term, e };
    ref_quantize_row_q8_0(&(ref_quantize_args){ x }, &(ref_tile){ 0, 1, 1, 1 }, specs, nspecs,
                          &out);
    for (int i = 0; i < PARTS; i++) assert_true(term[i] == 1);
}

static void quantise_by_hand(void **unused)
{
    const ref_spec specs[2] = { { &exact_num, 0, 0x1p-24, 0, 0 },
                                { &exact_num, 1, 0x1p-24, 0, 0 } };
    float x[64] = { 0 };
    double v[2 * PARTS], e[2 * PARTS];
    (void)unused;
    /* the second block: amax 127, d = 1, id = 1; codes are RNE of x */
    for (int i = 0; i < 32; i++) x[32 + i] = (float)i + 0.5f;
    x[32] = -127;
    x[33] = -0.5f;
    x[34] = 2.5000002f;
    quantize(x, specs, 2, v, e);
    assert_true(v[0] == 0x3c00 && v[1] == -127 && v[2] == 0 && v[3] == 3);
    assert_true(v[4] == 4 && v[5] == 4 && v[32] == 32); /* 3.5, 4.5, 31.5 */
    for (int i = 0; i < 2 * PARTS; i++) assert_true(e[i] == 0);
    /* amax = 1: d = RN16(1/127) = 0x2008, x 127 */
    for (int i = 0; i < 32; i++) x[32 + i] = (float)i / 64;
    x[63] = 1;
    quantize(x, specs, 1, v, e);
    assert_true(v[0] == 0x2008 && v[1] == 0 && v[2] == 2 && v[32] == 127 && v[17] == 32);
    /* scales out of f16 */
    x[63] = 1e7f;
    quantize(x, specs, 1, v, e);
    assert_true(v[0] == 0x7c00 && v[32] == 127 && v[31] == 0);
    for (int i = 0; i < 32; i++) x[32 + i] = (float)i * 1e-10f;
    quantize(x, specs, 1, v, e);
    assert_true(v[0] == 0 && v[32] == 127 && v[2] == 4); /* 127/31 = 4.097 */
    /* zero, subnormal, NaN, infinity */
    const float bad[4] = { 0, 0x1p-127f, NAN, -INFINITY };
    for (int b = 0; b < 4; b++) {
        for (int i = 0; i < 32; i++) x[32 + i] = b < 2 ? 0 : 1;
        x[40] = bad[b];
        quantize(x, specs, 1, v, e);
        assert_true(v[0] == (b < 2 ? 0 : 0x7e00));
        for (int i = 1; i < PARTS; i++) assert_true(v[i] == 0 && e[i] == 0);
    }
}

/* The formula in 24-bit MPFR: amax / 127, 127 / amax and x id rounded one by one. */
static void mpfr_agrees_with_quantise(void **unused)
{
    const ref_spec spec = { &exact_num, 0, 0x1p-24, 0, 0 };
    size_t differs = 0;
    mpfr_t id, t;
    (void)unused;
    mpfr_inits2(24, id, t, (mpfr_ptr)0);
    for (int i = 0; i < 3000; i++) {
        float x[64] = { 0 }, amax = 0;
        double v[PARTS], e[PARTS];
        const int scale = (int)below(200) - 110;
        const double top = 1 + unit(); /* odd rounds: all elements next to ties */
        for (int j = 32; j < 64; j++) {
            x[j] = i % 2 == 0 ? normal() : (float)(((double)below(127) + 0.5) * top / 127);
            if (i % 2 && j == 32) x[j] = (float)-top;
            x[j] = ldexpf(x[j], scale);
            amax = fabsf(x[j]) > amax ? fabsf(x[j]) : amax;
        }
        if (amax < 0x1p-110f) continue;
        quantize(x, &spec, 1, v, e);
        mpfr_set_flt(id, amax, MPFR_RNDN);
        mpfr_div_ui(t, id, 127, MPFR_RNDN);
        assert_true(v[0] == ref_f16_bits(mpfr_get_flt(t, MPFR_RNDN)));
        mpfr_ui_div(id, 127, id, MPFR_RNDN);
        for (int j = 0; j < 32; j++) {
            mpfr_set_flt(t, x[32 + j], MPFR_RNDN);
            mpfr_mul(t, t, id, MPFR_RNDN);
            mpfr_rint(t, t, MPFR_RNDN);
            assert_true(v[1 + j] == mpfr_get_d(t, MPFR_RNDN) && e[1 + j] == 0);
            differs += nearbyintf(x[32 + j] * (1 / (amax / 127))) != (float)v[1 + j];
        }
    }
    assert_true(differs > 10); /* the other formula is seen */
    mpfr_clears(id, t, (mpfr_ptr)0);
}

static void quantise_ties_take_both_neighbours_and_no_other(void **unused)
{
    const ref_spec tie = { &tie_num, 0, 0x1p-24, 0, 0 };
    const ref_spec both[2] = { { &exact_num, 0, 0x1p-24, 0, 0 }, tie };
    float x[64] = { 0 };
    double v[2 * PARTS], e[2 * PARTS];
    (void)unused;
    x[32] = 127;
    x[33] = 2.5f;
    x[34] = -2.5f;
    x[35] = 3.1f;
    x[36] = 100.50001f; /* within 4 u |t| of the tie */
    x[37] = 100.51f;
    quantize(x, &tie, 1, v, e);
    assert_true(v[0] == ref_f16_bits(1) && e[0] == 0);
    assert_true(v[2] == 2.5 && e[2] == 0.5 && v[3] == -2.5 && e[3] == 0.5);
    assert_true(v[4] == 3 && e[4] == 0 && v[5] == 100.5 && e[5] == 0.5 && v[6] == 101 && e[6] == 0);
    quantize(x, both, 2, v, e);
    assert_true(v[2] == 2 && e[2] == 0 && v[PARTS + 2] == 2.5 && e[PARTS + 2] == 0.5);
    assert_true(v[4] == 3 && e[4] == 0 && v[PARTS + 4] == 3 && e[PARTS + 4] == 0);
    assert_true(v[0] == v[PARTS] && e[0] == 0 && e[PARTS] == 0);
}

static void dequantise_by_hand(void **unused)
{
    unsigned char x[2 * BYTES] = { 0 };
    double v[2 * 34], term[34], e[2 * 34];
    const ref_spec specs[2] = { { &exact_num, 0, 0x1p-24, 0, 0 },
                                { &exact_num, 1, 0x1p-24, 0, 0 } };
    ref_out out = { 34, v, term, e };
    const struct {
        unsigned d;
        int q;
        double y;
    } row[] = { { 0x3c00, -128, -128 },     { 0x3555, 3, 0x1.554p-2 * 3 },
                { 0x0001, -1, -0x1p-24 },   { 0x7c00, -2, -INFINITY },
                { 0x7c00, 0, (double)NAN }, { 0x7e00, 1, (double)NAN },
                { 0x8000, 5, -0.0 },        { 0x0000, -5, -0.0 },
                { 0xbc00, 0, -0.0 },        { 0x7bff, 127, 65504 * 127 } };
    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        x[BYTES] = (unsigned char)(row[i].d & 255);
        x[BYTES + 1] = (unsigned char)(row[i].d >> 8);
        x[BYTES + 2 + 3] = (unsigned char)row[i].q;
        ref_dequant_row_q8_0(&(ref_dequant_args){ x }, &(ref_tile){ 0, 1, 2, 34 }, specs, 2, &out);
        for (int j = 33; j < 2 * 34; j += 34) {
            assert_true(isnan(row[i].y) ? isnan(v[j]) : v[j] == row[i].y);
            assert_true(isnan(row[i].y) || !signbit(v[j]) == !signbit(row[i].y));
            assert_true(e[j] == 0);
        }
    }
}

/* ---- block products ---- */

static void put_block(unsigned char *p, unsigned d, int amplitude)
{
    p[0] = (unsigned char)(d & 255);
    p[1] = (unsigned char)(d >> 8);
    for (int i = 0; i < 32; i++)
        p[2 + i] = (unsigned char)((int)below((size_t)(2 * amplitude + 1)) - amplitude);
}

static int code(const unsigned char *p, int i)
{
    return p[2 + i] < 128 ? p[2 + i] : p[2 + i] - 256;
}

static float scale_of(const unsigned char *p)
{
    return (float)ref_f16_value((uint16_t)(p[0] | p[1] << 8));
}

/* Block kernel with whole integers, in a declared order. */
static float sim_blocks(const unsigned char *a, const unsigned char *b, size_t nb,
                        const ck_numspec *num)
{
    float d[64], q[64];
    for (size_t l = 0; l < nb; l++) {
        int sum = 0;
        for (int i = 0; i < 32; i++) sum += code(a + l * BYTES, i) * code(b + l * BYTES, i);
        d[l] = scale_of(a + l * BYTES) * scale_of(b + l * BYTES);
        q[l] = (float)sum;
    }
    return sim_dot(d, q, nb, num).s;
}

/* Eight float lanes that keep partial integers: 4 codes each, FMA or not, then a tree or a chain.
 */
static float sim_lanes8(const unsigned char *a, const unsigned char *b, size_t nb, int muladd,
                        int chain)
{
    const ck_numspec num = { .flags = muladd ? CK_NUM_MULADD : 0 };
    sim s[8];
    for (int i = 0; i < 8; i++) s[i] = (sim){ 0, 0 };
    for (size_t l = 0; l < nb; l++) {
        const float d = scale_of(a + l * BYTES) * scale_of(b + l * BYTES);
        for (int i = 0; i < 8; i++) {
            int sum = 0;
            for (int j = 4 * i; j < 4 * i + 4; j++)
                sum += code(a + l * BYTES, j) * code(b + l * BYTES, j);
            s[i] = accumulate(s[i], d, (float)sum, &num);
        }
    }
    return tree(s, 1, 8, chain ? CK_TREE_SEQ : CK_TREE_HALVING).s;
}

static cell one_gemm_q(const unsigned char *a, const unsigned char *b, size_t nb, float bias,
                       const ref_spec *specs, size_t nspecs)
{
    cell r;
    ref_out out = { 1, r.v, &r.term, r.e };
    const ref_gemm_q_args args = { a, b, &bias, nb * 32, nb, nb };
    ref_gemm_nt_q8_0_q8_0(&args, &(ref_tile){ 0, 1, 0, 1 }, specs, nspecs, &out);
    return r;
}

static void block_kernels_are_inside(void **unused)
{
    unsigned char a[64 * BYTES], b[64 * BYTES];
    ref_spec specs[ORDERS];
    size_t exact = 0;
    (void)unused;
    all_specs(specs, 0x1p-24, 0);
    for (int i = 0; i < 4000; i++) {
        const size_t nb = below(65);
        const int amplitude = i % 4 == 0 ? 3 : 127;
        for (size_t l = 0; l < nb; l++) {
            put_block(a + l * BYTES, i % 4 == 0 ? 0x1c00 : (unsigned)below(0x7c00), amplitude);
            put_block(b + l * BYTES, i % 4 == 0 ? 0x2000 : 0x2000 + (unsigned)below(0x400),
                      amplitude);
        }
        const float bias = i % 4 == 0 ? 0.5f : normal();
        const cell r = one_gemm_q(a, b, nb, bias, specs, ORDERS);
        for (size_t s = 0; orders[s].lanes != 0; s++) {
            const float y = sim_blocks(a, b, nb, &orders[s]) + bias;
            assert_true(within((double)y, r.v[s], r.e[s]));
            exact += r.e[s] == 0;
        }
        for (int how = 0; how < 4; how++) {
            const float y = sim_lanes8(a, b, nb, how & 1, how >> 1) + bias;
            assert_true(within((double)y, r.v[10 + (how & 1)], r.e[10 + (how & 1)]));
            exact += r.e[10 + (how & 1)] == 0;
        }
        if (i % 4 == 0) assert_true(r.e[0] == 0 && r.e[10] == 0);
    }
    assert_true(exact >= 1000 * ORDERS);
}

/* Partial integers that cancel within a block leave no trace in d I, yet cost float lanes dearly.
 */
static void unknown_order_is_charged_by_elements(void **unused)
{
    unsigned char a[BYTES], b[BYTES];
    const ref_spec specs[3] = { spec_of(0, 0, 0, 0), spec_of(10, 0, 0, 0), spec_of(0, 1, 0, 0) };
    (void)unused;
    put_block(a, 0x3555, 0);
    put_block(b, 0x3555, 0);
    for (int i = 0; i < 32; i++) {
        a[2 + i] = 127;
        b[2 + i] = (unsigned char)(i < 16 ? 127 : -127);
    }
    a[2] = 126;
    const cell r = one_gemm_q(a, b, 1, 0, specs, 3);
    assert_true(r.v[0] == -127 * 0x1.554p-2 * 0x1.554p-2);
    assert_true(r.e[1] > 100 * r.e[0] && r.e[0] > 0);
    /* lanes in one chain of 8: a product, 7 additions */
    const double full = 0x1.554p-2 * 0x1.554p-2 * (31 * 127 * 127 + 126 * 127);
    assert_true(r.e[1] > 8 * 0x1p-24 * full && r.e[1] < 16 * 0x1p-24 * full);
    a[0] = 0;
    a[1] = 0x7c; /* infinite scale: partial integers may be 0 or of either sign */
    const cell inf = one_gemm_q(a, b, 1, 0, specs, 1), any = one_gemm_q(a, b, 1, 0, specs + 1, 1);
    assert_true(inf.v[0] == -INFINITY && inf.e[0] == 0 && any.e[0] == REF_ANY);
    b[1] = 0;
    b[0] = 0;
    const cell nan = one_gemm_q(a, b, 1, 0, specs, 2); /* inf * 0 */
    assert_true(isnan(nan.v[0]) && nan.e[0] == 0 && nan.e[1] == 0);
    a[1] = 0x7e;
    assert_true(isnan(one_gemm_q(a, b, 1, 0, specs, 1).v[0]));
}

/* ---- exp ---- */

static void exp_specials_and_edges(void **unused)
{
    const ck_numspec num = { .rexp = 2, .exp_zero_below = -87.25 };
    const ref_spec fast = { &num, 0, 0x1p-24, 0, 0 }, strict = { &num, 1, 0x1p-24, 0, 0 };
    const ref_spec up = { &num, 0, 0x1p-23, 0, 0 };
    const float x[] = { 0,     -0.0f,  INFINITY, -INFINITY, NAN,          88.72284f,
                        88.7f, 89,     1000,     -87.3f,    -104.0f,      -1000,
                        1,     -87.2f, -90,      -FLT_MAX,  FLT_TRUE_MIN, 88.72283f };
    enum { N = sizeof x / sizeof *x };
    double v[N], term[N], e[N], w[N], f[N];
    ref_out out = { N, v, term, e }, sout = { N, w, term, f };
    const ref_tile tile = { 0, 1, 0, N };
    (void)unused;
    ref_exp_f32(&(ref_unary_args){ x }, &tile, &fast, 1, &out);
    ref_exp_f32(&(ref_unary_args){ x }, &tile, &strict, 1, &sout);
    for (int i = 0; i < 2; i++) assert_true(v[i] == 1 && e[i] == 0 && f[i] == 0);
    assert_true(v[2] == INFINITY && v[3] == 0 && e[3] == 0 && isnan(v[4]) && e[4] == 0);
    assert_true(v[5] == INFINITY && e[5] == 0 && w[5] == INFINITY); /* first float above log OVER */
    assert_true(isfinite(v[6]) && e[6] > 0 && v[7] == INFINITY && v[8] == INFINITY && e[8] == 0);
    assert_true(v[9] == 0 && e[9] == 0 && v[10] == 0 && v[11] == 0 && v[15] == 0 && e[15] == 0);
    assert_true(within(2.7182817459106445, v[12], e[12]) &&
                !within(2.7182831764221191, v[12], e[12] / 2));
    assert_true(v[13] > 0 && e[13] < v[13] * 3e-7 && v[14] == 0);
    assert_true(w[9] > 0 && f[9] < w[9] * 1e-5 && w[10] == 0 && f[10] == 0); /* strict: gradual */
    assert_true(v[16] == 1 && e[16] > 0 && e[16] < 2e-7 && isfinite(w[17]) && f[17] >= 0);
    /* in directed modes the budget doubles and overflow may stop at FLT_MAX */
    double up_e[N];
    ref_out uout = { N, v, term, up_e };
    ref_exp_f32(&(ref_unary_args){ x }, &tile, &up, 1, &uout);
    assert_true(up_e[7] == REF_ANY && up_e[12] > 1.9 * e[12] && up_e[2] == 0);
    /* flushes of operands and results move no result that is normal, however small */
    const ref_spec flushed = { &num, 0, 0x1p-24, 1, 1 };
    const float small[] = { -86, -80, -40, 3 };
    double off[8];
    ref_out both = { 4, v, term, off };
    ref_exp_f32(&(ref_unary_args){ small }, &(ref_tile){ 0, 1, 0, 4 },
                (ref_spec[]){ fast, flushed }, 2, &both);
    for (int i = 0; i < 4; i++) assert_true(off[i] > 0 && off[4 + i] == off[i]);
}

/* Below one spec's exp_zero_below 0 is all there is; others are held to their own contract. */
static void exp_specs_get_their_own_demands(void **unused)
{
    const ck_numspec flush = { .rexp = 2, .exp_zero_below = -87.25 };
    const ck_numspec deep = { .rexp = 4, .exp_zero_below = -104 };
    enum { S = 4, N = 6 };
    const ref_spec specs[S] = { { &flush, 0, 0x1p-24, 0, 0 },
                                { &flush, 1, 0x1p-24, 0, 0 },
                                { &deep, 0, 0x1p-24, 0, 0 },
                                { &flush, 0, 0x1p-23, 0, 0 } };
    const float x[N] = { -90, -104, -87.2f, 1, 1000, 0 };
    double v[S * N], term[N], e[S * N];
    ref_out out = { N, v, term, e };
    (void)unused;
    ref_exp_f32(&(ref_unary_args){ x }, &(ref_tile){ 0, 1, 0, N }, specs, S, &out);
    for (size_t s = 0; s < S; s += 3) assert_true(v[s * N] == 0 && e[s * N] == 0);
    for (size_t s = 1; s < 3; s++) {
        assert_true(v[s * N] == exp(-90) && e[s * N] > 0 && e[s * N] < 1e-5 * exp(-90));
        assert_false(within(0, v[s * N], e[s * N]));
    }
    assert_true(v[1] == 0 && e[1] == 0 && v[N + 1] == 0 && e[N + 1] == 0);
    assert_true(v[2 * N + 1] == exp(-104) && e[2 * N + 1] > 0); /* not below -104 */
    for (size_t s = 0; s < S; s++) {
        assert_true(v[s * N + 2] == exp((double)x[2]) && v[s * N + 3] == exp(1));
        assert_true(e[s * N + 3] > 0 && v[s * N + 5] == 1 && e[s * N + 5] == 0);
    }
    assert_true(e[N + 3] < e[3] && e[3] < 0.6 * e[2 * N + 3] && e[3] < 0.6 * e[3 * N + 3]);
    /* nearest: infinite; directed: may stop at FLT_MAX */
    for (size_t s = 0; s < 3; s++) assert_true(v[s * N + 4] == INFINITY && e[s * N + 4] == 0);
    assert_true(e[3 * N + 4] == REF_ANY);
}

static void mpfr_agrees_with_exp(void **unused)
{
    const ck_numspec num = { .rexp = 2, .exp_zero_below = -104 };
    const ref_spec specs[2] = { { &num, 0, 0x1p-24, 0, 0 }, { &num, 1, 0x1p-24, 0, 0 } };
    mpfr_t x, y;
    (void)unused;
    mpfr_inits2(200, x, y, (mpfr_ptr)0);
    for (int i = 0; i < 20000; i++) {
        const float in = (float)(unit() * 192 - 103.5) * (i % 2 ? 1 : 0x1p-6f);
        double v[2], term, e[2];
        ref_out out = { 1, v, &term, e };
        ref_exp_f32(&(ref_unary_args){ &in }, &(ref_tile){ 0, 1, 0, 1 }, specs, 2, &out);
        mpfr_set_flt(x, in, MPFR_RNDN);
        mpfr_exp(y, x, MPFR_RNDN);
        const double right = (double)mpfr_get_flt(y, MPFR_RNDN);
        if (isinf(right)) {
            assert_true(e[0] == REF_ANY || v[0] == right);
            continue;
        }
        if (e[1] != REF_ANY)
            assert_true(within(right, v[1], e[1]) && e[1] <= ref_half_ulp(v[1]) * 2.001);
        assert_true(e[0] == REF_ANY || within(right, v[0], e[0]));
        assert_true(e[0] == REF_ANY || within((double)expf(in), v[0], e[0]));
        mpfr_sub_d(y, y, v[0], MPFR_RNDN);
        assert_true(isinf(v[0]) || fabs(mpfr_get_d(y, MPFR_RNDA)) <= v[0] * 0x1p-52);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* ---- softmax ---- */

typedef struct soft {
    ck_numspec num;
    float x[64], y[64];
    double v[2 * 64], term[64], e[2 * 64];
} soft;

/* Row n - 1 of a matrix whose rows all lie at x: only that row is asked for. */
static void one_softmax(soft *s, size_t n, size_t cols, const ref_spec *specs, size_t nspecs)
{
    ref_out out = { cols, s->v, s->term, s->e };
    const ref_softmax_args args = { s->x, n, 0 };
    ref_softmax_causal_f32(&args, &(ref_tile){ n - 1, 1, 0, cols }, specs, nspecs, &out);
}

static void sim_softmax(soft *s, size_t n)
{
    const int bias = below(2) ? 1 : -1;
    float ex[64], one[64], m = -INFINITY;
    for (size_t j = 0; j < n; j++) m = s->x[j] > m ? s->x[j] : m;
    for (size_t j = 0; j < n; j++) {
        const float d = s->x[j] - m;
        ex[j] = (double)d < s->num.exp_zero_below ? 0 : expf(d);
        /* use the budget up: an ulp, at most 2 u, more, or less, on all of them alike */
        if (d != 0 && ex[j] > 0x1p-126f) ex[j] = nextafterf(ex[j], bias > 0 ? 2 : 0);
        one[j] = 1;
    }
    const float sum = sim_dot(ex, one, n, &s->num).s, inverse = 1 / sum;
    for (size_t j = 0; j < n; j++)
        s->y[j] = s->num.flags & CK_NUM_TRUE_DIV ? ex[j] / sum : ex[j] * inverse;
}

static float score(int kind, size_t j)
{
    switch (kind) {
    case 0: return normal();
    case 1: return normal() * 5;
    case 2: return below(4) ? -40 : -INFINITY;
    case 3: return normal() * 60 + 1e4f;
    case 4: return below(3) ? -0.5f : -150;
    case 5: return -(float)j * 2.9f;
    case 6: return below(3) ? -INFINITY : normal() * 30;
    default: return (float)(unit() * 1e-38);
    }
}

static void correct_softmaxes_are_inside(void **unused)
{
    double used = 0;
    size_t exact = 0;
    (void)unused;
    for (int i = 0; i < 30000; i++) {
        soft s = { .num = orders[below(ORDERS - 2)] };
        const size_t n = 1 + below(60), cols = n + below(4);
        const int kind = (int)below(8), directed = i % 4 == 0;
        s.num.rexp = 4; /* expf of glibc, below 1 ulp = 2 u, and one ulp more */
        s.num.exp_zero_below = below(2) ? -87.3 : -104;
        if (below(2)) s.num.flags |= CK_NUM_TRUE_DIV;
        for (size_t j = 0; j < n; j++) s.x[j] = score(kind, j);
        const ref_spec spec = { &s.num, 0, directed ? 0x1p-23 : 0x1p-24, 0, 0 };
        one_softmax(&s, n, cols, &spec, 1);
        if (directed) fesetround(FE_UPWARD);
        sim_softmax(&s, n);
        fesetround(FE_TONEAREST);
        for (size_t j = 0; j < n; j++) {
            if (isinf(s.x[j])) assert_true(s.v[j] == 0 && s.e[j] == 0);
            if (s.v[0] == 0 && s.term[j] == 0 && isnan(s.y[j])) continue; /* all masked */
            if (!within((double)s.y[j], s.v[j], s.e[j]))
                fail_msg("kind %d, %zu of %zu: got %a, want %a +- %a", kind, j, n, (double)s.y[j],
                         s.v[j], s.e[j]);
            exact += s.v[j] > 0 && s.e[j] == 0;
            if (s.e[j] > 0 && s.v[j] > 0x1p-120)
                used = fmax(used, fabs((double)s.y[j] - s.v[j]) / s.e[j]);
        }
        for (size_t j = n; j < cols; j++) assert_true(s.v[j] == 0 && s.e[j] == 0);
    }
    printf("softmax: worst utilisation %.3f, exact %zu\n", used, exact);
    assert_true(used > 0.5 && exact > 1000);
}

static void softmax_exact_and_special_rows(void **unused)
{
    soft s = { .num = orders[5] };
    s.num.rexp = 2;
    s.num.exp_zero_below = -87.3;
    ck_numspec gradual = s.num;
    gradual.exp_zero_below = -200;
    const ref_spec specs[2] = { { &s.num, 0, 0x1p-24, 0, 0 }, { &s.num, 1, 0x1p-24, 0, 0 } };
    const ref_spec other = { &gradual, 0, 0x1p-24, 0, 0 };
    (void)unused;
    for (int i = 0; i < 12; i++) s.x[i] = i % 3 == 0 ? -40 : i % 3 == 1 ? -150 : -INFINITY;
    one_softmax(&s, 12, 14, specs, 2);
    for (int i = 0; i < 12; i++) assert_true(s.v[i] == (i % 3 == 0 ? 0.25 : 0));
    for (int i = 0; i < 28; i++) assert_true(s.e[i] == 0);
    one_softmax(&s, 12, 12, &other, 1); /* exp(-110) is not promised to be 0 */
    assert_true(s.v[0] == 0.25 && s.e[0] > 0 && s.e[1] > 0 && s.e[2] == 0);
    one_softmax(&s, 9, 9, specs, 2); /* three: 1/3 is no float */
    assert_true(s.e[0] > 0 && s.e[9] > 0 && s.e[9] < 1.001 * 0x1p-26 && s.e[1] == 0);
    ck_numspec ieee = s.num; /* a quotient is one rounding, a rounded reciprocal two */
    ieee.flags |= CK_NUM_TRUE_DIV;
    const ref_spec true_div = { &ieee, 0, 0x1p-24, 0, 0 };
    assert_true(s.e[0] > 2 * 0x1p-24 / 3 && s.e[0] < 2.6 * 0x1p-24 / 3);
    one_softmax(&s, 9, 9, &true_div, 1);
    assert_true(s.e[0] > 0x1p-24 / 3 && s.e[0] < 0x1.001p-24 / 3);
    s.x[4] = -41; /* one live entry more */
    one_softmax(&s, 12, 12, specs, 2);
    assert_true(s.e[0] > 0 && s.e[12] > 0);
    s.x[4] = NAN;
    one_softmax(&s, 12, 13, specs, 2);
    assert_true(isnan(s.v[0]) && isnan(s.v[11]) && s.v[12] == 0 && s.e[0] == 0);
    one_softmax(&s, 4, 13, specs, 1); /* beyond the diagonal nothing is looked at */
    assert_true(s.v[0] == 0.5 && s.v[3] == 0.5 && s.v[4] == 0);
    s.x[4] = INFINITY;
    one_softmax(&s, 12, 12, specs, 1);
    assert_true(isnan(s.v[0]) && isnan(s.v[4]));
    for (int i = 0; i < 12; i++) s.x[i] = -INFINITY;
    one_softmax(&s, 12, 12, specs, 2);
    for (int i = 0; i < 12; i++) assert_true(s.v[i] == 0 && s.e[i] == 0 && s.e[12 + i] == 0);
}

/* An entry that one spec flushes for certain is 0 there, and what it is for the others. */
static void softmax_specs_get_their_own_demands(void **unused)
{
    soft s = { .num = orders[5], .x = { -40, -40, -130, -127.3f, -400, -INFINITY, -40, -40 } };
    s.num.rexp = 2;
    s.num.exp_zero_below = (double)(-127.3f + 40);
    ck_numspec gradual = s.num;
    gradual.exp_zero_below = -104;
    const ref_spec specs[3] = { { &s.num, 0, 0x1p-24, 0, 0 },
                                { &s.num, 1, 0x1p-24, 0, 0 },
                                { &gradual, 0, 0x1p-24, 0, 0 } };
    enum { N = 8, FAST = 0, STRICT = N, GRADUAL = 2 * N };
    const double d3 = (double)-127.3f + 40, sum = 4 + exp(-90) + exp(d3);
    (void)unused;
    one_softmax(&s, N, N, specs, 3);
    /* -130: flushed, rounded to a subnormal, computed to one */
    assert_true(s.v[FAST + 2] == 0 && s.e[FAST + 2] == 0);
    assert_true(s.v[STRICT + 2] == exp(-90) / sum && s.e[STRICT + 2] < 1.001 * 0x1p-150);
    assert_true(s.v[GRADUAL + 2] == exp(-90) / sum && s.e[GRADUAL + 2] < 1e-4 * exp(-90));
    assert_false(within(0, s.v[STRICT + 2], s.e[STRICT + 2]) ||
                 within(0, s.v[GRADUAL + 2], s.e[GRADUAL + 2]));
    /* at the limit: flushed or not */
    assert_true(s.v[FAST + 3] > 0 && within(0, s.v[FAST + 3], s.e[FAST + 3]));
    assert_true(within(exp(d3) / sum, s.v[FAST + 3], s.e[FAST + 3]));
    assert_false(within(0, s.v[STRICT + 3], s.e[STRICT + 3]) ||
                 within(0, s.v[GRADUAL + 3], s.e[GRADUAL + 3]));
    for (int i = 4; i < 6; i++) /* 0 for all */
        for (int t = 0; t < 3 * N; t += N) assert_true(s.v[t + i] == 0 && s.e[t + i] == 0);
    for (int i = 0; i < N; i++) { /* a spec alone says the same; term is everybody's */
        soft one = s;
        for (size_t t = 0; t < 3; t++) {
            one_softmax(&one, N, N, &specs[t], 1);
            assert_true(one.v[i] == s.v[t * N + (size_t)i] && one.e[i] == s.e[t * N + (size_t)i]);
        }
        assert_true(fabs(s.term[i] - exp((double)s.x[i] + 40) / sum) <= 1e-12 * s.term[i]);
    }
}

static void softmax_rows_are_causal(void **unused)
{
    const ck_numspec num = orders[5];
    const ref_spec spec = { &num, 1, 0x1p-24, 0, 0 };
    float x[2 * 4 * 6];
    double v[4 * 5], term[4 * 5], e[4 * 5];
    ref_out out = { 20, v, term, e };
    (void)unused;
    for (int i = 0; i < 48; i++) x[i] = (float)i / 6; /* row r starts at r, steps of 1/6 */
    ref_softmax_causal_f32(&(ref_softmax_args){ x, 4, 6 }, &(ref_tile){ 3, 4, 0, 5 }, &spec, 1,
                           &out);
    for (int r = 0; r < 4; r++) {
        const int n = r == 0 ? 4 : r; /* row 3 of head 0, rows 0 to 2 of head 1 */
        double sum = 0;
        for (int j = 0; j < n; j++) sum += exp((double)j / 6);
        for (int j = 0; j < 5; j++) {
            const double want = j < n ? exp((double)j / 6) / sum : 0;
            assert_true(fabs(v[r * 5 + j] - want) <= want * 1e-6); /* x is rounded: 48 u */
            assert_true((want > 0) == (term[r * 5 + j] > 0) &&
                        (n == 1 || want == 0) == (e[r * 5 + j] == 0));
        }
    }
}

/* Values against MPFR; the strict radius holds the rounded result and little else. */
static void mpfr_agrees_with_softmax(void **unused)
{
    mpfr_t ex[64], sum, p;
    (void)unused;
    mpfr_inits2(200, sum, p, (mpfr_ptr)0);
    for (int i = 0; i < 64; i++) mpfr_init2(ex[i], 200);
    for (int i = 0; i < 1000; i++) {
        soft s = { .num = orders[3] };
        s.num.rexp = 2;
        s.num.exp_zero_below = -104;
        const size_t n = 1 + below(60);
        const int kind = (int)below(8);
        float m = -INFINITY;
        for (size_t j = 0; j < n; j++) s.x[j] = score(kind, j);
        for (size_t j = 0; j < n; j++) m = s.x[j] > m ? s.x[j] : m;
        if (isinf(m)) continue;
        const ref_spec specs[2] = { { &s.num, 1, 0x1p-24, 0, 0 }, { &s.num, 0, 0x1p-24, 0, 0 } };
        one_softmax(&s, n, n, specs, 2);
        mpfr_set_zero(sum, 1);
        for (size_t j = 0; j < n; j++) {
            mpfr_set_flt(ex[j], s.x[j], MPFR_RNDN);
            mpfr_sub_d(ex[j], ex[j], (double)m, MPFR_RNDN);
            mpfr_exp(ex[j], ex[j], MPFR_RNDN);
            mpfr_add(sum, sum, ex[j], MPFR_RNDN);
        }
        for (size_t j = 0; j < n; j++) {
            mpfr_div(p, ex[j], sum, MPFR_RNDN);
            const double right = (double)mpfr_get_flt(p, MPFR_RNDN);
            assert_true(within(right, s.v[j], s.e[j]) && within(right, s.v[j], s.e[n + j]));
            assert_true(s.e[j] <= 2.001 * ref_half_ulp(s.v[j]));
            mpfr_sub_d(p, p, s.term[j], MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(p, MPFR_RNDA)) <= s.term[j] * 80 * 0x1p-53 + 0x1p-1000);
        }
    }
    for (int i = 0; i < 64; i++) mpfr_clear(ex[i]);
    mpfr_clears(sum, p, (mpfr_ptr)0);
}

/* All of the budget spent on one entry moves the other, exact, one through the sum. */
static void exp_budget_reaches_the_sum(void **unused)
{
    soft s = { .num = orders[5], .x = { 0, -1 } };
    s.num.rexp = 1000;
    s.num.exp_zero_below = -87.3;
    const ref_spec spec = { &s.num, 0, 0x1p-24, 0, 0 };
    (void)unused;
    one_softmax(&s, 2, 2, &spec, 1);
    for (int sign = -1; sign < 2; sign += 2) {
        const double E = exp(-1) * (1 + sign * 1000 * 0x1p-24);
        assert_true(within(1 / (1 + E), s.v[0], s.e[0]) && within(E / (1 + E), s.v[1], s.e[1]));
        assert_false(within(1 / (1 + E), s.v[0], s.e[0] / 1.1));
    }
}

/* E'/D' with E' as large and D' as small as they may be, subnormal exponentials included: the radius reaches
 * that corner, and not much farther. */
static void quotients_end_at_their_corners(void **unused)
{
    const ck_numspec num = { .lanes = 1, .accs = 1 };
    const ref_spec spec = { &num, 0, 0x1p-24, 0, 0 };
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const ref_exp_view w = { .spec = &spec,
                                 .fp = ref_fp_of(&spec),
                                 .r = 0.3 * unit(),
                                 .b = 0.8 * unit(),
                                 .div = i % 2 ? 0.3 * unit() : 0x1p-24 };
        const ref_score_row row = { .n = 3, .sum = 1 + 8 * unit() };
        const double d = i % 3 ? -(84 + 20 * unit()) : -20 * unit(), E = exp(d);
        const double a = ref_exp_spread(&w, d), underflow = E * (1 - a) < 0x1p-126 ? 0x1p-150 : 0;
        const double p = E / row.sum, low = (E * (1 - a)) / row.sum * (1 - w.div) / (1 + w.b);
        const double high = (E * (1 + a) + underflow) * (1 + w.div) / (row.sum * (1 - w.b)) +
                            (low < 0x1p-126 ? 0x1p-150 : 0);
        const double off = ref_quotient_off(&w, &row, d, E);
        assert_true(high - p <= off);
        assert_true(off <= (high - p + 0x1p-149) * 1.001 || p < 0x1p-125);
    }
}

/* Defects that must not hide are outside: a reciprocal of 12 bits, a dropped element. */
static void softmax_defects_are_outside(void **unused)
{
    soft s = { .num = orders[5] };
    s.num.rexp = 2;
    s.num.exp_zero_below = -87.3;
    const ref_spec spec = { &s.num, 0, 0x1p-24, 0, 0 };
    (void)unused;
    for (size_t j = 0; j < 60; j++) s.x[j] = normal();
    one_softmax(&s, 60, 60, &spec, 1);
    for (size_t j = 0; j < 60; j++) {
        assert_false(within(s.v[j] * (1 + 0x1p-12), s.v[j], s.e[j]));
        assert_false(within(s.v[j] / (1 - s.v[59]), s.v[j], s.e[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(balls_hold_every_rounding_of_the_true_result),
        TEST(balls_hold_flushes),
        TEST(exp_ball_holds_results_of_its_budget),
        TEST(ball_dot_holds_float_dots),
        TEST(balls_end_at_their_corners),
        TEST(exp_ball_is_as_wide_as_its_argument),
        TEST(ball_dot_is_as_wide_as_its_parts),
        TEST(balls_are_not_wider_than_one_rounding),
        TEST(ranges_are_those_of_their_members),
        TEST(overflow_is_certain_or_possible_as_said),
        TEST(height_is_that_of_the_simulated_tree),
        TEST(replay_in_pieces_is_the_whole),
        TEST(correct_kernels_of_every_order_are_inside),
        TEST(kernels_in_directed_modes_are_inside),
        TEST(flushing_kernels_are_inside),
        TEST(stagnation_reaches_the_bound),
        TEST(one_term_costs_one_rounding),
        TEST(radii_order_as_promised),
        TEST(sums_longer_than_a_piece_are_inside),
        TEST(exact_sums_have_radius_0_and_one_step_more_has_not),
        TEST(exact_sums_mind_underflow_and_flushing),
        TEST(radius_0_is_never_wrong),
        TEST(strict_radius_covers_cancellation),
        TEST(mpfr_agrees_with_gemm_and_strict_is_inside),
        TEST(gemm_specials_are_those_of_every_order),
        TEST(overflowing_kernels_are_inside),
        TEST(gemm_specs_get_their_own_demands),
        TEST(gemm_demands_do_not_depend_on_company),
        TEST(gemm_tiles_read_their_own_rows),
        TEST(gemm_values_do_not_depend_on_how_operands_lie),
        TEST(halves_by_hand),
        TEST(quantise_by_hand),
        TEST(mpfr_agrees_with_quantise),
        TEST(quantise_ties_take_both_neighbours_and_no_other),
        TEST(dequantise_by_hand),
        TEST(block_kernels_are_inside),
        TEST(unknown_order_is_charged_by_elements),
        TEST(exp_specials_and_edges),
        TEST(exp_specs_get_their_own_demands),
        TEST(mpfr_agrees_with_exp),
        TEST(correct_softmaxes_are_inside),
        TEST(softmax_exact_and_special_rows),
        TEST(softmax_specs_get_their_own_demands),
        TEST(softmax_rows_are_causal),
        TEST(mpfr_agrees_with_softmax),
        TEST(exp_budget_reaches_the_sum),
        TEST(quotients_end_at_their_corners),
        TEST(softmax_defects_are_outside),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL) + ref_test_identities();
    return failed != 0;
}
