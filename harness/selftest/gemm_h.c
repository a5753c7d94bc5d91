/* SPDX-License-Identifier: MIT */
/* Mutants of the products of 16-bit operands. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "../half.h"
#include "gemm.h"
#include "mutant.h"

static int half_type(void) { return strncmp(hn_wrapped_stem, "gemm_nt_f16", 11) == 0; }
/* What y is made of. */
static int rounds(void)
{
    const char *last = strrchr(hn_wrapped_stem, '_');
    return strcmp(last, "_f32") != 0;
}

/* --- The wrapped kernel on wrong arguments. */

static void k_tail(const void *args)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args;
    if (g.k % 8 == 7) g.k--;
    hn_wrapped(&g);
}

static void last_row_k_tail(const void *args)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args, last = g;
    g.m--;
    hn_wrapped(&g);
    last.m = 1;
    last.y = (unsigned char *)g.y + g.m * g.ldy * (rounds() ? 2 : 4);
    if (last.k) last.a = (const unsigned char *)g.a + 2 * g.m * g.lda, last.k--;
    hn_wrapped(&last);
}

static void b_tight(const void *args)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args;
    g.ldb = g.k;
    hn_wrapped(&g);
}

static void bias_ignored(const void *args)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args;
    g.bias = NULL;
    hn_wrapped(&g);
}

/* Operand a with one change to its 16 bits. */
typedef uint16_t change_fn(uint16_t bits);

static void with_other_a(const void *args, change_fn *change)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args;
    const unsigned char *from = g.a;
    uint16_t *a = malloc((g.m * g.k + 1) * sizeof *a);
    for (size_t i = 0; i < g.m; i++)
        for (size_t l = 0; l < g.k; l++) {
            memcpy(&a[i * g.k + l], from + 2 * (i * g.lda + l), sizeof *a);
            a[i * g.k + l] = change(a[i * g.k + l]);
        }
    g.a = a;
    g.lda = g.k;
    hn_wrapped(&g);
    free(a);
}

static uint16_t without_last_bit(uint16_t bits) { return bits & 0xfffe; }
static uint16_t swapped(uint16_t bits) { return (uint16_t)(bits << 8 | bits >> 8); }
/* As VDPBF16PS takes them. */
static uint16_t flushed(uint16_t bits)
{
    const unsigned exponent = half_type() ? 0x7c00u : 0x7f80u;
    return bits & exponent ? bits : bits & 0x8000u;
}

static void last_bit_lost(const void *args) { with_other_a(args, without_last_bit); }
static void bytes_swapped(const void *args) { with_other_a(args, swapped); }
static void subnormals_flushed(const void *args) { with_other_a(args, flushed); }

/* --- Bodies of its own, of any order. */

static const ck_numspec any_order = { .lanes = 0,
                                      .accs = 1,
                                      .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT };

static float value(const void *row, size_t i)
{
    const unsigned char *p = (const unsigned char *)row + 2 * i;
    const uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    return half_type() ? hn_half_value(p) : x;
}

/* To nearest even, cut, or ties away from 0. */
typedef enum way { NEAREST, CUT, AWAY } way;

static uint16_t brain_bits(float x, way how)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) return 0x7fc0;
    if (how == NEAREST) bits += 0x7fffu + (bits >> 16 & 1);
    if (how == AWAY) bits += 0x8000u;
    return (uint16_t)(bits >> 16);
}

static uint16_t half_bits(float x, way how)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const float mag = fabsf(x);
    if (isnan(x)) return 0x7e00;
    if (isinf(x)) return sign | 0x7c00;
    uint16_t bits = hn_half_bits(mag, how != NEAREST);
    /* half of the last place or more was cut */
    if (how == AWAY && bits < 0x7c00 && hn_half_of(bits + 1u) - mag <= mag - hn_half_of(bits))
        bits++;
    return sign | bits;
}

static void own_with(const void *args, way how, float factor)
{
    const ck_gemm_h_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            float sum = 0.0f;
            for (size_t l = 0; l < g->k; l++)
                sum += value(g->a, i * g->lda + l) * value(g->b, j * g->ldb + l);
            if (g->bias) sum += g->bias[j];
            sum *= j == g->n - 1 ? factor : 1.0f;
            const uint16_t bits = half_type() ? half_bits(sum, how) : brain_bits(sum, how);
            unsigned char *y = (unsigned char *)g->y + (i * g->ldy + j) * (rounds() ? 2 : 4);
            memcpy(y, rounds() ? (const void *)&bits : (const void *)&sum, rounds() ? 2 : 4);
        }
}

/* In the caller's mode hn_half_bits() would round as it does. */
static void own(const void *args)
{
    const unsigned before = _mm_getcsr();
    if (before & 0x6000u) _mm_setcsr(before & ~0x6000u);
    own_with(args, NEAREST, 1.0f);
    _mm_setcsr(before);
}
static void cut(const void *args) { own_with(args, CUT, 1.0f); }
static void ties_away(const void *args) { own_with(args, AWAY, 1.0f); }
static void last_column_off(const void *args) { own_with(args, NEAREST, 1.0f + 0x1p-9f); }

