/* SPDX-License-Identifier: MIT */
/* Tests of activation.h and rounding.h against MPFR and simulated float kernels. */
#include "../activation.h"
#include "../gate.h"
#include "../rounding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <mpfr.h>

#include "draw.h"

static const ref_act acts[] = { REF_ACT_RELU, REF_ACT_SILU, REF_ACT_GELU };
enum { ACTS = 3, TRIES = 30000 };

/* The tanh form and x / (1 + e^-x), as published. */
static void exact(mpfr_t y, ref_act act, double x)
{
    mpfr_t t;
    mpfr_init2(t, 400);
    mpfr_set_d(y, x, MPFR_RNDN);
    if (act == REF_ACT_RELU) {
        if (x < 0) mpfr_set_d(y, 0, MPFR_RNDN);
    } else if (act == REF_ACT_SILU) {
        mpfr_neg(t, y, MPFR_RNDN);
        mpfr_exp(t, t, MPFR_RNDN);
        mpfr_add_d(t, t, 1, MPFR_RNDN);
        mpfr_div(y, y, t, MPFR_RNDN);
    } else {
        mpfr_const_pi(t, MPFR_RNDN);
        mpfr_d_div(t, 2, t, MPFR_RNDN);
        mpfr_sqrt(t, t, MPFR_RNDN);
        mpfr_t cubic;
        mpfr_init2(cubic, 400);
        mpfr_set_str(cubic, "0.044715", 10, MPFR_RNDN);
        mpfr_mul(cubic, cubic, y, MPFR_RNDN);
        mpfr_mul(cubic, cubic, y, MPFR_RNDN);
        mpfr_add_d(cubic, cubic, 1, MPFR_RNDN);
        mpfr_mul(cubic, cubic, y, MPFR_RNDN);
        mpfr_mul(t, t, cubic, MPFR_RNDN);
        mpfr_tanh(t, t, MPFR_RNDN);
        mpfr_add_d(t, t, 1, MPFR_RNDN);
        mpfr_mul(y, y, t, MPFR_RNDN);
        mpfr_div_ui(y, y, 2, MPFR_RNDN);
        mpfr_clear(cubic);
    }
    mpfr_clear(t);
}

static double off(ref_act act, double x, double v)
{
    mpfr_t y;
    mpfr_init2(y, 400);
    exact(y, act, x);
    mpfr_sub_d(y, y, v, MPFR_RNDN);
    const double d = fabs(mpfr_get_d(y, MPFR_RNDA));
    mpfr_clear(y);
    return d;
}

/* Arguments where something happens, of every size. */
static double draw_x(int i)
{
    const double x = i % 3 == 0   ? 24 * unit() - 12
                     : i % 3 == 1 ? 240 * unit() - 120
                                  : (double)signed_pow2(120);
    return (double)(float)x;
}

static void values_are_the_published_functions(void **unused)
{
    const ck_numspec num = { 0 };
    const ref_spec strict = { &num, 1, 0x1p-24, 0, 0 };
    (void)unused;
    for (int i = 0; i < TRIES; i++)
        for (size_t a = 0; a < ACTS; a++) {
            const double x = draw_x(i);
            const ref_ball y = ref_activate(acts[a], &strict, ref_exact(x));
            /* where 1 + e is 1 the value is x itself */
            assert_true(off(acts[a], x, y.v) <= y.e + fabs(x) * 0x1p-53);
            assert_true(y.e <= fabs(x) * 0x1p-46);
        }
}

static void slopes_are_the_steepest(void **unused)
{
    (void)unused;
    for (int i = 0; i < TRIES; i++)
        for (size_t a = 0; a < ACTS; a++) {
            const double x = 24 * unit() - 12, width = unit() * (i % 2 ? 8 : 0.01), h = 0x1p-20;
            const double most = ref_act_slope(acts[a], x, x + width);
            const double at = x + width * unit();
            const double d =
                ref_act_value(acts[a], at + h / 2) - ref_act_value(acts[a], at - h / 2);
            if (at - h / 2 >= x && at + h / 2 <= x + width)
                assert_true(fabs(d / h) <= most * (1 + 1e-6) + 1e-9);
        }
}

/* A float kernel in the caller's mode, whose exponential is off by up to `budget` and 0 below -87.
 * Volatile: nothing is computed before the mode is set. */
