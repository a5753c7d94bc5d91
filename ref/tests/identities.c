/* SPDX-License-Identifier: MIT */
/* Tests of the references against themselves: what algebra says that their results have in common,
 * whatever the formulas that gave them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "../f16.h"
#include "draw.h"

enum { N = 48, ROWS = 3, COLUMNS = 4, CELLS = ROWS * COLUMNS, SPECS = 4, BYTES = 34, PARTS = 33 };

static const ck_numspec chain = { .lanes = 1, .accs = 1, .rexp = 2, .exp_zero_below = -87.25 };
static const ck_numspec wide = { .lanes = 16,
                                 .accs = 2,
                                 .tail = CK_TAIL_LANE,
                                 .rexp = 2,
                                 .exp_zero_below = -87.25,
                                 .flags = CK_NUM_TRUE_DIV };
static const ck_numspec any_order = { .rexp = 4, .exp_zero_below = -104, .flags = CK_NUM_MULADD };

static const ref_spec specs[SPECS] = { { &chain, 0, 0x1p-24, 0, 0 },
                                       { &wide, 0, 0x1p-24, 0, 0 },
                                       { &any_order, 0, 0x1p-24, 0, 0 },
                                       { &chain, 1, 0x1p-24, 0, 0 } };

static int near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

/* ---- ball.h ---- */

/* One expression, three ways: as balls, exactly, and rounded or not at each step. */
typedef struct triple {
    ref_ball ball;
    mpfr_t exact, rounded;
} triple;

enum { BITS = 4000, NODES = 24 };

static void round_to_float(mpfr_t x, int directed)
{
    static const mpfr_rnd_t modes[3] = { MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ };
    if (below(4) == 0) return; /* as within an FMA */
    mpfr_prec_round(x, 24, directed ? modes[below(3)] : MPFR_RNDN);
    mpfr_prec_round(x, BITS, MPFR_RNDN);
}

static int holds(ref_ball b, const mpfr_t x)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_sub_d(d, x, b.v, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    const int inside = !mpfr_nan_p(d) && mpfr_cmp_d(d, b.e) <= 0;
    mpfr_clear(d);
    return inside;
}

typedef int binary(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);

static void combine(triple *z, const triple *x, const triple *y, ref_fp fp, int directed)
{
    static binary *const exact[] = { mpfr_add, mpfr_sub, mpfr_mul, mpfr_div };
    const size_t op = below(4);
    exact[op](z->exact, x->exact, y->exact, MPFR_RNDN);
    exact[op](z->rounded, x->rounded, y->rounded, MPFR_RNDN);
    switch (op) {
    case 0: z->ball = ref_add(fp, x->ball, y->ball); break;
    case 1: z->ball = ref_sub(fp, x->ball, y->ball); break;
    case 2: z->ball = ref_mul(fp, x->ball, y->ball); break;
    default: z->ball = ref_div(fp, x->ball, y->ball);
    }
    round_to_float(z->rounded, directed);
}

static void root(triple *z, const triple *x, ref_fp fp, int directed)
{
    mpfr_sqrt(z->exact, x->exact, MPFR_RNDN);
    mpfr_sqrt(z->rounded, x->rounded, MPFR_RNDN);
    z->ball = ref_sqrt(fp, x->ball);
    round_to_float(z->rounded, directed);
}

/* Each node of a random expression joins two earlier ones; its ball holds the exact result and that
 * of every mixture of rounded and fused steps. */
static void balls_hold_random_expressions(void **unused)
{
    static triple node[NODES];
    size_t seen = 0;
    (void)unused;
    for (size_t i = 0; i < NODES; i++)
        mpfr_inits2(BITS, node[i].exact, node[i].rounded, (mpfr_ptr)0);
    for (int run = 0; run < 1500; run++) {
        const int directed = run & 1;
        const ref_spec spec = { &chain, 0, directed ? 0x1p-23 : 0x1p-24, 0, 0 };
        const ref_fp fp = ref_fp_of(&spec);
        for (size_t i = 0; i < NODES; i++) {
            triple *z = &node[i];
            const triple *x = &node[below(i + 1)], *y = &node[below(i + 1)];
            if (i < 4 || x == z || y == z) {
                z->ball = ref_exact((double)signed_pow2(2));
                mpfr_set_d(z->exact, z->ball.v, MPFR_RNDN);
                mpfr_set_d(z->rounded, z->ball.v, MPFR_RNDN);
            } else if (x->ball.v - x->ball.e > 0 && below(4) == 0) {
                root(z, x, fp, directed);
            } else {
                combine(z, x, y, fp, directed);
            }
            const double size = fabs(z->ball.v);
            if (!(z->ball.e <= 0.25 * size) || !(size > 0x1p-60 && size < 0x1p60)) break;
            seen++;
            if (!holds(z->ball, z->exact) || !holds(z->ball, z->rounded))
                fail_msg("run %d, node %zu: outside %a +- %a", run, i, z->ball.v, z->ball.e);
        }
    }
    for (size_t i = 0; i < NODES; i++) mpfr_clears(node[i].exact, node[i].rounded, (mpfr_ptr)0);
    assert_true(seen > 15000);
}

