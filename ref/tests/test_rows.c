/* SPDX-License-Identifier: MIT */
/* Tests of the references of norms and elementwise functions against MPFR: what the true result rounds
 * to lies in the ball, and the ball is no wider than a few roundings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <mpfr.h>
#include <stdlib.h>

#include "draw.h"

ref_fn ref_sigmoid_f32, ref_silu_f32, ref_gelu_tanh_f32, ref_gelu_erf_f32, ref_relu_f32;
ref_fn ref_rmsnorm_f32, ref_layernorm_f32, ref_swiglu_f32, ref_residual_add_f32;
ref_fn ref_rmsnorm_bf16, ref_layernorm_bf16, ref_swiglu_bf16, ref_residual_add_bf16;
ref_fn ref_swiglu_f16, ref_residual_add_f16;

enum { BITS = 300, MOST = 48 };

static const ck_numspec ours = { .lanes = 4,
                                 .accs = 1,
                                 .tree = CK_TREE_HALVING,
                                 .flags = CK_NUM_TRUE_DIV | CK_NUM_TRUE_SQRT,
                                 .rexp = 1.6,
                                 .rerf = 4,
                                 .exp_zero_below = -87 };
static const ref_spec specs[] = { { &ours, 0, 0x1p-24, 0, 0 }, { &ours, 1, 0x1p-24, 0, 0 } };

/* What the reference gives for one output under both specs: v[0], v[1], e[0], e[1]. */
static void ask(ref_fn *ref, const void *args, ref_tile tile, double *v, double *e, size_t at)
{
    const size_t n = tile.rows * tile.cols;
    double *cells = calloc(5 * n, sizeof *cells);
    ref_out out = { n, cells, cells + 2 * n, cells + 3 * n };
    assert_non_null(cells);
    ref(args, &tile, specs, 2, &out);
    for (size_t s = 0; s < 2; s++) v[s] = out.v[s * n + at], e[s] = out.e[s * n + at];
    free(cells);
}

/* RN32 of the true result lies in both balls; the strict one is half an ulp wide, the fast one at most
 * `roundings` of u. A radius of 0 is
 * for what every kernel rounds to that number. */
static void hold(const mpfr_t z, const double *v, const double *e, double roundings)
{
    const float y = mpfr_get_flt(z, MPFR_RNDN);
    const double size = fabs(mpfr_get_d(z, MPFR_RNDN));
    for (size_t s = 0; s < 2; s++) {
        assert_true(fabs((double)y - v[s]) <= e[s]);
        if (size < 0x1p-100 || e[s] == 0) continue;
        assert_true(fabs(mpfr_get_d(z, MPFR_RNDN) - v[s]) <= 0x1p-40 * size);
        assert_true(e[s] <= (s == 0 ? roundings : 1.001) * 0x1p-24 * size);
    }
}

typedef void function(mpfr_t z, const mpfr_t x);

static void sigmoid(mpfr_t z, const mpfr_t x)
{
    mpfr_neg(z, x, MPFR_RNDN);
    mpfr_exp(z, z, MPFR_RNDN);
    mpfr_add_ui(z, z, 1, MPFR_RNDN);
    mpfr_ui_div(z, 1, z, MPFR_RNDN);
}

static void silu(mpfr_t z, const mpfr_t x)
{
    sigmoid(z, x);
    mpfr_mul(z, z, x, MPFR_RNDN);
}

/* By its definition, with tanh. */
static void gelu_tanh(mpfr_t z, const mpfr_t x)
{
    mpfr_t c;
    mpfr_init2(c, BITS);
    mpfr_pow_ui(z, x, 3, MPFR_RNDN);
    mpfr_set_str(c, "0.044715", 10, MPFR_RNDN);
    mpfr_mul(z, z, c, MPFR_RNDN);
    mpfr_add(z, z, x, MPFR_RNDN);
    mpfr_const_pi(c, MPFR_RNDN);
    mpfr_ui_div(c, 2, c, MPFR_RNDN);
    mpfr_sqrt(c, c, MPFR_RNDN);
    mpfr_mul(z, z, c, MPFR_RNDN);
    mpfr_tanh(z, z, MPFR_RNDN);
    mpfr_add_ui(z, z, 1, MPFR_RNDN);
    mpfr_mul(z, z, x, MPFR_RNDN);
    mpfr_div_ui(z, z, 2, MPFR_RNDN);
    mpfr_clear(c);
}

