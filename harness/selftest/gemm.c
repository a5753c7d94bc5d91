/* SPDX-License-Identifier: MIT */
/* Mutants of gemm_nt_f32. */
#include "gemm.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "mutant.h"

/* --- The wrapped kernel on wrong arguments. */

/* The last term, for one residue. */
static void k_tail(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    if (g.k % 8 == 7) g.k--;
    hn_wrapped(&g);
}

static void k_head(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    if (g.k > 16) g.a++, g.b++, g.k--;
    hn_wrapped(&g);
}

/* The last row from changed arguments, the others from the right ones. */
static void last_row_from(const ck_gemm_args *args, ck_gemm_args g)
{
    ck_gemm_args others = *args;
    const size_t last = --others.m;
    hn_wrapped(&others);
    g.m = 1;
    g.y = args->y + last * args->ldy;
    if (g.c) g.c = args->c + last * args->ldc;
    hn_wrapped(&g);
}

static void last_row_k_tail(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    g.a += (g.m - 1) * g.lda;
    g.k -= g.k > 0;
    last_row_from(args, g);
}

/* The stride of the last row is that of the one before. */
static void last_row_of_a(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    if (g.lda <= g.k || g.m < 2) {
        hn_wrapped(args);
        return;
    }
    g.a += (g.m - 1) * g.k;
    last_row_from(args, g);
}

static void last_row_of_c(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    hn_wrapped(args);
    if (g.ldc <= g.n || g.m < 2 || g.beta == 0.0f || g.c == g.y) return;
    g.a += (g.m - 1) * g.lda;
    g.y += (g.m - 1) * g.ldy;
    g.c += (g.m - 1) * g.n;
    g.m = 1;
    hn_wrapped(&g);
}

static void columns_by_k(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    g.ldb = g.k;
    hn_wrapped(&g);
}

static void swapped_tail(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; g->n % 4 == 3 && i < g->m; i++) {
        float *pair = g->y + i * g->ldy + g->n - 2;
        const float first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }
}

static void alpha_ignored(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    g.alpha = 1.0f;
    hn_wrapped(&g);
}

static void beta_ignored(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    g.beta = 0.0f;
    hn_wrapped(&g);
}

static void beta_is_one(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    if (g.beta != 0.0f) g.beta = 1.0f;
    hn_wrapped(&g);
}

static void bias_ignored(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    g.bias = NULL;
    hn_wrapped(&g);
}

static void bias_first_only(const void *args)
{
    const ck_gemm_args *g = args;
    float *bias = g->bias ? malloc(g->n * sizeof *bias) : NULL;
    ck_gemm_args own = *g;
    for (size_t j = 0; bias && j < g->n; j++) bias[j] = g->bias[0];
    own.bias = bias;
    hn_wrapped(&own);
    free(bias);
}

/* Activations of eight significant bits. */
static void bf16_activations(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    float *a = malloc((g.m * g.k + 1) * sizeof *a);
    for (size_t i = 0; i < g.m; i++)
        for (size_t l = 0; l < g.k; l++) {
            uint32_t bits;
            memcpy(&bits, &g.a[i * g.lda + l], sizeof bits);
            bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
            if (isnan(g.a[i * g.lda + l])) bits = 0x7fc00000u;
            memcpy(&a[i * g.k + l], &bits, sizeof bits);
        }
    g.a = a;
    g.lda = g.k;
    hn_wrapped(&g);
    free(a);
}

/* --- Bodies of its own: any order is promised, so that only the fault can be caught. */

static const ck_numspec any_order = {
    .lanes = 0, .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT, .alias = 1u << 3
};

typedef float dot_fn(const float *a, const float *b, size_t k);

static float ascending(const float *a, const float *b, size_t k)
{
    float sum = 0.0f;
    for (size_t l = 0; l < k; l++) sum += a[l] * b[l];
    return sum;
}

static float descending(const float *a, const float *b, size_t k)
{
    float sum = 0.0f;
    for (size_t l = k; l-- > 0;) sum += a[l] * b[l];
    return sum;
}

/* Eight lanes, whose tail replaces what they hold. */
static float replaced_lanes(const float *a, const float *b, size_t k)
{
    float lane[8] = { 0 }, sum = 0.0f;
    const size_t whole = k / 8 * 8;
    for (size_t l = 0; l < whole; l++) lane[l % 8] += a[l] * b[l];
    for (size_t l = whole; l < k; l++) lane[l % 8] = a[l] * b[l];
    for (size_t i = 0; i < 8; i++) sum += lane[i];
    return sum;
}

static void own_row(const ck_gemm_args *g, size_t i, dot_fn *dot)
{
    for (size_t j = 0; j < g->n; j++) {
        float y = g->alpha * dot(g->a + i * g->lda, g->b + j * g->ldb, g->k);
        if (g->beta != 0.0f) y += g->beta * g->c[i * g->ldc + j];
        if (g->bias) y += g->bias[j];
        g->y[i * g->ldy + j] = y;
    }
}

static void own(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++) own_row(g, i, ascending);
}

static void lane_replaced(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++) own_row(g, i, replaced_lanes);
}

/* The row that a tile of several does not take is summed in another order. */
static void batch_row(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        own_row(g, i, g->m > 1 && i == g->m - 1 ? descending : ascending);
}

/* --- Strict kernels that keep the bound and not the bits, or not the mode. */

static void strict_chain(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            double y = 0.0;
            for (size_t l = 0; l < g->k; l++)
                y += (double)g->a[i * g->lda + l] * (double)g->b[j * g->ldb + l];
            y *= (double)g->alpha;
            if (g->beta != 0.0f) y += (double)g->beta * (double)g->c[i * g->ldc + j];
            if (g->bias) y += (double)g->bias[j];
            g->y[i * g->ldy + j] = isnan(y) ? (float)NAN : (float)y;
        }
}

static void strict_other_tree(const void *args)
{
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x1f80);
    strict_chain(args);
    _mm_setcsr(before);
}

#define ROW(what, mode, by)                                                         \
    {                                                                               \
        .name = #what, .on = "gemm_nt_f32", .modes = mode, .fn = what, .checks = by \
    }
#define OWN(what, by)                                                                      \
    {                                                                                      \
        .name = #what, .on = "gemm_nt_f32", .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &any_order                                                                 \
    }
static const hn_mutant list[] = {
    ROW(k_tail, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(k_head, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(last_row_k_tail, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY(BATCH)),
    ROW(last_row_of_a, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY(BATCH)),
    ROW(last_row_of_c, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY(BATCH)),
    ROW(columns_by_k, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(swapped_tail, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(alpha_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(beta_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(beta_is_one, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_first_only, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bf16_activations, HN_IN_BOTH, HN_BY_NUMBERS),
    OWN(own, 0),
    OWN(lane_replaced, HN_BY_NUMBERS),
    OWN(batch_row, HN_BY(BATCH)),
    ROW(strict_other_tree, HN_IN_STRICT, HN_BY(STRICT)),
    ROW(strict_chain, HN_IN_STRICT, HN_BY_NUMBERS),
};
#undef ROW
#undef OWN

const hn_mutants hn_mutants_gemm = { list, sizeof list / sizeof list[0] };
