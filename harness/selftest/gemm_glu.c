/* SPDX-License-Identifier: MIT */
/* Mutants of gemm_nt_swiglu_f32. */
#include <math.h>
#include <string.h>

#include "gemm.h"
#include "mutant.h"

/* --- The wrapped kernel on wrong arguments. */

static void k_tail(const void *args)
{
    ck_gemm_glu_args g = *(const ck_gemm_glu_args *)args;
    if (g.k % 8 == 7) g.k--;
    hn_wrapped(&g);
}

static void swapped(const void *args)
{
    const ck_gemm_glu_args *g = args;
    ck_gemm_glu_args other = *g;
    other.b = g->d, other.ldb = g->ldd, other.bias_b = g->bias_d;
    other.d = g->b, other.ldd = g->ldb, other.bias_d = g->bias_b;
    hn_wrapped(&other);
}

static void same_weights(const void *args)
{
    ck_gemm_glu_args g = *(const ck_gemm_glu_args *)args;
    g.d = g.b, g.ldd = g.ldb;
    hn_wrapped(&g);
}

static void d_by_ldb(const void *args)
{
    ck_gemm_glu_args g = *(const ck_gemm_glu_args *)args;
    if (g.ldb < g.ldd) g.ldd = g.ldb;
    hn_wrapped(&g);
}

static void swapped_biases(const void *args)
{
    const ck_gemm_glu_args *g = args;
    ck_gemm_glu_args other = *g;
    other.bias_b = g->bias_d;
    other.bias_d = g->bias_b;
    hn_wrapped(&other);
}

static void gate_bias_ignored(const void *args)
{
    ck_gemm_glu_args g = *(const ck_gemm_glu_args *)args;
    g.bias_b = NULL;
    hn_wrapped(&g);
}

static void up_bias_ignored(const void *args)
{
    ck_gemm_glu_args g = *(const ck_gemm_glu_args *)args;
    g.bias_d = NULL;
    hn_wrapped(&g);
}

/* The last column from the weights of the one before. */
static void last_column_of_d(const void *args)
{
    const ck_gemm_glu_args *g = args;
    ck_gemm_glu_args last = *g;
    hn_wrapped(args);
    if (g->n < 2) return;
    last.n = 1;
    last.y += g->n - 1;
    if (g->k) last.b += (g->n - 1) * g->ldb, last.d += (g->n - 2) * g->ldd;
    if (g->bias_b) last.bias_b += g->n - 1;
    if (g->bias_d) last.bias_d += g->n - 1;
    hn_wrapped(&last);
}

/* --- Bodies of its own, of any order; expf is good to an ulp, 2 u. */

static const ck_numspec any_order = {
    .lanes = 0,
    .accs = 1,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT | CK_NUM_TRUE_DIV,
    .rexp = 2,
};

typedef float glu_fn(float gate, float up);

static float sum_of(const float *a, const float *b, size_t k)
{
    float sum = 0.0f;
    for (size_t l = 0; l < k; l++) sum += a[l] * b[l];
    return sum;
}

/* The last column by `last`, the others by `glu`. */
static void own_with(const void *args, glu_fn *glu, glu_fn *last)
{
    const ck_gemm_glu_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const float *a = g->a + i * g->lda;
            float gate = sum_of(a, g->b + j * g->ldb, g->k),
                  up = sum_of(a, g->d + j * g->ldd, g->k);
            if (g->bias_b) gate += g->bias_b[j];
            if (g->bias_d) up += g->bias_d[j];
            g->y[i * g->ldy + j] = (j == g->n - 1 ? last : glu)(gate, up);
        }
}

static float silu(float x)
{
    const float e = expf(-fabsf(x));
    return isnan(x) ? x : fmaxf(x, -1e30f) * (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
static float swiglu(float gate, float up) { return silu(gate) * up; }
static float sigmoid_glu(float gate, float up) { return up / (1.0f + expf(-gate)); }
static float relu_glu(float gate, float up) { return (gate < 0.0f ? 0.0f : gate) * up; }
static float gate_alone(float gate, float up) { return (void)up, silu(gate); }
/* A result of eight significant bits between the two. */
static float short_gate(float gate, float up)
{
    const float x = silu(gate), split = 65537.0f * x;
    return (fabsf(x) < 1e30f ? split - (split - x) : x) * up;
}

static void own(const void *args) { own_with(args, swiglu, swiglu); }
static void sigmoid_only(const void *args) { own_with(args, sigmoid_glu, sigmoid_glu); }
static void relu_instead(const void *args) { own_with(args, relu_glu, relu_glu); }
static void last_column_gate(const void *args) { own_with(args, swiglu, gate_alone); }
static void gate_in_bf16(const void *args) { own_with(args, short_gate, short_gate); }

#define ROW(what, by)                                                                            \
    {                                                                                            \
        .name = #what, .on = "gemm_nt_swiglu_f32", .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
#define OWN(what, by)                                                                             \
    {                                                                                             \
        .name = #what, .on = "gemm_nt_swiglu_f32", .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &any_order                                                                        \
    }
static const hn_mutant list[] = {
    ROW(k_tail, HN_BY_NUMBERS),
    ROW(swapped, HN_BY_NUMBERS),
    ROW(same_weights, HN_BY_NUMBERS),
    ROW(d_by_ldb, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(swapped_biases, HN_BY_NUMBERS),
    ROW(gate_bias_ignored, HN_BY_NUMBERS),
    ROW(up_bias_ignored, HN_BY_NUMBERS),
    ROW(last_column_of_d, HN_BY_NUMBERS),
    OWN(own, 0),
    OWN(sigmoid_only, HN_BY_NUMBERS),
    OWN(relu_instead, HN_BY_NUMBERS),
    OWN(last_column_gate, HN_BY_NUMBERS),
    OWN(gate_in_bf16, HN_BY_NUMBERS),
};
#undef ROW
#undef OWN

const hn_mutants hn_mutants_gemm_glu = { list, sizeof list / sizeof list[0] };