/* ---- gemm ---- */

typedef struct product {
    double v[SPECS * CELLS], term[CELLS], e[SPECS * CELLS];
} product;

static product gemm(const float *a, const float *b, size_t rows, size_t columns, size_t k)
{
    product y;
    ref_out out = { rows * columns, y.v, y.term, y.e };
    const ref_gemm_args args = { a, b, NULL, NULL, k, k, k, 0, 1, 0 };
    ref_gemm_nt_f32(&args, &(ref_tile){ 0, rows, 0, columns }, specs, SPECS, &out);
    return y;
}

/* Drawn so that all spreads occur: real numbers, integers, magnitudes over 24 binades. */
static void draw_reals(float *x, size_t n, int kind)
{
    for (size_t i = 0; i < n; i++)
        x[i] = kind == 0 ? normal() : kind == 1 ? (float)((int)below(65) - 32) : signed_pow2(12);
}

/* (A B')' = B A'. */
static void gemm_of_exchanged_factors_is_transposed(void **unused)
{
    float a[ROWS * N], b[COLUMNS * N];
    (void)unused;
    for (int run = 0; run < 900; run++) {
        const size_t k = 1 + below(N);
        draw_reals(a, ROWS * k, run % 3);
        draw_reals(b, COLUMNS * k, run % 3);
        const product y = gemm(a, b, ROWS, COLUMNS, k), z = gemm(b, a, COLUMNS, ROWS, k);
        for (size_t i = 0; i < CELLS; i++) {
            const size_t j = i % COLUMNS * ROWS + i / COLUMNS;
            assert_true(y.term[i] == z.term[j]);
            for (size_t s = 0; s < SPECS; s++)
                assert_true(y.v[s * CELLS + i] == z.v[s * CELLS + j] &&
                            y.e[s * CELLS + i] == z.e[s * CELLS + j]);
        }
    }
}

/* A (B + C)' = A B' + A C', in values, and in balls: what is computed in one is in the other two. */
static void gemm_is_linear_in_each_factor(void **unused)
{
    float a[N], b[N], c[N], sum[N];
    (void)unused;
    for (int run = 0; run < 3000; run++) {
        const size_t k = 1 + below(N);
        double s = 0;
        draw_reals(a, k, run % 3);
        for (size_t l = 0; l < k; l++) { /* on one grid, so that b + c is a float */
            b[l] = (float)((int)below(1 << 20) - (1 << 19)) * 0x1p-12f;
            c[l] = (float)((int)below(1 << 20) - (1 << 19)) * 0x1p-12f;
            sum[l] = b[l] + c[l];
            s += fabs((double)a[l]) * (fabs((double)b[l]) + fabs((double)c[l]));
        }
        const product y = gemm(a, sum, 1, 1, k), p = gemm(a, b, 1, 1, k), q = gemm(a, c, 1, 1, k);
        for (size_t i = 0; i < SPECS; i++) {
            assert_true(within(y.v[i], p.v[i] + q.v[i], 4 * (double)k * REF_UD * s));
            assert_true(within(y.v[i], p.v[i] + q.v[i], y.e[i] + p.e[i] + q.e[i] + 0x1p-48 * s));
        }
    }
}

/* Signs and powers of two go through every operation. */
static void gemm_scales_with_its_factors(void **unused)
{
    float a[N], b[N], scaled[N];
    (void)unused;
    for (int run = 0; run < 2000; run++) {
        const size_t k = 1 + below(N);
        const float factor = ldexpf(bits64() & 1 ? 1 : -1, (int)below(41) - 20);
        draw_reals(a, k, run % 3);
        draw_reals(b, k, run % 3);
        for (size_t l = 0; l < k; l++) scaled[l] = a[l] * factor;
        const product y = gemm(a, b, 1, 1, k), z = gemm(scaled, b, 1, 1, k);
        const double f = (double)factor;
        assert_true(z.term[0] == y.term[0] * fabs(f));
        for (size_t s = 0; s < SPECS; s++)
            assert_true(z.v[s] == y.v[s] * f && near(z.e[s], y.e[s] * fabs(f), 1e-12));
    }
}

