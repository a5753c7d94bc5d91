/* SPDX-License-Identifier: MIT */
/* Tests of the references of products that have no tests of their own: activations of sums, and blocks times
 * blocks, against sums of long double over what is written down of operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "draw.h"

ref_fn ref_gemm_nt_relu_f32, ref_gemm_nt_silu_f32, ref_gemm_nt_gelu_f32, ref_gemm_nt_swiglu_f32;
ref_fn ref_gemm_nt_q4_0_q8_0, ref_gemm_nt_q4_1_q8_1, ref_gemm_nt_q5_0_q8_0, ref_gemm_nt_q5_1_q8_1;
ref_fn ref_gemm_nt_q4_k_q8_k, ref_gemm_nt_q5_k_q8_k, ref_gemm_nt_q6_k_q8_k;
ref_fn ref_dequant_row_q4_0, ref_dequant_row_q4_1, ref_dequant_row_q5_0, ref_dequant_row_q5_1;
ref_fn ref_dequant_row_q4_k, ref_dequant_row_q5_k, ref_dequant_row_q6_k;

enum { M = 3, N = 4, K = 7, LD = 9, BLOCKS = 2, MOST = BLOCKS * 256 };

typedef long double real;

static const ck_numspec plain = { .lanes = 8, .accs = 1, .rexp = 2 };
static const ref_spec specs[] = { { &plain, 0, 0x1p-24, 0, 0 }, { &plain, 1, 0x1p-24, 0, 0 } };

static double v[2 * M * N], term[M * N], e[2 * M * N];

/* Both specs' values are `wanted` but for `off`, and so near that no more than a few roundings of the terms
 * are admitted. */
static void is_near(size_t at, real wanted, real terms, real off)
{
    for (size_t s = 0; s < 2; s++) {
        const size_t i = s * M * N + at;
        assert_true(fabsl((real)v[i] - wanted) <= off * terms);
        assert_true(e[i] >= 0 && (real)e[i] <= 64 * 0x1p-24L * (terms + fabsl(wanted)));
    }
}

/* --- activations */

static float a[M][LD], b[N][LD], d[N][LD], bias_b[N], bias_d[N];

static void draw_rows(float *x, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < LD; l++) x[i * LD + l] = l < K ? normal() : NAN;
}

static real sum_of(const float *x, const float *w, float bias, real *terms)
{
    real sum = (real)bias;
    *terms = fabsl(sum);
    for (size_t l = 0; l < K; l++) {
        sum += (real)x[l] * (real)w[l];
        *terms += fabsl((real)x[l] * (real)w[l]);
    }
    return sum;
}

static real relu(real x) { return fmaxl(x, 0); }
static real silu(real x) { return x / (1 + expl(-x)); }
static real gelu(real x)
{
    return x / 2 * (1 + tanhl(sqrtl(2 / acosl(-1)) * (x + 0.044715L * x * x * x)));
}

static void sums_go_through_an_activation(void **unused)
{
    static ref_fn *const fns[] = { ref_gemm_nt_relu_f32, ref_gemm_nt_silu_f32,
                                   ref_gemm_nt_gelu_f32 };
    static real (*const acts[])(real) = { relu, silu, gelu };
    (void)unused;
    for (int t = 0; t < 90; t++) {
        const ref_gemm_act_args args = { a[0], b[0], t & 1 ? bias_b : NULL, K, LD, LD };
        ref_out out = { M * N, v, term, e };
        draw_rows(a[0], M);
        draw_rows(b[0], N);
        for (size_t j = 0; j < N; j++) bias_b[j] = normal();
        fns[t % 3](&args, &(ref_tile){ 0, M, 0, N }, specs, 2, &out);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++) {
                real terms;
                const real sum = sum_of(a[i], b[j], t & 1 ? bias_b[j] : 0, &terms);
                is_near(i * N + j, acts[t % 3](sum), terms, 0x1p-24L);
            }
    }
}

