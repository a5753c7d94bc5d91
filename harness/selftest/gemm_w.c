/* SPDX-License-Identifier: MIT */
/* Mutants of gemm_nt of weights in blocks with f32 activations, shown by q4_k. */
#include <string.h>

#include "../half.h"
#include "ck_dtype.h"
#include "gemm.h"
#include "mutant.h"

enum { MOST_BLOCKS = 64 };

/* --- The wrapped kernel on wrong arguments. */

static void last_block(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    if (g.k / CK_K_BLOCK % 4 == 3) g.k -= CK_K_BLOCK;
    hn_wrapped(&g);
}

static void bias_ignored(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    g.bias = NULL;
    hn_wrapped(&g);
}

static void columns_by_k(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    g.ldb = g.k / CK_K_BLOCK;
    hn_wrapped(&g);
}

/* The last row starts where it would if rows were tight. */
static void last_row_of_a(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    hn_wrapped(args);
    if (g.lda <= g.k || g.m < 2) return;
    g.a += (g.m - 1) * g.k;
    g.y += (g.m - 1) * g.ldy;
    if (g.c) g.c += (g.m - 1) * g.ldc;
    g.m = 1;
    hn_wrapped(&g);
}

/* --- What is added. */

static void sum_ignored(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    g.c = NULL;
    hn_wrapped(&g);
}

/* The last row again, with what `c` points at. */
static void last_row_with(const ck_gemm_w_args *all, const float *c)
{
    ck_gemm_w_args g = *all;
    g.a = g.k ? g.a + (g.m - 1) * g.lda : g.a;
    g.y += (g.m - 1) * g.ldy;
    g.c = c;
    g.m = 1;
    hn_wrapped(&g);
}

static void sum_of_last_row_ignored(const void *args)
{
    const ck_gemm_w_args *g = args;
    hn_wrapped(args);
    if (g->c && g->m % 4 == 1) last_row_with(g, NULL);
}

static void sum_of_row_before(const void *args)
{
    const ck_gemm_w_args *g = args;
    hn_wrapped(args);
    if (g->c && g->m > 1) last_row_with(g, g->c + (g->m - 2) * g->ldc);
}

/* The stride of y is taken for that of c. */
static void sum_by_ldy(const void *args)
{
    const ck_gemm_w_args *g = args;
    hn_wrapped(args);
    if (g->c && g->m > 1 && g->ldy < g->ldc) last_row_with(g, g->c + (g->m - 1) * g->ldy);
}

static void sum_twice(const void *args)
{
    const ck_gemm_w_args *g = args;
    hn_wrapped(args);
    if (g->c) g->y[(g->m - 1) * g->ldy + g->n - 1] += g->c[(g->m - 1) * g->ldc + g->n - 1];
}

/* The bias of the last column is left out where something is added. */
static void sum_in_place_of_bias(const void *args)
{
    const ck_gemm_w_args *g = args;
    ck_gemm_w_args last = *g;
    hn_wrapped(args);
    if (!g->c || !g->bias) return;
    last.b = (const unsigned char *)g->b + (g->n - 1) * g->ldb * CK_Q4_K_BYTES;
    last.y += g->n - 1;
    last.c += g->n - 1;
    last.bias = NULL;
    last.n = 1;
    hn_wrapped(&last);
}

/* --- The wrapped kernel on weights of which the last block is read wrongly. */

/* The last block; the one before it, or itself if there is none. */
typedef void fault_fn(unsigned char *block, const unsigned char *before);

static void one_column(const ck_gemm_w_args *all, size_t j, fault_fn *fault)
{
    const size_t blocks = all->k / CK_K_BLOCK;
    unsigned char row[MOST_BLOCKS * CK_Q4_K_BYTES];
    ck_gemm_w_args g = *all;
    const unsigned char *b = (const unsigned char *)all->b + j * all->ldb * CK_Q4_K_BYTES;
    memcpy(row, b, blocks * CK_Q4_K_BYTES);
    unsigned char *last = row + (blocks - 1) * CK_Q4_K_BYTES;
    fault(last, blocks > 1 ? last - CK_Q4_K_BYTES : last);
    g.n = 1;
    g.b = row;
    g.y += j;
    if (g.bias) g.bias += j;
    if (g.c) g.c += j;
    hn_wrapped(&g);
}

static void misread(const void *args, fault_fn *fault)
{
    const ck_gemm_w_args *g = args;
    const size_t blocks = g->k / CK_K_BLOCK;
    hn_wrapped(args);
    for (size_t j = 0; blocks > 0 && blocks <= MOST_BLOCKS && j < g->n; j++)
        one_column(g, j, fault);
}

static void swap_nibbles(unsigned char *block, const unsigned char *before)
{
    unsigned char *const last = block + CK_Q4_K_BYTES - 1;
    (void)before;
    *last = (unsigned char)(*last << 4 | *last >> 4);
}

static void drop_min(unsigned char *block, const unsigned char *before)
{
    (void)before;
    block[2] = block[3] = 0;
}

