/* SPDX-License-Identifier: MIT */
/* Mutants of the f32 products. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "product.h"

/* Moves the operands to row i and term l. */
static void advance(ck_gemm_args *g, size_t i, size_t l)
{
    g->a += a_down() ? l * g->lda + i : i * g->lda + l;
    g->b += b_down() ? l * g->ldb : l;
}

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
    if (g.k > 16) advance(&g, 0, 1), g.k--;
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
    if (g.k) advance(&g, g.m - 1, 0);
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
    if (g.k) advance(&g, g.m - 1, 0);
    g.y += (g.m - 1) * g.ldy;
    g.c += (g.m - 1) * g.n;
    g.m = 1;
    hn_wrapped(&g);
}

/* The rows of b as if nothing lay between them. */
static void b_tight(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    g.ldb = b_down() ? g.n : g.k;
    hn_wrapped(&g);
}

/* The last term is one element to the right instead of one row down. */
static void last_term_beside(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    hn_wrapped(&g);
    if (g.k < 2 || g.n < 2) return;
    const float *b = g.b + (g.k - 2) * g.ldb + 1;
    for (size_t i = 0; i < g.m; i++) {
        const float a = a_at(&g, i, g.k - 1);
        g.y[i * g.ldy] += g.alpha * a * (b[0] - g.b[(g.k - 1) * g.ldb]);
    }
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
    const size_t rows = a_down() ? g.k : g.m, cols = a_down() ? g.m : g.k;
    float *a = malloc((rows * cols + 1) * sizeof *a);
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < cols; l++) {
            uint32_t bits;
            memcpy(&bits, &g.a[i * g.lda + l], sizeof bits);
            bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
            if (isnan(g.a[i * g.lda + l])) bits = 0x7fc00000u;
            memcpy(&a[i * cols + l], &bits, sizeof bits);
        }
    g.a = a;
    g.lda = cols;
    hn_wrapped(&g);
    free(a);
}

/* --- Bodies of its own: any order is promised, so that only the fault can be caught. */

static const ck_numspec any_order = {
    .lanes = 0, .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT, .alias = 1u << 3
};

/* One ascending chain, in chunks of 128: what the spec of the kernels says, but for the chunks. */
static const ck_numspec chunked = { .lanes = 1,
                                    .accs = 1,
                                    .kc = 128,
                                    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT,
                                    .alias = 1u << 3 };

typedef float sum_fn(const ck_gemm_args *g, size_t i, size_t j);

static float ascending(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++) sum += term(g, i, j, l);
    return sum;
}

static float descending(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = g->k; l-- > 0;) sum += term(g, i, j, l);
    return sum;
}

/* Chunks of `chunk` terms; the sums of those after the first replace what was there if `lost`. */
static float chunks(const ck_gemm_args *g, size_t i, size_t j, int lost)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l += 128) {
        float part = 0.0f;
        for (size_t t = l; t < g->k && t < l + 128; t++) part += term(g, i, j, t);
        sum = lost ? part : sum + part;
    }
    return sum;
}

static float in_chunks(const ck_gemm_args *g, size_t i, size_t j) { return chunks(g, i, j, 0); }
static float last_chunk(const ck_gemm_args *g, size_t i, size_t j) { return chunks(g, i, j, 1); }

/* Eight lanes, whose tail replaces what they hold. */
static float replaced_lanes(const ck_gemm_args *g, size_t i, size_t j)
{
    float lane[8] = { 0 }, sum = 0.0f;
    const size_t whole = g->k / 8 * 8;
    for (size_t l = 0; l < whole; l++) lane[l % 8] += term(g, i, j, l);
    for (size_t l = whole; l < g->k; l++) lane[l % 8] = term(g, i, j, l);
    for (size_t l = 0; l < 8; l++) sum += lane[l];
    return sum;
}

static void own_row(const ck_gemm_args *g, size_t i, sum_fn *sum)
{
    for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] = epilogue(g, i, j, sum(g, i, j));
}