static float simulated(ref_act act, float in, double budget)
{
    const volatile float one = 1.0f, cubic = 0.71354816e-1f, linear = 1.5957691f, x = in;
    const volatile float square = x * x, product = square * cubic, inner = product + linear;
    const volatile float t = act == REF_ACT_GELU ? x * inner : x;
    const int mode = fegetround();
    if (act == REF_ACT_RELU) return x < 0 ? 0 : x;
    fesetround(FE_TONEAREST);
    volatile double e = exp(-fabs((double)t)) * (1 + (2 * unit() - 1) * budget);
    if (fabsf(t) > 87.0f) e = 0;
    fesetround(mode);
    const volatile float rounded = (float)e, below_0 = x * rounded, sum = one + rounded;
    const volatile float y = (t < 0 ? below_0 : x) / sum;
    return y;
}

static void check_kernels(int mode, double u)
{
    const ck_numspec num = { .flags = CK_NUM_TRUE_DIV, .rexp = 3, .exp_zero_below = -87 };
    const ref_spec spec = { &num, 0, u, 0, 0 };
    for (int i = 0; i < TRIES; i++)
        for (size_t a = 0; a < ACTS; a++) {
            const double v = draw_x(i), e = i % 4 ? 0 : fabs(v) * ldexp(unit(), -(int)below(30));
            const ref_ball y = ref_activate(acts[a], &spec, (ref_ball){ v, e });
            const float x = e > 0 ? (float)(v + (2 * unit() - 1) * e * 0.99) : (float)v;
            fesetround(mode);
            const float got = simulated(acts[a], x, 2 * u);
            fesetround(FE_TONEAREST);
            if (fabs((double)x - v) > e) continue;
            assert_true(within((double)got, y.v, y.e));
            /* no looser than three roundings, the budget and the slope */
            if (e == 0 && acts[a] == REF_ACT_SILU)
                assert_true(y.e <= 7 * u * fabs(y.v) + 0x1p-145 || fabs(v) > 86);
        }
}

static void kernels_are_inside_in_every_mode(void **unused)
{
    (void)unused;
    check_kernels(FE_TONEAREST, 0x1p-24);
    check_kernels(FE_UPWARD, 0x1p-23);
    check_kernels(FE_DOWNWARD, 0x1p-23);
    check_kernels(FE_TOWARDZERO, 0x1p-23);
}

static void ends_are_exact(void **unused)
{
    const ck_numspec num = { .flags = CK_NUM_TRUE_DIV, .rexp = 2, .exp_zero_below = -87 },
                     bare = { .rexp = 2 };
    const ref_spec specs[] = { { &num, 0, 0x1p-24, 0, 0 },
                               { &num, 0, 0x1p-23, 0, 0 },
                               { &num, 1, 0x1p-24, 0, 0 },
                               { &bare, 0, 0x1p-24, 0, 0 } };
    (void)unused;
    for (size_t a = 0; a < ACTS; a++)
        for (size_t s = 0; s < 4; s++)
            for (double x = 1024; x < 0x1p30; x *= 3) {
                const ref_ball up = ref_activate(acts[a], &specs[s], ref_exact(x));
                ref_ball down = ref_activate(acts[a], &specs[s], ref_exact(-x));
                if (specs[s].strict) down = ref_strict_rounding(down);
                assert_true(up.v == x && up.e == 0 && down.v == 0 && down.e == 0);
                const ref_ball zero = ref_activate(acts[a], &specs[s], ref_exact(0));
                assert_true(zero.v == 0 && zero.e == 0);
            }
    /* where the exponential ends, either result is right, and no other */
    const ref_ball edge = ref_activate(REF_ACT_SILU, &specs[0], ref_exact(-87));
    assert_true(edge.v - edge.e < 0 && edge.v + edge.e >= 0 && edge.e < 0x1p-115);
}

/* A kernel that declares no end of its exponential flushes none: the result is inside, and not 0. Where it
 * declares one, results are 0 below it, and may be 0 or not where the argument may lie on either side. */