/* A sum over both halves is the sum of the halves, and no radius shrinks by what is added to it. */
static void gemm_splits_along_the_sum(void **unused)
{
    float a[2 * N], b[2 * N];
    (void)unused;
    for (int run = 0; run < 2000; run++) {
        const size_t n = 1 + below(N), m = 1 + below(N);
        double s = 0;
        draw_reals(a, n + m, run % 3);
        draw_reals(b, n + m, run % 3);
        for (size_t l = 0; l < n + m; l++) s += fabs((double)a[l] * (double)b[l]);
        const product y = gemm(a, b, 1, 1, n + m), p = gemm(a, b, 1, 1, n);
        const product q = gemm(a + n, b + n, 1, 1, m);
        for (size_t i = 0; i < SPECS; i++)
            assert_true(within(y.v[i], p.v[i] + q.v[i], 2 * (double)(n + m) * REF_UD * s));
        assert_true(y.e[2] == 0 || y.e[2] >= (p.e[2] + q.e[2]) * (1 - 1e-9));
        assert_true(near(y.term[0] * (double)(n + m), p.term[0] * (double)n + q.term[0] * (double)m,
                         1e-12));
    }
}

/* ---- q8_0 ---- */

static void draw_blocks(unsigned char *p, size_t blocks)
{
    for (size_t i = 0; i < blocks * BYTES; i++) p[i] = (unsigned char)bits64();
    for (size_t l = 0; l < blocks; l++) p[l * BYTES + 1] &= 0xbf; /* scales below 2 */
}

static void dequantize(const unsigned char *x, size_t n, float *y)
{
    double v[3 * 32], term[3 * 32], e[3 * 32];
    ref_out out = { n, v, term, e };
    ref_dequant_row_q8_0(&(ref_dequant_args){ x }, &(ref_tile){ 0, 1, 0, n }, specs, 1, &out);
    for (size_t i = 0; i < n; i++) {
        assert_true(e[i] == 0 && (double)(float)v[i] == v[i]);
        y[i] = (float)v[i];
    }
}

/* A product of blocks is that of the floats which they stand for. */
static void block_products_are_those_of_the_floats(void **unused)
{
    unsigned char a[3 * BYTES], b[3 * BYTES];
    float x[3 * 32], y[3 * 32];
    (void)unused;
    for (int run = 0; run < 3000; run++) {
        const size_t blocks = 1 + below(3), k = 32 * blocks;
        const float bias = normal();
        product p;
        ref_out out = { 1, p.v, p.term, p.e };
        const ref_gemm_q_args args = { a, b, run & 1 ? &bias : NULL, k, blocks, blocks };
        draw_blocks(a, blocks);
        draw_blocks(b, blocks);
        dequantize(a, k, x);
        dequantize(b, k, y);
        ref_gemm_nt_q8_0_q8_0(&args, &(ref_tile){ 0, 1, 0, 1 }, specs, SPECS, &out);
        const product q = gemm(x, y, 1, 1, k);
        const double shift = run & 1 ? (double)bias : 0, s = q.term[0] * (double)k + fabs(shift);
        for (size_t i = 0; i < SPECS; i++)
            assert_true(within(p.v[i], q.v[i] + shift, 2 * (double)k * REF_UD * s));
        assert_true(near(p.term[0], q.term[0], 1e-12) || run & 1);
        /* whole blocks have fewer roundings than their elements in the same order */
        assert_true(run & 1 || p.e[0] <= q.e[0] * (1 + 1e-9));
    }
}

static void quantize(const float *x, double *v)
{
    double term[PARTS], e[PARTS];
    ref_out out = { PARTS, v, term, e };
    ref_quantize_row_q8_0(&(ref_quantize_args){ x }, &(ref_tile){ 0, 1, 0, 1 }, specs, 1, &out);
    for (size_t i = 0; i < PARTS; i++) assert_true(e[i] == 0);
}

static void put_codes(const double *v, unsigned char *block)
{
    const unsigned d = (unsigned)v[0];
    block[0] = (unsigned char)(d & 255);
    block[1] = (unsigned char)(d >> 8);
    for (int i = 0; i < 32; i++) block[2 + i] = (unsigned char)(int)v[1 + i];
}

