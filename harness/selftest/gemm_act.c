/* SPDX-License-Identifier: MIT */
/* Mutants of the products with an activation. */
#include <math.h>
#include <string.h>
#include <xmmintrin.h>

#include "gemm.h"
#include "mutant.h"

static int is(const char *stem) { return strcmp(hn_wrapped_stem, stem) == 0; }

/* --- The wrapped kernel on wrong arguments. */

static void k_tail(const void *args)
{
    ck_gemm_act_args g = *(const ck_gemm_act_args *)args;
    if (g.k % 8 == 7) g.k--;
    hn_wrapped(&g);
}

/* The last row without its last term. */
static void last_row_k_tail(const void *args)
{
    ck_gemm_act_args g = *(const ck_gemm_act_args *)args, last = g;
    g.m--;
    hn_wrapped(&g);
    last.m = 1;
    last.y += g.m * g.ldy;
    if (last.k) last.a += g.m * g.lda, last.k--;
    hn_wrapped(&last);
}

static void b_tight(const void *args)
{
    ck_gemm_act_args g = *(const ck_gemm_act_args *)args;
    g.ldb = g.k;
    hn_wrapped(&g);
}

static void bias_ignored(const void *args)
{
    ck_gemm_act_args g = *(const ck_gemm_act_args *)args;
    g.bias = NULL;
    hn_wrapped(&g);
}

static void bias_after(const void *args)
{
    const ck_gemm_act_args *g = args;
    ck_gemm_act_args without = *g;
    without.bias = NULL;
    hn_wrapped(&without);
    for (size_t i = 0; g->bias && i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] += g->bias[j];
}

/* What the op's activation is. */
static float right(float x)
{
    const float t = is("gemm_nt_gelu_f32") ? 1.5957691f * x + 0.071354816f * x * x * x : x;
    const float e = expf(-fabsf(t));
    if (is("gemm_nt_relu_f32")) return x < 0.0f ? 0.0f : x;
    return fmaxf(x, -1e30f) * (t < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* --- Bodies of its own, of any order; expf is good to an ulp, 2 u. */

static const ck_numspec any_order = {
    .lanes = 0,
    .accs = 1,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT | CK_NUM_TRUE_DIV,
    .rexp = 2,
};

typedef float act_fn(float x, size_t j, size_t n);

static void own_with(const void *args, act_fn *act)
{
    const ck_gemm_act_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            float sum = 0.0f;
            for (size_t l = 0; l < g->k; l++) sum += g->a[i * g->lda + l] * g->b[j * g->ldb + l];
            g->y[i * g->ldy + j] = act(g->bias ? sum + g->bias[j] : sum, j, g->n);
        }
}

#define ACT(name) static float name(float x, size_t j, size_t n)
ACT(act_right) { return (void)j, (void)n, isnan(x) ? x : right(x); }
ACT(act_none) { return (void)j, (void)n, x; }
ACT(act_not_last) { return j == n - 1 || isnan(x) ? x : right(x); }
/* Whole vectors of eight only. */
ACT(act_not_tail) { return j >= n / 8 * 8 || isnan(x) ? x : right(x); }
ACT(act_leaky) { return (void)j, (void)n, x < 0.0f ? 0x1p-7f * x : x; }
ACT(act_capped) { return (void)j, (void)n, x > 6.0f ? 6.0f : x < 0.0f ? 0.0f : x; }
/* As max gives its other operand. */
ACT(act_drops_nan) { return (void)j, (void)n, x > 0.0f ? right(x) : isnan(x) ? 0.0f : right(x); }
ACT(act_keeps_infinity) { return (void)j, (void)n, x / (1.0f + expf(-x)); }
ACT(act_erf) { return (void)j, (void)n, 0.5f * x * (1.0f + erff(0.70710678f * x)); }
ACT(act_quick) { return (void)j, (void)n, x / (1.0f + expf(-1.702f * x)); }
/* A constant of five digits too few. */
ACT(act_other_cubic)
{
    const float t = 1.5957691f * x * (1.0f + 0.0447f * x * x);
    return (void)j, (void)n, x / (1.0f + expf(-t));
}
/* A reciprocal of twelve bits. */
ACT(act_reciprocal)
{
    const float e = 1.0f + expf(fminf(-x, 80.0f));
    return (void)j, (void)n, x * _mm_cvtss_f32(_mm_rcp_ss(_mm_set_ss(e)));
}
/* An exponential with one term of its series too few: 1.5 2^-19 off. */
ACT(act_short_exp) { return (void)j, (void)n, x / (1.0f + expf(-x) * (1.0f + 0x1.8p-19f)); }
#undef ACT

static void own(const void *args) { own_with(args, act_right); }
static void act_missing(const void *args) { own_with(args, act_none); }
static void last_column_plain(const void *args) { own_with(args, act_not_last); }
static void tail_plain(const void *args) { own_with(args, act_not_tail); }
static void leaky(const void *args) { own_with(args, act_leaky); }
static void capped(const void *args) { own_with(args, act_capped); }
static void drops_nan(const void *args) { own_with(args, act_drops_nan); }
static void infinity_by_infinity(const void *args) { own_with(args, act_keeps_infinity); }
static void erf_form(const void *args) { own_with(args, act_erf); }
static void quick_form(const void *args) { own_with(args, act_quick); }
static void other_cubic(const void *args) { own_with(args, act_other_cubic); }
static void short_reciprocal(const void *args) { own_with(args, act_reciprocal); }
static void short_exp(const void *args) { own_with(args, act_short_exp); }

/* --- Strict: the sum rounded to float before the activation. */
static void strict_rounded_twice(const void *args)
{
    const ck_gemm_act_args *g = args;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x1f80);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            double lane[16] = { 0 };
            for (size_t l = 0; l < g->k; l++)
                lane[l % 16] += (double)g->a[i * g->lda + l] * (double)g->b[j * g->ldb + l];
            for (size_t h = 8; h > 0; h /= 2)
                for (size_t l = 0; l < h; l++) lane[l] += lane[l + h];
            const double x = (double)(float)(g->bias ? lane[0] + (double)g->bias[j] : lane[0]);
            const double t =
                is("gemm_nt_gelu_f32") ? 1.5957691216057308 * (x + 0.044715 * x * x * x) : x;
            const double y = fmax(x, -1000.0) / (1.0 + exp(-t));
            g->y[i * g->ldy + j] = isnan(x) ? (float)NAN : (float)y;
        }
    _mm_setcsr(before);
}