static void other_d(unsigned char *block, const unsigned char *before) { memcpy(block, before, 2); }

/* Bytes 4 .. 15: the scale of sub-block 7 is four bits of byte 15 and two of byte 7. */
static void other_scale(unsigned char *block, const unsigned char *before)
{
    (void)before;
    block[15] = (unsigned char)((block[15] & 0xf0) | (block[14] & 0x0f));
    block[7] = (unsigned char)((block[7] & 0x3f) | (block[6] & 0xc0));
}

static void other_min(unsigned char *block, const unsigned char *before)
{
    (void)before;
    block[15] = (unsigned char)((block[15] & 0x0f) | (block[14] & 0xf0));
    block[11] = (unsigned char)((block[11] & 0x3f) | (block[10] & 0xc0));
}

static void lose_upper_bits(unsigned char *block, const unsigned char *before)
{
    (void)before;
    block[7] &= 0x3f;
}

static void infinite_to_nan(unsigned char *block, const unsigned char *before)
{
    (void)before;
    if (block[0] == 0 && (block[1] & 0x7f) == 0x7c) block[0] = 1;
}

static void wrong_nibble(const void *args) { misread(args, swap_nibbles); }
static void min_dropped(const void *args) { misread(args, drop_min); }
static void scale_of_neighbour(const void *args) { misread(args, other_d); }
static void wrong_sub_scale(const void *args) { misread(args, other_scale); }
static void wrong_sub_min(const void *args) { misread(args, other_min); }
static void infinity_lost(const void *args) { misread(args, infinite_to_nan); }
static void sub_scale_bits(const void *args) { misread(args, lose_upper_bits); }

/* --- A right kernel of unknown order: codes and minimums of sub-blocks apart, weights not rounded. */

static const ck_numspec any_order = {
    .lanes = 0, .accs = 1, .k_multiple = CK_K_BLOCK, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT
};

/* Scale and minimum j of the twelve bytes b. */
static void six_bits(const unsigned char *b, size_t j, int *s, int *m)
{
    *s = j < 4 ? b[j] & 63 : (b[4 + j] & 15) | b[j - 4] >> 6 << 4;
    *m = j < 4 ? b[4 + j] & 63 : b[4 + j] >> 4 | b[j] >> 6 << 4;
}

static float sub_block(const float *a, const unsigned char *block, size_t j)
{
    float scaled = 0.0f, plain = 0.0f;
    int s, m;
    six_bits(block + 4, j, &s, &m);
    for (size_t l = 0; l < 32; l++) {
        const int byte = block[16 + j / 2 * 32 + l];
        scaled += a[l] * (float)(j % 2 ? byte >> 4 : byte & 15);
        plain += a[l];
    }
    return hn_half_value(block) * (float)s * scaled - hn_half_value(block + 2) * (float)m * plain;
}

static void own(const void *args)
{
    const ck_gemm_w_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * CK_Q4_K_BYTES;
            float sum = 0.0f;
            for (size_t l = 0; l < g->k; l += 32)
                sum += sub_block(g->a + i * g->lda + l, b + l / CK_K_BLOCK * CK_Q4_K_BYTES,
                                 l / 32 % 8);
            if (g->c) sum += g->c[i * g->ldc + j];
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
}

/* Every result off by 10^-5 of itself where K is 4096. */
static void scale_error(const void *args)
{
    const ck_gemm_w_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; g->k == 4096 && i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] *= 1.00001f;
}

#define ROW(what, by)                                                                          \
    {                                                                                          \
        .name = #what, .on = "gemm_nt_q4_k_f32", .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
static const hn_mutant list[] = {
    ROW(last_block, HN_BY_NUMBERS),
    ROW(bias_ignored, HN_BY_NUMBERS),
    ROW(columns_by_k, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(last_row_of_a, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(sum_ignored, HN_BY_NUMBERS),
    ROW(sum_of_last_row_ignored, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(sum_of_row_before, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(sum_by_ldy, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(sum_twice, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(sum_in_place_of_bias, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(wrong_nibble, HN_BY_NUMBERS),
    ROW(min_dropped, HN_BY_NUMBERS),
    ROW(scale_of_neighbour, HN_BY_NUMBERS),
    ROW(wrong_sub_scale, HN_BY_NUMBERS),
    ROW(wrong_sub_min, HN_BY_NUMBERS),
    ROW(sub_scale_bits, HN_BY_NUMBERS),
    ROW(infinity_lost, HN_BY_NUMBERS),
    { .name = "scale_error",
      .on = "gemm_nt_q?_?_f32",
      .modes = HN_IN_BOTH,
      .fn = scale_error,
      .checks = HN_BY_NUMBERS },
    { .name = "own", .on = "gemm_nt_q4_k_f32", .modes = HN_IN_FAST, .fn = own, .spec = &any_order },
};
#undef ROW

const hn_mutants hn_mutants_gemm_w = { list, sizeof list / sizeof list[0] };