static void gates_multiply_the_other_sum(void **unused)
{
    (void)unused;
    for (int t = 0; t < 40; t++) {
        const ref_gemm_glu_args args = {
            a[0], b[0], d[0], t & 1 ? bias_b : NULL, t & 2 ? bias_d : NULL, K, LD, LD, LD
        };
        ref_out out = { M * N, v, term, e };
        draw_rows(a[0], M);
        draw_rows(b[0], N);
        draw_rows(d[0], N);
        for (size_t j = 0; j < N; j++) bias_b[j] = normal(), bias_d[j] = normal();
        ref_gemm_nt_swiglu_f32(&args, &(ref_tile){ 0, M, 0, N }, specs, 2, &out);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++) {
                real gates, others;
                const real gate = sum_of(a[i], b[j], t & 1 ? bias_b[j] : 0, &gates);
                const real other = sum_of(a[i], d[j], t & 2 ? bias_d[j] : 0, &others);
                is_near(i * N + j, silu(gate) * other, (1 + gates) * (1 + others), 0x1p-24L);
            }
    }
}

/* Many specs at a time: each gets what it gets alone, wherever it stands in the list. */
static void specs_of_a_long_list_stand_alone(void **unused)
{
    enum { MANY = 27 };
    static double all_v[MANY * M * N], all_e[MANY * M * N];
    static ref_fn *const fns[] = { ref_gemm_nt_silu_f32, ref_gemm_nt_swiglu_f32 };
    ck_numspec nums[MANY];
    ref_spec list[MANY];
    const ref_gemm_act_args act = { a[0], b[0], bias_b, K, LD, LD };
    const ref_gemm_glu_args glu = { a[0], b[0], d[0], bias_b, bias_d, K, LD, LD, LD };
    const ref_tile tile = { 0, M, 0, N };
    (void)unused;
    draw_rows(a[0], M);
    draw_rows(b[0], N);
    draw_rows(d[0], N);
    for (size_t j = 0; j < N; j++) bias_b[j] = normal(), bias_d[j] = normal();
    for (unsigned s = 0; s < MANY; s++) {
        nums[s] = (ck_numspec){ .lanes = 1 + s % 8, .accs = 1, .rexp = 2 + s };
        list[s] = (ref_spec){ &nums[s], s % 5 == 4, 0x1p-24, 0, 0 };
    }
    for (size_t f = 0; f < 2; f++) {
        const void *const args = f == 0 ? (const void *)&act : &glu;
        ref_out all = { M * N, all_v, term, all_e }, one = { M * N, v, term, e };
        fns[f](args, &tile, list, MANY, &all);
        for (size_t s = 0; s < MANY; s++) {
            fns[f](args, &tile, &list[s], 1, &one);
            for (size_t i = 0; i < M * N; i++)
                assert_true(all_v[s * M * N + i] == v[i] && all_e[s * M * N + i] == e[i]);
        }
    }
}

/* --- blocks times blocks */

typedef struct pair {
    ref_fn *product, *decode;
    size_t elements, bytes; /* of a weights' block */
    size_t a_bytes, codes;  /* of an activations' block, and where its codes are */
    int minimum;            /* m at byte 2 meets the stored sum at byte 2 */
} pair;

static const pair pairs[] = {
    { ref_gemm_nt_q4_0_q8_0, ref_dequant_row_q4_0, 32, 18, 34, 2, 0 },
    { ref_gemm_nt_q4_1_q8_1, ref_dequant_row_q4_1, 32, 20, 36, 4, 1 },
    { ref_gemm_nt_q5_0_q8_0, ref_dequant_row_q5_0, 32, 22, 34, 2, 0 },
    { ref_gemm_nt_q5_1_q8_1, ref_dequant_row_q5_1, 32, 24, 36, 4, 1 },
    { ref_gemm_nt_q8_0_q8_0, ref_dequant_row_q8_0, 32, 34, 34, 2, 0 },
    { ref_gemm_nt_q4_k_q8_k, ref_dequant_row_q4_k, 256, 144, 292, 4, 0 },
    { ref_gemm_nt_q5_k_q8_k, ref_dequant_row_q5_k, 256, 176, 292, 4, 0 },
    { ref_gemm_nt_q6_k_q8_k, ref_dequant_row_q6_k, 256, 210, 292, 4, 0 },
};

static unsigned char left[M * BLOCKS * 292], right[N * BLOCKS * 210];
static double weights[N][MOST], ones[MOST], none[MOST];

