/* SPDX-License-Identifier: MIT */
/* Mutants of gemv_f32. */
#include <math.h>
#include <stdlib.h>

#include "gemm.h"
#include "mutant.h"

static void k_tail(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    if (g.k % 8 == 7) g.k--;
    hn_wrapped(&g);
}

/* The last row from changed arguments, the others from the right ones. */
static void last_row_from(const ck_gemv_args *args, ck_gemv_args g)
{
    ck_gemv_args others = *args;
    const size_t last = --others.n;
    hn_wrapped(&others);
    g.n = 1;
    g.y = args->y + last;
    if (g.c) g.c = args->c + last;
    if (g.bias) g.bias = args->bias + last;
    hn_wrapped(&g);
}

static void last_row_k_tail(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    if (g.k) g.b += (g.n - 1) * g.ldb;
    g.k -= g.k > 0;
    last_row_from(args, g);
}

static void last_row_is_first(const void *args)
{
    last_row_from(args, *(const ck_gemv_args *)args);
}

static void b_tight(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    g.ldb = g.k;
    hn_wrapped(&g);
}

static void alpha_ignored(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    g.alpha = 1.0f;
    hn_wrapped(&g);
}

static void beta_ignored(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    g.beta = 0.0f;
    hn_wrapped(&g);
}

static void beta_is_one(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    if (g.beta != 0.0f) g.beta = 1.0f;
    hn_wrapped(&g);
}

static void bias_ignored(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    g.bias = NULL;
    hn_wrapped(&g);
}

static void bias_first_only(const void *args)
{
    ck_gemv_args g = *(const ck_gemv_args *)args;
    float *bias = g.bias ? malloc(g.n * sizeof *bias) : NULL;
    for (size_t j = 0; bias && j < g.n; j++) bias[j] = g.bias[0];
    g.bias = bias;
    hn_wrapped(&g);
    free(bias);
}

static void beta_zero_reads_c(const void *args)
{
    const ck_gemv_args *g = args;
    hn_wrapped(args);
    for (size_t j = 0; g->beta == 0.0f && g->c && j < g->n; j++) g->y[j] += 0.0f * g->c[j];
}

/* --- Bodies of its own: any order is promised, so that only the fault can be caught. */

static const ck_numspec any_order = {
    .lanes = 0, .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT, .alias = 1u << 3
};
/* What a kernel of 16 lanes declares. */
static const ck_numspec lanes = {
    .lanes = 16, .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT, .alias = 1u << 3
};

static void own_row(const ck_gemv_args *g, size_t j, int descending)
{
    float y = 0.0f;
    for (size_t l = 0; l < g->k; l++) {
        const size_t t = descending ? g->k - 1 - l : l;
        y += g->b[j * g->ldb + t] * g->x[t];
    }
    y *= g->alpha;
    if (g->beta != 0.0f) y += g->beta * g->c[j];
    if (g->bias) y += g->bias[j];
    g->y[j] = y;
}

static void own(const void *args)
{
    const ck_gemv_args *g = args;
    for (size_t j = 0; j < g->n; j++) own_row(g, j, 0);
}

/* The row that a group of several does not take is summed in another order. */
static void batch_row(const void *args)
{
    const ck_gemv_args *g = args;
    for (size_t j = 0; j < g->n; j++) own_row(g, j, g->n > 1 && j == g->n - 1);
}

/* One ascending double chain instead of 16 lanes. */
static void strict_chain(const void *args)
{
    const ck_gemv_args *g = args;
    for (size_t j = 0; j < g->n; j++) {
        double y = 0.0;
        for (size_t l = 0; l < g->k; l++) y += (double)g->b[j * g->ldb + l] * (double)g->x[l];
        y *= (double)g->alpha;
        if (g->beta != 0.0f) y += (double)g->beta * (double)g->c[j];
        if (g->bias) y += (double)g->bias[j];
        g->y[j] = isnan(y) ? (float)NAN : (float)y;
    }
}

#define ROW(what, mode, by)                                                      \
    {                                                                            \
        .name = #what, .on = "gemv_f32", .modes = mode, .fn = what, .checks = by \
    }
#define OWN(what, title, by, num)                                                       \
    {                                                                                   \
        .name = title, .on = "gemv_f32", .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &(num)                                                                  \
    }
static const hn_mutant list[] = {
    ROW(k_tail, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(last_row_k_tail, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(last_row_is_first, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(b_tight, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(alpha_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(beta_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(beta_is_one, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_first_only, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(beta_zero_reads_c, HN_IN_BOTH, HN_BY(JUNK)),
    OWN(own, "own", 0, any_order),
    OWN(own, "one_chain", HN_BY(VALUE), lanes),
    OWN(batch_row, "batch_row", HN_BY_PARTS, any_order),
    ROW(strict_chain, HN_IN_STRICT, HN_BY_NUMBERS),
};
#undef ROW
#undef OWN

const hn_mutants hn_mutants_gemv = { list, sizeof list / sizeof list[0] };