static void gelu_erf(mpfr_t z, const mpfr_t x)
{
    mpfr_t c;
    mpfr_init2(c, BITS);
    mpfr_sqrt_ui(c, 2, MPFR_RNDN);
    mpfr_div(z, x, c, MPFR_RNDN);
    mpfr_erf(z, z, MPFR_RNDN);
    mpfr_add_ui(z, z, 1, MPFR_RNDN);
    mpfr_mul(z, z, x, MPFR_RNDN);
    mpfr_div_ui(z, z, 2, MPFR_RNDN);
    mpfr_clear(c);
}

/* Arguments are kept to where 300 bits outlast the cancellation in 1 + tanh, 1 + erf. `wide`: u for each
 * unit of |x| squared, by which an exponent may be off. */
static void check_function(ref_fn *ref, function *f, double most, double roundings, double wide)
{
    mpfr_t x, z;
    mpfr_inits2(BITS, x, z, (mpfr_ptr)0);
    for (int i = 0; i < 4000; i++) {
        const float in = (float)((2 * unit() - 1) * (i % 4 ? 4 : most));
        const ref_unary_args args = { &in };
        double v[2], e[2];
        ask(ref, &args, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        mpfr_set_flt(x, in, MPFR_RNDN);
        f(z, x);
        hold(z, v, e, roundings + wide * (double)in * (double)in);
    }
    mpfr_clears(x, z, (mpfr_ptr)0);
}

static void activations_hold_the_truth(void **unused)
{
    (void)unused;
    check_function(ref_sigmoid_f32, sigmoid, 80, 8, 0);
    check_function(ref_silu_f32, silu, 80, 8, 0);
    check_function(ref_gelu_tanh_f32, gelu_tanh, 8, 9, 16);
    check_function(ref_gelu_erf_f32, gelu_erf, 11, 12, 4);
}

static void relu_and_sums_are_exact_or_rounded_once(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        const float a = signed_pow2(20), b = signed_pow2(20);
        const ref_unary_args one = { &a };
        const ref_binary_args two = { &a, &b, 1, 1, 1 };
        double v[2], e[2];
        ask(ref_relu_f32, &one, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        for (int s = 0; s < 2; s++) assert_true(v[s] == (a > 0 ? (double)a : 0) && e[s] == 0);
        ask(ref_residual_add_f32, &two, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        for (int s = 0; s < 2; s++)
            assert_true(fabs((double)(a + b) - v[s]) <= e[s] &&
                        e[s] <= 1.001 * 0x1p-24 * fabs(v[s]));
    }
}

static void swiglu_holds_the_truth(void **unused)
{
    mpfr_t x, z;
    (void)unused;
    mpfr_inits2(BITS, x, z, (mpfr_ptr)0);
    for (int i = 0; i < 4000; i++) {
        const float gate = (float)(40 * unit() - 20), up = signed_pow2(3);
        const ref_binary_args args = { &gate, &up, 1, 1, 1 };
        double v[2], e[2];
        ask(ref_swiglu_f32, &args, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        mpfr_set_flt(x, gate, MPFR_RNDN);
        silu(z, x);
        mpfr_mul_d(z, z, (double)up, MPFR_RNDN);
        hold(z, v, e, 9);
    }
    mpfr_clears(x, z, (mpfr_ptr)0);
}

/* The j-th output of a row of numbers x, or its statistics: j = d the mean, j = d + 1 the root. */
static void norm_truth(mpfr_t z, const ref_norm_args *g, const float *x, size_t j)
{
    mpfr_t mean, sum, t;
    mpfr_inits2(BITS, mean, sum, t, (mpfr_ptr)0);
    mpfr_set_ui(mean, 0, MPFR_RNDN);
    mpfr_set_ui(sum, 0, MPFR_RNDN);
    for (size_t i = 0; g->beta && i < g->d; i++) mpfr_add_d(mean, mean, (double)x[i], MPFR_RNDN);
    mpfr_div_ui(mean, mean, g->d, MPFR_RNDN);
    for (size_t i = 0; i < g->d; i++) {
        mpfr_d_sub(t, (double)x[i], mean, MPFR_RNDN);
        mpfr_sqr(t, t, MPFR_RNDN);
        mpfr_add(sum, sum, t, MPFR_RNDN);
    }
    mpfr_div_ui(sum, sum, g->d, MPFR_RNDN);
    mpfr_add_d(sum, sum, (double)g->eps, MPFR_RNDN);
    mpfr_rec_sqrt(sum, sum, MPFR_RNDN);
    if (j < g->d) {
        mpfr_d_sub(z, (double)x[j], mean, MPFR_RNDN);
        mpfr_mul(z, z, sum, MPFR_RNDN);
        mpfr_mul_d(z, z, (double)g->gamma[j], MPFR_RNDN);
        if (g->beta) mpfr_add_d(z, z, (double)g->beta[j], MPFR_RNDN);
    } else {
        mpfr_set(z, j == g->d ? mean : sum, MPFR_RNDN);
    }
    mpfr_clears(mean, sum, t, (mpfr_ptr)0);
}

static void norms_hold_the_truth(void **unused)
{
    float x[MOST], gamma[MOST], beta[MOST];
    mpfr_t z;
    (void)unused;
    mpfr_init2(z, BITS);
    for (int i = 0; i < 4000; i++) {
        const size_t d = 1 + below(MOST), j = below(d);
        const int layer = i & 1;
        for (size_t l = 0; l < d; l++)
            x[l] = normal() + (layer ? 3 : 0), gamma[l] = normal(), beta[l] = normal();
        ref_norm_args g = { x, gamma, layer ? beta : NULL, d, d, d, 0x1p-10f, 0 };
        double v[2], e[2];
        ask(layer ? ref_layernorm_f32 : ref_rmsnorm_f32, &g, (ref_tile){ 0, 1, 0, d }, v, e, j);
        norm_truth(z, &g, x, j);
        for (size_t s = 0; s < 2; s++)
            assert_true(within((double)mpfr_get_flt(z, MPFR_RNDN), v[s], e[s]));
        assert_true(fabs(mpfr_get_d(z, MPFR_RNDN) - v[0]) <= 1e-12);
        if (!layer) assert_true(e[0] <= (8 + (double)d) * 0x1p-24 * fabs(v[0]));
        /* the root, whose relative bound is half the sum's and three roundings */
        g.statistics = 1;
        ask(layer ? ref_layernorm_f32 : ref_rmsnorm_f32, &g,
            (ref_tile){ 0, 1, 0, 1 + (size_t)layer }, v, e, (size_t)layer);
        norm_truth(z, &g, x, d + 1);
        for (size_t s = 0; s < 2; s++)
            assert_true(within((double)mpfr_get_flt(z, MPFR_RNDN), v[s], e[s]));
        if (!layer) assert_true(e[0] <= (4 + (double)d / 2) * 0x1p-24 * v[0]);
    }
    mpfr_clear(z);
}

/* Formats of 16 bits: significand, bits of the exponent. */
typedef struct sixteen {
    int bits, exponent;
} sixteen;
static const sixteen brain = { 8, 8 }, half = { 11, 5 };

/* A normal number rounded to that format, in *x, and its bits. */
static uint16_t number(const sixteen *f, float *x)
{
    int exponent;
    const double whole = rint(ldexp(frexp((double)*x, &exponent), f->bits));
    *x = (float)ldexp(whole, exponent - f->bits);
    const double mantissa = fabs(frexp((double)*x, &exponent)) * 2 - 1;
    const int field = exponent - 1 + (1 << (f->exponent - 1)) - 1;
    assert_true(field > 0 && field < (1 << f->exponent) - 1);
    return (uint16_t)((*x < 0) << 15 | field << (f->bits - 1) | (int)ldexp(mantissa, f->bits - 1));
}

/* The result rounded once to the format lies in both balls, and these hold no other number but a neighbour
 * that a float's error may reach. The strict one holds no other. */
static void hold_16(const sixteen *f, mpfr_t z, const double *v, const double *e)
{
    mpfr_t y;
    mpfr_init2(y, f->bits);
    mpfr_set(y, z, MPFR_RNDN);
    const double size = fabs(mpfr_get_d(y, MPFR_RNDN)), place = ldexp(size, 1 - f->bits);
    for (size_t s = 0; s < 2; s++) {
        assert_true(within(mpfr_get_d(y, MPFR_RNDN), v[s], e[s]));
        assert_true(e[s] == 0 || (s == 0 && e[s] <= 1.001 * place));
    }
    mpfr_clear(y);
}

static void norms_of_16_bits_are_rounded_once_more(void **unused)
{
    float x[MOST], gamma[MOST], beta[MOST];
    uint16_t bits[2 * MOST];
    int exact = 0;
    mpfr_t z;
    (void)unused;
    mpfr_init2(z, BITS);
    for (int i = 0; i < 4000; i++) {
        const size_t d = 1 + below(MOST), j = below(d), row = below(2);
        const int layer = i & 1;
        ref_fn *const ref = layer ? ref_layernorm_bf16 : ref_rmsnorm_bf16;
        for (size_t l = 0; l < d; l++) {
            x[l] = normal() + (layer ? 3 : 0), gamma[l] = normal(), beta[l] = normal();
            bits[row * MOST + l] = number(&brain, &x[l]);
        }
        ref_norm_args g = { bits, gamma, layer ? beta : NULL, d, d, MOST, 0x1p-10f, 0 };
        double v[2], e[2];
        ask(ref, &g, (ref_tile){ row, 1, 0, d }, v, e, j);
        norm_truth(z, &g, x, j);
        hold_16(&brain, z, v, e);
        exact += e[0] == 0;
        g.statistics = 1; /* which are floats */
        ask(ref, &g, (ref_tile){ row, 1, 0, 1 + (size_t)layer }, v, e, (size_t)layer);
        norm_truth(z, &g, x, d + 1);
        for (size_t s = 0; s < 2; s++)
            assert_true(within((double)mpfr_get_flt(z, MPFR_RNDN), v[s], e[s]));
        assert_true(e[1] <= 1.001 * 0x1p-24 * v[1]);
    }
    assert_true(exact > 3900);
    mpfr_clear(z);
}

static void elements_of_16_bits_are_rounded_once_more(void **unused)
{
    static const struct {
        const sixteen *f;
        ref_fn *add, *swiglu;
    } rows[] = { { &brain, ref_residual_add_bf16, ref_swiglu_bf16 },
                 { &half, ref_residual_add_f16, ref_swiglu_f16 } };
    mpfr_t x, z;
    (void)unused;
    mpfr_inits2(BITS, x, z, (mpfr_ptr)0);
    for (int i = 0; i < 8000; i++) {
        float a = (float)(6 * unit() - 3), b = signed_pow2(3) * (float)(1 + unit());
        const sixteen *const f = rows[i & 1].f;
        const uint16_t bits[] = { number(f, &a), number(f, &b) };
        const ref_binary_args args = { &bits[0], &bits[1], 1, 1, 1 };
        double v[2], e[2];
        ask(rows[i & 1].add, &args, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        mpfr_set_flt(z, a, MPFR_RNDN);
        mpfr_add_d(z, z, (double)b, MPFR_RNDN);
        hold_16(f, z, v, e);
        ask(rows[i & 1].swiglu, &args, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        mpfr_set_flt(x, a, MPFR_RNDN);
        silu(z, x);
        mpfr_mul_d(z, z, (double)b, MPFR_RNDN);
        hold_16(f, z, v, e);
    }
    mpfr_clears(x, z, (mpfr_ptr)0);
}

/* Of what is rounded to 0: from +0.1 of the least number, whatever the sum's ball holds. */
static void zeros_of_16_bits_have_the_sign_of_the_result(void **unused)
{
    const uint16_t tiny[] = { 0x0010, 0x8010 }, small = 0x3e00; /* +-2^-129, 1/8 */
    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        const ref_binary_args args = { &small, &tiny[i], 1, 1, 1 };
        double v[2], e[2];
        ask(ref_swiglu_bf16, &args, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        for (size_t s = 0; s < 2; s++) {
            assert_true(fabs(v[s]) <= 0x1p-132 && e[s] <= 0x1p-134);
            assert_true(!signbit(v[s]) == (i == 0));
        }
    }
}

/* E[x^2] - mean^2 in float, far from 0, is outside. */
static void one_pass_variance_is_outside(void **unused)
{
    float x[8], gamma[8], beta[8], sum = 0, squares = 0;
    double v[2], e[2];
    (void)unused;
    for (size_t l = 0; l < 8; l++) x[l] = 1000.0f + 0.5f * normal(), gamma[l] = 1, beta[l] = 0;
    for (size_t l = 0; l < 8; l++) sum += x[l], squares += x[l] * x[l];
    const float mean = sum / 8, variance = squares / 8 - mean * mean;
    const ref_norm_args g = { x, gamma, beta, 8, 8, 8, 1e-5f, 1 };
    ask(ref_layernorm_f32, &g, (ref_tile){ 0, 1, 0, 2 }, v, e, 1);
    assert_false(within(1 / sqrt((double)variance + 1e-5), v[0], e[0]));
}

/* Down, x - x is -0, and so is the mean; a radius above 0 leaves the sign open. */
static void a_mean_of_zero_has_either_sign_downwards(void **unused)
{
    const float x[] = { 3, -3 }, gamma[] = { 1, 1 }, beta[] = { 0, 0 };
    const ref_norm_args g = { x, gamma, beta, 2, 2, 2, 0, 1 };
    (void)unused;
    for (int directed = 0; directed < 2; directed++) {
        const ref_spec spec = { &ours, 0, directed ? 0x1p-23 : 0x1p-24, 0, 0 };
        double v[2], term[2], e[2];
        ref_out out = { 2, v, term, e };
        ref_layernorm_f32(&g, &(ref_tile){ 0, 1, 0, 2 }, &spec, 1, &out);
        assert_true(v[0] == 0 && (directed ? e[0] > 0 && e[0] < 0x1p-148 : e[0] == 0));
    }
}

/* Below -87 the fast exponential is 0, and with it the result; strict results are not, and a fault in one must
 * count whichever spec comes first. */
static void what_one_mode_cuts_off_is_a_term_of_the_other(void **unused)
{
    (void)unused;
    const ref_spec turned[] = { specs[1], specs[0] };
    ref_fn *const refs[] = { ref_sigmoid_f32, ref_silu_f32, ref_swiglu_f32 };
    const float x = -87.5f, one = 1;
    const ref_unary_args a = { &x };
    const ref_binary_args b = { &x, &one, 1, 1, 1 };
    const void *const args[] = { &a, &a, &b };
    for (size_t f = 0; f < 3; f++) {
        double v[2], e[2], term = 0;
        ref_out out = { 1, v, &term, e };
        for (size_t turn = 0; turn < 2; turn++) {
            refs[f](args[f], &(ref_tile){ 0, 1, 0, 1 }, turn ? turned : specs, 2, &out);
            assert_true(v[turn] == 0 && v[!turn] != 0);
            assert_true(term == fabs(v[!turn]) && e[!turn] < 0.5 * term);
        }
    }
}

/* A strict result is rounded to nearest: what is below half of the least float is a zero of its sign, and half
 * of it or more leaves the choice to the radius. */
static void strict_results_below_half_of_the_least_are_zero(void **unused)
{
    (void)unused;
    mpfr_t at, z;
    mpfr_inits2(BITS, at, z, NULL);
    for (float x = -9; x > -14; x -= 0.03125f) {
        const ref_unary_args g = { &x };
        double v[2], e[2];
        ask(ref_gelu_tanh_f32, &g, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        mpfr_set_flt(at, x, MPFR_RNDN);
        gelu_tanh(z, at);
        const double size = fabs(mpfr_get_d(z, MPFR_RNDN));
        if (size < 0x1p-151) assert_true(v[1] == 0 && signbit(v[1]) && e[1] == 0);
        if (size > 0x1p-150) assert_true(e[1] > 0);
    }
    for (float x = -14; x > -FLT_MAX / 2; x *= 1.75f) {
        const ref_unary_args g = { &x };
        double v[2], e[2];
        ask(ref_gelu_tanh_f32, &g, (ref_tile){ 0, 1, 0, 1 }, v, e, 0);
        assert_true(v[1] == 0 && signbit(v[1]) && e[1] == 0);
    }
    mpfr_clears(at, z, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(activations_hold_the_truth),
        TEST(relu_and_sums_are_exact_or_rounded_once),
        TEST(swiglu_holds_the_truth),
        TEST(norms_hold_the_truth),
        TEST(one_pass_variance_is_outside),
        TEST(a_mean_of_zero_has_either_sign_downwards),
        TEST(norms_of_16_bits_are_rounded_once_more),
        TEST(elements_of_16_bits_are_rounded_once_more),
        TEST(zeros_of_16_bits_have_the_sign_of_the_result),
        TEST(what_one_mode_cuts_off_is_a_term_of_the_other),
        TEST(strict_results_below_half_of_the_least_are_zero),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