/* A half 2^e (1 + f / 16), and its value. */
static double put_half(unsigned char *at)
{
    const unsigned e5 = 12 + (unsigned)below(4), f = (unsigned)below(16);
    const unsigned bits = (unsigned)below(2) << 15 | e5 << 10 | f << 6;
    at[0] = (unsigned char)bits;
    at[1] = (unsigned char)(bits >> 8);
    return (bits >> 15 ? -1 : 1) * ldexp(1 + f / 16.0, (int)e5 - 15);
}

static double half_at(const unsigned char *at)
{
    const unsigned bits = at[0] | (unsigned)at[1] << 8;
    return (bits >> 15 ? -1 : 1) * ldexp(1 + (bits & 1023) / 1024.0, (int)(bits >> 10 & 31) - 15);
}

static void draw_blocks(const pair *p)
{
    for (size_t i = 0; i < sizeof right; i++) right[i] = (unsigned char)below(256);
    for (size_t i = 0; i < sizeof left; i++) left[i] = (unsigned char)below(256);
    for (size_t n = 0; n < (size_t)N * BLOCKS; n++) {
        unsigned char *const at = right + n * p->bytes;
        put_half(p->bytes == 210 ? at + 208 : at);
        if (p->minimum || (p->elements == 256 && p->bytes != 210)) put_half(at + 2);
    }
    for (size_t n = 0; n < (size_t)M * BLOCKS; n++) {
        unsigned char *const at = left + n * p->a_bytes;
        const float scale = (float)(n + 3) / 64;
        for (size_t l = 0; l < p->elements; l++)
            if (at[p->codes + l] == 128) at[p->codes + l] = 127;
        if (p->a_bytes != 292) {
            put_half(at);
            if (p->minimum) put_half(at + 2);
            continue;
        }
        memcpy(at, &scale, sizeof scale);
        for (size_t g = 0; g < 16; g++) {
            int sum = 0;
            for (size_t l = 0; l < 16; l++) sum += (signed char)at[4 + 16 * g + l];
            const int16_t stored = (int16_t)sum;
            memcpy(at + 260 + 2 * g, &stored, sizeof stored);
        }
    }
}

static double scale_of(const pair *p, const unsigned char *block)
{
    float scale;
    if (p->a_bytes != 292) return half_at(block);
    memcpy(&scale, block, sizeof scale);
    return (double)scale;
}

static real dot(const pair *p, size_t i, size_t j, real *terms)
{
    real sum = 0;
    *terms = 0;
    for (size_t n = 0; n < BLOCKS; n++) {
        const unsigned char *const x = left + (i * BLOCKS + n) * p->a_bytes;
        const unsigned char *const w = right + (j * BLOCKS + n) * p->bytes;
        const double m = p->minimum ? half_at(w + 2) : 0;
        for (size_t l = 0; l < p->elements; l++) {
            const real code = (signed char)x[p->codes + l];
            const real t =
                ((real)weights[j][n * p->elements + l] - m) * (real)scale_of(p, x) * code;
            sum += t;
            *terms += fabsl(t) + fabsl(m * (real)scale_of(p, x) * code);
        }
        if (p->minimum) sum += (real)m * (real)half_at(x + 2);
    }
    return sum;
}

/* Weights as dequant_row has them, each rounded to a float once. */
static void blocks_meet_blocks(void **unused)
{
    (void)unused;
    for (size_t t = 0; t < 8 * (sizeof pairs / sizeof *pairs); t++) {
        const pair *const p = &pairs[t / 8];
        const size_t row = BLOCKS * p->elements;
        draw_blocks(p);
        for (size_t j = 0; j < N; j++) {
            const ref_dequant_args args = { right + j * BLOCKS * p->bytes };
            ref_out out = { row, weights[j], ones, none };
            p->decode(&args, &(ref_tile){ 0, 1, 0, row }, specs, 1, &out);
        }
        for (size_t j = 0; j < N; j++) bias_b[j] = 0;
        const ref_gemm_q_args args = { left, right, bias_b, row, BLOCKS, BLOCKS };
        ref_out out = { M * N, v, term, e };
        p->product(&args, &(ref_tile){ 0, M, 0, N }, specs, 2, &out);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++) {
                real terms;
                const real sum = dot(p, i, j, &terms);
                is_near(i * N + j, sum, terms, 0x1p-23L);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_go_through_an_activation),
        TEST(gates_multiply_the_other_sum),
        TEST(specs_of_a_long_list_stand_alone),
        TEST(blocks_meet_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