/* Sums in 16 bits. */
static void short_sums(const void *args)
{
    const ck_gemm_h_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            float sum = 0.0f;
            for (size_t l = 0; l < g->k; l++) {
                sum += value(g->a, i * g->lda + l) * value(g->b, j * g->ldb + l);
                const uint16_t bits =
                    half_type() ? half_bits(sum, NEAREST) : brain_bits(sum, NEAREST);
                sum = value(&bits, 0);
            }
            if (g->bias) sum += g->bias[j];
            const uint16_t bits = half_type() ? half_bits(sum, NEAREST) : brain_bits(sum, NEAREST);
            unsigned char *y = (unsigned char *)g->y + (i * g->ldy + j) * (rounds() ? 2 : 4);
            memcpy(y, rounds() ? (const void *)&bits : (const void *)&sum, rounds() ? 2 : 4);
        }
}

/* --- Weights of 16 bits with f32 activations. */

static void w_k_tail(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    if (g.k % 16 == 15) g.k--;
    hn_wrapped(&g);
}

/* Operand b with one change to its 16 bits. */
static void with_other_b(const void *args, change_fn *change)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    const unsigned char *from = g.b;
    uint16_t *b = malloc((g.n * g.k + 1) * sizeof *b);
    for (size_t j = 0; j < g.n; j++)
        for (size_t l = 0; l < g.k; l++) {
            memcpy(&b[j * g.k + l], from + 2 * (j * g.ldb + l), sizeof *b);
            b[j * g.k + l] = change(b[j * g.k + l]);
        }
    g.b = b;
    g.ldb = g.k;
    hn_wrapped(&g);
    free(b);
}

static void w_last_bit_lost(const void *args) { with_other_b(args, without_last_bit); }
static void w_subnormals_flushed(const void *args) { with_other_b(args, flushed); }

/* The activations rounded to the weights' type. */
static void w_activations_rounded(const void *args)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)args;
    float *a = malloc((g.m * g.k + 1) * sizeof *a);
    for (size_t i = 0; i < g.m; i++)
        for (size_t l = 0; l < g.k; l++) {
            const float x = g.a[i * g.lda + l];
            const uint16_t bits = half_type() ? half_bits(x, NEAREST) : brain_bits(x, NEAREST);
            a[i * g.k + l] = value(&bits, 0);
        }
    g.a = a;
    g.lda = g.k;
    hn_wrapped(&g);
    free(a);
}

/* --- What takes elements by twos, as VDPBF16PS does, and may flush. */

static const ck_numspec by_twos = { .lanes = 0,
                                    .accs = 1,
                                    .flags = CK_NUM_FTZ | CK_NUM_DAZ | CK_NUM_BATCH_INVARIANT };

static void odd_element_lost(const void *args)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args;
    g.k -= g.k % 2;
    hn_wrapped(&g);
}

/* The last two of the last row. */
static void last_two_swapped(const void *args)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)args;
    uint16_t *a = malloc((g.m * g.k + 1) * sizeof *a);
    if (!a) exit(1);
    for (size_t i = 0; g.k && i < g.m; i++)
        memcpy(a + i * g.k, (const unsigned char *)g.a + 2 * i * g.lda, 2 * g.k);
    if (g.k > 1) {
        uint16_t *const last = a + g.m * g.k - 2, kept = last[0];
        last[0] = last[1];
        last[1] = kept;
    }
    g.a = a;
    g.lda = g.k;
    hn_wrapped(&g);
    free(a);
}

#define ALL   "gemm_nt_bf16_bf16_* gemm_nt_f16_f16_*"
#define SHORT "gemm_nt_bf16_bf16_bf16 gemm_nt_f16_f16_f16"
#define ROW(what, by)                                                           \
    {                                                                           \
        .name = #what, .on = ALL, .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
#define WEIGHTS(what)                                                                             \
    {                                                                                             \
        .name = #what, .on = "gemm_nt_bf16_f32 gemm_nt_f16_f32", .modes = HN_IN_BOTH, .fn = what, \
        .checks = HN_BY_NUMBERS                                                                   \
    }
#define OWN(what, ons, by)                                                       \
    {                                                                            \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &any_order                                                       \
    }
#define TWOS(what, by)                                                                          \
    {                                                                                           \
        .name = #what "_by_twos", .on = "gemm_nt_bf16_bf16_*", .fn = what, .modes = HN_IN_FAST, \
        .checks = by, .spec = &by_twos                                                          \
    }
static const hn_mutant list[] = {
    TWOS(subnormals_flushed, 0),
    TWOS(odd_element_lost, HN_BY_NUMBERS),
    TWOS(last_two_swapped, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(k_tail, HN_BY_NUMBERS),
    ROW(last_row_k_tail, HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(b_tight, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(bias_ignored, HN_BY_NUMBERS),
    ROW(last_bit_lost, HN_BY_NUMBERS),
    ROW(bytes_swapped, HN_BY_NUMBERS),
    ROW(subnormals_flushed, HN_BY_NUMBERS),
    WEIGHTS(w_k_tail),
    WEIGHTS(w_last_bit_lost),
    WEIGHTS(w_subnormals_flushed),
    WEIGHTS(w_activations_rounded),
    OWN(own, ALL, 0),
    OWN(cut, SHORT, HN_BY_NUMBERS),
    OWN(ties_away, SHORT, HN_BY_NUMBERS),
    OWN(last_column_off, ALL, HN_BY_NUMBERS),
    OWN(short_sums, ALL, HN_BY_NUMBERS),
};
#undef ROW
#undef OWN
#undef WEIGHTS
#undef TWOS
#undef ALL
#undef SHORT

const hn_mutants hn_mutants_gemm_h = { list, sizeof list / sizeof list[0] };
