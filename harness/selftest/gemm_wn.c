/* SPDX-License-Identifier: MIT */
/* Mutants of gemm_nn of weights in blocks: the gradient of activations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "mutant.h"

#define CHANGED(name, change)                               \
    static void name(const void *args)                      \
    {                                                       \
        ck_gemm_wn_args g = *(const ck_gemm_wn_args *)args; \
        change;                                             \
        hn_wrapped(&g);                                     \
    }
CHANGED(own, (void)g)
CHANGED(last_weight_row, g.k -= g.k > 1)
CHANGED(odd_weight_row, g.k -= g.k % 4 == 3)
CHANGED(last_block_column, g.n -= g.n > hn_block->elements ? hn_block->elements : 0)
CHANGED(last_gradient_row, g.m -= g.m > 1)
CHANGED(weights_tight, g.ldb = g.n / hn_block->elements)
CHANGED(gradients_tight, g.lda = g.k)
CHANGED(first_weight_row_for_all, g.ldb = 0)
CHANGED(first_gradient_row_for_all, g.lda = 0)
#undef CHANGED

/* --- The wrapped kernel on weights that are read wrongly. */

/* Changes the block in row l and column c of so many. */
typedef void fault_fn(unsigned char *block, size_t l, size_t c, size_t blocks);

static void misread(const void *args, fault_fn *fault)
{
    ck_gemm_wn_args g = *(const ck_gemm_wn_args *)args;
    const size_t blocks = g.n / hn_block->elements, bytes = hn_block->bytes;
    const unsigned char *from = g.b;
    unsigned char *all = malloc(g.k * blocks * bytes + 1);
    if (!all) exit(1);
    for (size_t l = 0; l < g.k; l++) {
        memcpy(all + l * blocks * bytes, from + l * g.ldb * bytes, blocks * bytes);
        for (size_t c = 0; c < blocks; c++) fault(all + (l * blocks + c) * bytes, l, c, blocks);
    }
    g.b = all;
    g.ldb = blocks;
    hn_wrapped(&g);
    free(all);
}

static void block_before(unsigned char *block, size_t l, size_t c, size_t blocks)
{
    (void)l;
    if (c + 1 == blocks && c > 0) memcpy(block, block - hn_block->bytes, hn_block->bytes);
}

static void scale_before(unsigned char *block, size_t l, size_t c, size_t blocks)
{
    (void)l;
    if (c + 1 == blocks && c > 0) memcpy(block, block - hn_block->bytes, 2);
}

static void scale_of_row_before(unsigned char *block, size_t l, size_t c, size_t blocks)
{
    if (l > 0 && c + 1 == blocks) memcpy(block, block - blocks * hn_block->bytes, 2);
}

static void no_minimum(unsigned char *block, size_t l, size_t c, size_t blocks)
{
    (void)l;
    if (c + 1 == blocks) block[2] = block[3] = 0;
}

static void last_code(unsigned char *block, size_t l, size_t c, size_t blocks)
{
    unsigned char *const last = block + hn_block->bytes - 1;
    (void)l;
    if (c + 1 == blocks) *last = (unsigned char)(*last << 4 | *last >> 4);
}

static void one_block_late(const void *args) { misread(args, block_before); }
static void scale_of_neighbour(const void *args) { misread(args, scale_before); }
static void scale_of_the_row_above(const void *args) { misread(args, scale_of_row_before); }
static void minimum_dropped(const void *args) { misread(args, no_minimum); }
static void last_nibbles_swapped(const void *args) { misread(args, last_code); }

/* --- Right weights, wrong sums. */

/* The gradient of inputs is overwritten, not added to. */
static void accumulates(const void *args)
{
    const ck_gemm_wn_args *g = args;
    float *last = g->y + (g->m - 1) * g->ldy + g->n - 1;
    const float old = *last;
    hn_wrapped(args);
    *last += old;
}

/* Gradients as bf16. */
static void gradients_in_brain(const void *args)
{
    ck_gemm_wn_args g = *(const ck_gemm_wn_args *)args;
    float *all = malloc((g.m * g.k + 1) * sizeof *all);
    if (!all) exit(1);
    for (size_t i = 0; i < g.m; i++)
        for (size_t l = 0; l < g.k; l++) {
            uint32_t bits;
            memcpy(&bits, &g.a[i * g.lda + l], sizeof bits);
            bits &= 0xffff0000u;
            memcpy(&all[i * g.k + l], &bits, sizeof bits);
        }
    g.a = all;
    g.lda = g.k;
    hn_wrapped(&g);
    free(all);
}