#define ALL  "gemm_nt_relu_f32 gemm_nt_silu_f32 gemm_nt_gelu_f32"
#define GATE "gemm_nt_silu_f32 gemm_nt_gelu_f32"
#define ROW(what, by)                                                           \
    {                                                                           \
        .name = #what, .on = ALL, .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
#define OWN(what, ons, by)                                                       \
    {                                                                            \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &any_order                                                       \
    }
static const hn_mutant list[] = {
    ROW(k_tail, HN_BY_NUMBERS),
    ROW(last_row_k_tail, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(b_tight, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(bias_ignored, HN_BY_NUMBERS),
    ROW(bias_after, HN_BY_NUMBERS),
    OWN(own, ALL, 0),
    OWN(act_missing, ALL, HN_BY_NUMBERS),
    OWN(last_column_plain, ALL, HN_BY_NUMBERS),
    OWN(tail_plain, ALL, HN_BY_NUMBERS),
    OWN(leaky, "gemm_nt_relu_f32", HN_BY_NUMBERS),
    OWN(capped, "gemm_nt_relu_f32", HN_BY_NUMBERS),
    OWN(drops_nan, ALL, HN_BY(NAN)),
    OWN(infinity_by_infinity, "gemm_nt_silu_f32", HN_BY_NUMBERS),
    OWN(erf_form, "gemm_nt_gelu_f32", HN_BY_NUMBERS),
    OWN(quick_form, "gemm_nt_gelu_f32", HN_BY_NUMBERS),
    OWN(other_cubic, "gemm_nt_gelu_f32", HN_BY_NUMBERS),
    OWN(short_reciprocal, "gemm_nt_silu_f32", HN_BY_NUMBERS),
    OWN(short_exp, "gemm_nt_silu_f32", HN_BY_NUMBERS),
    { .name = "strict_rounded_twice",
      .on = GATE,
      .modes = HN_IN_STRICT,
      .fn = strict_rounded_twice,
      .checks = HN_BY(STRICT) | HN_BY(VALUE) },
};
#undef ROW
#undef OWN

const hn_mutants hn_mutants_gemm_act = { list, sizeof list / sizeof list[0] };