/* What comes back is off by half a step, by the 2^-11 of the scale's own rounding for each step, and
 * by the roundings of 127 / amax and its product; a block that came back comes back the same. */
static void what_was_quantised_comes_back(void **unused)
{
    float x[32], y[32];
    double v[PARTS], again[PARTS];
    unsigned char block[BYTES];
    (void)unused;
    for (int run = 0; run < 6000; run++) {
        const int exponent = (int)below(20) - 6; /* the scale is a normal half */
        double amax = 0;
        for (int i = 0; i < 32; i++) {
            x[i] = ldexpf(run % 3 ? normal() : (float)(2 * unit() - 1), exponent);
            amax = fmax(amax, fabs((double)x[i]));
        }
        quantize(x, v);
        put_codes(v, block);
        dequantize(block, 32, y);
        const double step = amax / 127;
        for (int i = 0; i < 32; i++) {
            const double codes = fabs(v[1 + i]);
            assert_true(codes <= 127 && (v[1 + i] == 0 || (v[1 + i] > 0) == (x[i] > 0)));
            assert_true(within((double)y[i], (double)x[i],
                               step * (0.5 + codes * (0x1.01p-11 + 4 * 0x1p-24) + 0x1p-16)));
        }
        quantize(y, again);
        assert_memory_equal(v, again, sizeof v);
    }
}

/* Codes follow the sign of x and are the same for x times a power of two; d takes the power. */
static void quantising_commutes_with_signs_and_powers_of_two(void **unused)
{
    float x[32], y[32];
    double v[PARTS], w[PARTS];
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const int exponent = (int)below(9) - 4;
        for (int i = 0; i < 32; i++) {
            x[i] = normal();
            y[31 - i] = ldexpf(-x[i], exponent);
        }
        quantize(x, v);
        quantize(y, w);
        const double d = ref_f16_value((uint16_t)v[0]);
        assert_true(ref_f16_value((uint16_t)w[0]) == ldexp(d, exponent));
        for (int i = 0; i < 32; i++) assert_true(w[32 - i] == -v[1 + i]);
    }
}

/* ---- exp ---- */

typedef struct exponential {
    double v[SPECS], term, e[SPECS];
} exponential;

static exponential exponential_of(float x)
{
    exponential y;
    ref_out out = { 1, y.v, &y.term, y.e };
    ref_exp_f32(&(ref_unary_args){ &x }, &(ref_tile){ 0, 1, 0, 1 }, specs, SPECS, &out);
    return y;
}

/* exp(a + b) = exp(a) exp(b), of the values, and of the balls: they and their product meet. */
static void exponentials_of_sums_are_products(void **unused)
{
    const ref_fp fp = ref_fp_of(&specs[0]);
    (void)unused;
    for (int run = 0; run < 20000; run++) {
        const float a = (float)((int)below(1 << 18) - (1 << 17)) * 0x1p-12f; /* up to 32 */
        const float b = (float)((int)below(1 << 18) - (1 << 17)) * 0x1p-12f;
        const exponential x = exponential_of(a), y = exponential_of(b), z = exponential_of(a + b);
        for (size_t s = 0; s < SPECS; s++) {
            const ref_ball p =
                ref_mul(fp, (ref_ball){ x.v[s], x.e[s] }, (ref_ball){ y.v[s], y.e[s] });
            assert_true(near(z.v[s], x.v[s] * y.v[s], 8 * REF_UD));
            assert_true(within(z.v[s], p.v, p.e + z.e[s]));
            assert_true(p.e <= (x.e[s] / x.v[s] + y.e[s] / y.v[s] + 0x1.01p-24) * p.v);
        }
    }
}

/* A greater argument has a greater value, and a relative radius that is the same. */
static void exponentials_rise(void **unused)
{
    (void)unused;
    for (int run = 0; run < 20000; run++) {
        const float a = (float)(unit() * 170 - 86), b = nextafterf(a, 100);
        const exponential x = exponential_of(a), y = exponential_of(b);
        for (size_t s = 0; s < SPECS; s++) {
            assert_true(a == 0 || b == 0 || x.v[s] < y.v[s]);
            if (s < 3 && a * b > 0) assert_true(near(x.e[s] / x.v[s], y.e[s] / y.v[s], 1e-6));
        }
    }
}

/* ---- softmax ---- */

typedef struct weights {
    double v[SPECS * N], term[N], e[SPECS * N];
} weights;