static void exponentials_end_where_declared(void **unused)
{
    const double ends[] = { 0, -87, -40 };
    (void)unused;
    for (int i = 0; i < TRIES; i++)
        for (size_t n = 0; n < 3; n++) {
            const ck_numspec num = { .rexp = 2, .exp_zero_below = ends[n] };
            const ref_spec spec = { &num, 0, 0x1p-24, 0, 0 };
            const ref_arith k = ref_arith_of(&spec);
            const double x = -80 * unit(), off = i % 2 ? 0.01 * unit() : 0;
            const ref_range y = ref_step_exp(&k, (ref_range){ REF_FINITE, { x, off } });
            const int dead = n > 0 && x + off < ends[n], alive = n == 0 || x - off >= ends[n];
            assert_int_equal(y.can, REF_FINITE);
            if (dead) assert_true(y.b.v == 0 && y.b.e == 0);
            if (dead) continue;
            assert_true(fabs(exp(x - off) - y.b.v) <= y.b.e && fabs(exp(x + off) - y.b.v) <= y.b.e);
            assert_true(alive ? y.b.v - y.b.e > 0 : y.b.v - y.b.e <= 0);
        }
}

static void negative_sums_are_clamped(void **unused)
{
    const ck_numspec num = { 0 };
    const ref_spec spec = { &num, 0, 0x1p-24, 0, 0 };
    (void)unused;
    ref_ball y = ref_activate(REF_ACT_RELU, &spec, (ref_ball){ -2, 1 });
    assert_true(y.v == 0 && y.e == 0);
    y = ref_activate(REF_ACT_RELU, &spec, (ref_ball){ -2, 3 });
    assert_true(y.v == 0 && y.e == 1);
    y = ref_activate(REF_ACT_RELU, &spec, (ref_ball){ 2, 3 });
    assert_true(y.v == 2 && y.e == 3);
}

/* Against MPFR's own rounding to that many bits, subnormal numbers included. */
static void rounding_is_mpfrs(const ref_format *f, double most)
{
    mpfr_t y;
    const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
    mpfr_init2(y, (mpfr_prec_t)f->bits);
    mpfr_set_emin(f->least + 1);
    for (int i = 0; i < TRIES; i++) {
        const double low = ldexp(1, f->least - 3);
        double x = ldexp(1 + unit(), (int)below(300) - 150);
        if (i % 3 == 0) x = ldexp((double)below(4096), f->least - 2); /* ties of subnormals */
        if (i % 3 == 1) x = ldexp((double)(2 * below(1u << f->bits) + 1), (int)below(20) - 10);
        if (x < low || x > most) continue;
        const int inexact = mpfr_set_d(y, x, MPFR_RNDN);
        mpfr_subnormalize(y, inexact, MPFR_RNDN);
        const double want = mpfr_get_d(y, MPFR_RNDN);
        assert_true(ref_round_to(f, x) == (want > most ? (double)INFINITY : want));
        assert_true(ref_round_to(f, -x) == -ref_round_to(f, x));
    }
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
    mpfr_clear(y);
}

static void results_of_16_bits_are_rounded(void **unused)
{
    (void)unused;
    rounding_is_mpfrs(&ref_half, 65504);
    rounding_is_mpfrs(&ref_brain, 0x1.fep127);
    assert_true(ref_round_to(&ref_half, 65519.99) == 65504 &&
                isinf(ref_round_to(&ref_half, 65520)));
    ref_ball y = ref_rounded(&ref_half, (ref_ball){ 1 + 0x1p-12, 0x1p-14 });
    assert_true(y.v == 1 && y.e == 0);
    y = ref_rounded(&ref_half, (ref_ball){ 1 + 0x1p-11, 0x1p-14 }); /* either side of a tie */
    assert_true(y.v == 1 + 0x1p-11 && within(1, y.v, y.e) && within(1 + 0x1p-10, y.v, y.e));
    assert_true(!within(1 - 0x1p-11, y.v, y.e) && !within(1 + 0x1p-9, y.v, y.e));
    assert_true(ref_rounded(&ref_half, (ref_ball){ 65519, 2 }).e == REF_ANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_the_published_functions), TEST(slopes_are_the_steepest),
        TEST(kernels_are_inside_in_every_mode),   TEST(ends_are_exact),
        TEST(exponentials_end_where_declared),    TEST(negative_sums_are_clamped),
        TEST(results_of_16_bits_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