/* Whether no row of the gradient has anything for row l of the weights. */
static bool all_zero(const ck_gemm_wn_args *g, size_t l)
{
    for (size_t i = 0; i < g->m; i++)
        if (g->a[i * g->lda + l] != 0) return false;
    return true;
}

/* 0 times NaN or infinity left out. */
static void skips_zero_gradients(const void *args)
{
    ck_gemm_wn_args g = *(const ck_gemm_wn_args *)args;
    const size_t row = g.n / hn_block->elements * hn_block->bytes;
    const unsigned char *from = g.b;
    unsigned char *all = calloc(g.k * row + 1, 1);
    if (!all) exit(1);
    for (size_t l = 0; l < g.k; l++)
        if (!all_zero(&g, l)) memcpy(all + l * row, from + l * g.ldb * hn_block->bytes, row);
    g.b = all;
    g.ldb = g.n / hn_block->elements;
    hn_wrapped(&g);
    free(all);
}

/* Two chains, of even and odd rows of weights: another order than is declared. */
static void two_chains(const void *args)
{
    const ck_gemm_wn_args *g = args;
    ck_gemm_wn_args half = *g;
    float *a = calloc(g->m * g->k + 1, sizeof *a), *odd = malloc(g->m * g->n * sizeof *odd);
    if (!a || !odd) exit(1);
    half.a = a;
    half.lda = g->k;
    for (size_t way = 0; way < 2; way++) {
        for (size_t i = 0; i < g->m; i++)
            for (size_t l = 0; l < g->k; l++)
                a[i * g->k + l] = l % 2 == way ? g->a[i * g->lda + l] : 0;
        half.y = way ? odd : g->y;
        half.ldy = way ? g->n : g->ldy;
        hn_wrapped(&half);
    }
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] += odd[i * g->n + j];
    free(a);
    free(odd);
}

static void last_column_spoilt(const void *args)
{
    const ck_gemm_wn_args *g = args;
    hn_wrapped(args);
    float *last = g->y + (g->m - 1) * g->ldy + g->n - 1;
    *last = nextafterf(*last, INFINITY);
}

static void reads_weights_after(const void *args)
{
    const ck_gemm_wn_args *g = args;
    const unsigned char *b = g->b;
    hn_wrapped(args);
    if (g->k)
        (void)*(const volatile unsigned char *)(b +
                                                ((g->k - 1) * g->ldb + g->n / hn_block->elements) *
                                                    hn_block->bytes);
}

#define ALL "gemm_nn_q*_f32"
#define K   "gemm_nn_q4_k_f32 gemm_nn_q5_1_f32"
#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(own, K, HN_IN_BOTH, 0),
    ROW(last_weight_row, ALL, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(odd_weight_row, K, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(last_block_column, ALL, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_gradient_row, K, HN_IN_FAST, HN_BY(UNWRITTEN)),
    ROW(weights_tight, ALL, HN_IN_FAST, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(gradients_tight, K, HN_IN_FAST, HN_BY_NUMBERS | HN_BY(JUNK)),
    ROW(first_weight_row_for_all, K, HN_IN_FAST, HN_BY_NUMBERS | HN_BY(CRASH)),
    ROW(first_gradient_row_for_all, K, HN_IN_FAST, HN_BY_NUMBERS | HN_BY_PARTS | HN_BY(CRASH)),
    ROW(one_block_late, ALL, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(scale_of_neighbour, K, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(scale_of_the_row_above, K, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(minimum_dropped, K, HN_IN_FAST, HN_BY_NUMBERS),
    ROW(last_nibbles_swapped, K, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(accumulates, K, HN_IN_BOTH, HN_BY(PREFILL) | HN_BY(UNWRITTEN)),
    ROW(gradients_in_brain, K, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(skips_zero_gradients, K, HN_IN_FAST, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(two_chains, K, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(last_column_spoilt, ALL, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(reads_weights_after, K, HN_IN_FAST, HN_BY(GUARD)),
};
#undef ROW
#undef K
#undef ALL

const hn_mutants hn_mutants_gemm_wn = { list, sizeof list / sizeof list[0] };