static void own_rows(const void *args, sum_fn *sum)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++) own_row(g, i, sum);
}

static void own(const void *args) { own_rows(args, ascending); }
static void own_chunks(const void *args) { own_rows(args, in_chunks); }
static void last_chunk_only(const void *args) { own_rows(args, last_chunk); }
static void lane_replaced(const void *args) { own_rows(args, replaced_lanes); }

/* The row that a tile of several does not take is summed in another order. */
static void batch_row(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        own_row(g, i, g->m > 1 && i == g->m - 1 ? descending : ascending);
}

/* --- Strict kernels that keep the bound and not the bits, or not the mode. */

/* The terms l with l mod step = first, ascending. */
static double strict_part(const ck_gemm_args *g, size_t i, size_t j, size_t first, size_t step)
{
    double sum = 0.0;
    for (size_t l = first; l < g->k; l += step)
        sum += (double)a_at(g, i, l) * (double)b_at(g, j, l);
    return sum;
}

static void strict_sums(const ck_gemm_args *g, size_t chains)
{
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            double y = 0.0;
            for (size_t s = 0; s < chains; s++) y += strict_part(g, i, j, s, chains);
            y *= (double)g->alpha;
            if (g->beta != 0.0f) y += (double)g->beta * (double)g->c[i * g->ldc + j];
            if (g->bias) y += (double)g->bias[j];
            g->y[i * g->ldy + j] = isnan(y) ? (float)NAN : (float)y;
        }
}

/* In the caller's mode. */
static void strict_modeless(const void *args) { strict_sums(args, b_down() ? 1 : 16); }

static void strict_other_order(const void *args, size_t chains)
{
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x1f80);
    strict_sums(args, chains);
    _mm_setcsr(before);
}

/* The right order but for the tree; one chain where there should be lanes, two where there should be
 * one chain. */
static void strict_other_tree(const void *args) { strict_other_order(args, b_down() ? 2 : 1); }

#define ON(ons, what, mode, by)                                           \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
#define ROW(what, mode, by) ON("gemm_??_f32", what, mode, by)
#define OWN(what, by, num)                                                                 \
    {                                                                                      \
        .name = #what, .on = "gemm_??_f32", .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &(num)                                                                     \
    }
/* Where sums run down columns. */
#define DOWN "gemm_nn_f32 gemm_tn_f32"
static const hn_mutant list[] = {
    ROW(k_tail, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(k_head, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(last_row_k_tail, HN_IN_BOTH, HN_BY_NUMBERS | HN_BY_PARTS),
    ON("gemm_nt_f32 gemm_nn_f32", last_row_of_a, HN_IN_BOTH,
       HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(last_row_of_c, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(b_tight, HN_IN_BOTH, HN_BY(JUNK) | HN_BY_NUMBERS),
    ON(DOWN, last_term_beside, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(swapped_tail, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(alpha_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(beta_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(beta_is_one, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_ignored, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bias_first_only, HN_IN_BOTH, HN_BY_NUMBERS),
    ROW(bf16_activations, HN_IN_BOTH, HN_BY_NUMBERS),
    OWN(own, 0, any_order),
    OWN(own_chunks, 0, chunked),
    /* one_chain is own_chunks without its chunks: the declared height is too low */
    { .name = "one_chain",
      .on = "gemm_??_f32",
      .modes = HN_IN_FAST,
      .fn = own,
      .checks = HN_BY(VALUE),
      .spec = &chunked },
    OWN(last_chunk_only, HN_BY_NUMBERS, chunked),
    OWN(lane_replaced, HN_BY_NUMBERS, any_order),
    OWN(batch_row, HN_BY_PARTS, any_order),
    ROW(strict_other_tree, HN_IN_STRICT, HN_BY(STRICT)),
    ROW(strict_modeless, HN_IN_STRICT, HN_BY_NUMBERS),
};
#undef ON
#undef ROW
#undef OWN

const hn_mutants hn_mutants_gemm = { list, sizeof list / sizeof list[0] };