static weights softmax(const float *x, size_t n)
{
    weights y;
    ref_out out = { n, y.v, y.term, y.e };
    ref_softmax_causal_f32(&(ref_softmax_args){ x, n, 0 }, &(ref_tile){ n - 1, 1, 0, n }, specs,
                           SPECS, &out);
    return y;
}

/* Scores on a grid of 2^-10, some of them -inf, some so low that they vanish. */
static size_t draw_scores(float *x)
{
    const size_t n = 1 + below(N), spread = (size_t)1 << (4 + below(14));
    for (size_t j = 0; j < n; j++) x[j] = (float)((int)below(spread)) * 0x1p-10f;
    for (size_t j = 1; j < n; j++)
        if (below(8) == 0) x[j] = below(2) ? -INFINITY : -200;
    return n;
}

/* Only differences of scores count. */
static void softmax_does_not_see_a_shift(void **unused)
{
    float x[N], y[N];
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const size_t n = draw_scores(x);
        const float shift = (float)((int)below(2001) - 1000);
        for (size_t j = 0; j < n; j++) y[j] = x[j] + shift;
        const weights p = softmax(x, n), q = softmax(y, n);
        assert_memory_equal(p.term, q.term, n * sizeof *p.term);
        assert_memory_equal(p.v, q.v, SPECS * n * sizeof *p.v);
        assert_memory_equal(p.e, q.e, SPECS * n * sizeof *p.e);
    }
}

/* 1 is in the sum of the balls and, next to it, in that of the values. */
static void softmax_rows_add_up_to_one(void **unused)
{
    float x[N];
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const size_t n = draw_scores(x);
        const weights p = softmax(x, n);
        for (size_t s = 0; s < SPECS; s++) {
            double v = 0, e = 0;
            for (size_t j = 0; j < n; j++) v += p.v[s * n + j], e += p.e[s * n + j];
            assert_true(within(1, v, (double)(n + 2) * REF_UD * 2));
            assert_true(e < 1e-3);
        }
    }
}

/* Each quotient of two weights is the exponential of the difference of their scores. */
static void softmax_weights_are_in_the_ratio_of_exponentials(void **unused)
{
    float x[N];
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const size_t n = draw_scores(x);
        const weights p = softmax(x, n);
        for (size_t s = 0; s < SPECS; s++)
            for (size_t j = 1; j < n; j++) {
                if (!(p.v[s * n + j] > 0)) continue;
                const exponential r = exponential_of(x[j] - x[0]);
                const double ratio = p.v[s * n + j] / p.v[s * n], v = r.v[2];
                assert_true(!(v > 0x1p-120 && v < 0x1p120) || near(ratio, v, 8 * REF_UD));
            }
    }
}

/* Exchanged scores exchange their weights; the order of the sum is any or strict. */
static void softmax_follows_permutations(void **unused)
{
    float x[N];
    (void)unused;
    for (int run = 0; run < 4000; run++) {
        const size_t n = draw_scores(x), i = below(n), j = below(n);
        const weights p = softmax(x, n);
        const float kept = x[i];
        x[i] = x[j], x[j] = kept;
        const weights q = softmax(x, n);
        for (size_t s = 2; s < SPECS; s++)
            for (size_t l = 0; l < n; l++) {
                const size_t m = l == i ? j : l == j ? i : l;
                assert_true(near(p.v[s * n + l], q.v[s * n + m], 2 * (double)n * REF_UD));
                assert_true(near(p.e[s * n + l], q.e[s * n + m], 1e-6));
            }
    }
}

int ref_test_identities(void)
{
    const struct CMUnitTest tests[] = {
        TEST(balls_hold_random_expressions),
        TEST(gemm_of_exchanged_factors_is_transposed),
        TEST(gemm_is_linear_in_each_factor),
        TEST(gemm_scales_with_its_factors),
        TEST(gemm_splits_along_the_sum),
        TEST(block_products_are_those_of_the_floats),
        TEST(what_was_quantised_comes_back),
        TEST(quantising_commutes_with_signs_and_powers_of_two),
        TEST(exponentials_of_sums_are_products),
        TEST(exponentials_rise),
        TEST(softmax_does_not_see_a_shift),
        TEST(softmax_rows_add_up_to_one),
        TEST(softmax_weights_are_in_the_ratio_of_exponentials),
        TEST(softmax_follows_permutations),
    };
    return cmocka_run_group_tests_name("identities", tests, NULL, NULL);
}
