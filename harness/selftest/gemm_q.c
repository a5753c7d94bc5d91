/* SPDX-License-Identifier: MIT */
/* Mutants of gemm_nt_q8_0_q8_0 alone; those of all products of blocks are in dots.c. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <xmmintrin.h>

#include "../half.h"
#include "ck_dtype.h"
#include "gemm.h"
#include "mutant.h"

enum { QS = 2 };

/* --- Bodies of its own: one ascending chain, in which one step can be wrong. */

static const ck_numspec any_order = { .lanes = 0,
                                      .accs = 1,
                                      .k_multiple = CK_Q8_0_BLOCK,
                                      .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT };

typedef float scale_fn(const unsigned char *row, size_t block, size_t blocks);
typedef int32_t codes_fn(const int8_t *a, const int8_t *b);

static float right_scale(const unsigned char *row, size_t block, size_t blocks)
{
    (void)blocks;
    return hn_half_value(row + block * CK_Q8_0_BYTES);
}

static int32_t right_codes(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++) sum += a[e] * b[e];
    return sum;
}

static float own_dot(const unsigned char *a, const unsigned char *b, size_t blocks, scale_fn *scale,
                     codes_fn *codes)
{
    float sum = 0.0f;
    for (size_t l = 0; l < blocks; l++) {
        int8_t qa[CK_Q8_0_BLOCK], qb[CK_Q8_0_BLOCK];
        memcpy(qa, a + l * CK_Q8_0_BYTES + QS, sizeof qa);
        memcpy(qb, b + l * CK_Q8_0_BYTES + QS, sizeof qb);
        sum += scale(a, l, blocks) * right_scale(b, l, blocks) * (float)codes(qa, qb);
    }
    return sum;
}

static void own_rows(const ck_gemm_q_args *g, scale_fn *scale, codes_fn *codes)
{
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *a = (const unsigned char *)g->a + i * g->lda * CK_Q8_0_BYTES;
            const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * CK_Q8_0_BYTES;
            const float sum = own_dot(a, b, g->k / CK_Q8_0_BLOCK, scale, codes);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
}

static int16_t saturate(int32_t x)
{
    return (int16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}

/* Sums of pairs in int16, as PMADDUBSW makes them of activations moved up by 128. */
static int32_t saturated_codes(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e += 2)
        sum +=
            saturate((a[e] + 128) * b[e] + (a[e + 1] + 128) * b[e + 1]) - 128 * (b[e] + b[e + 1]);
    return sum;
}

/* The same of signed codes: only (-128)(-128) twice is too much. */
static int32_t barely_saturated_codes(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e += 2)
        sum += saturate(a[e] * b[e] + a[e + 1] * b[e + 1]);
    return sum;
}

/* |b| times a with the sign of b, in int8: -(-128) is -128. */
static int32_t sign_lost_codes(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++)
        sum += a[e] == -128 && b[e] < 0 ? -(a[e] * b[e]) : a[e] * b[e];
    return sum;
}

static int32_t short_codes(const int8_t *a, const int8_t *b)
{
    return right_codes(a, b) - a[CK_Q8_0_BLOCK - 1] * b[CK_Q8_0_BLOCK - 1];
}

/* The lowest bit of the last block's scale. */
static float scale_bit(const unsigned char *row, size_t block, size_t blocks)
{
    unsigned char half[2];
    memcpy(half, row + block * CK_Q8_0_BYTES, sizeof half);
    if (block == blocks - 1) half[0] &= 0xfe;
    return hn_half_value(half);
}

static float neighbour_scale(const unsigned char *row, size_t block, size_t blocks)
{
    return right_scale(row, block > 0 && block == blocks - 1 ? block - 1 : block, blocks);
}

static float flushed_scale(const unsigned char *row, size_t block, size_t blocks)
{
    const float d = right_scale(row, block, blocks);
    return fabsf(d) < 0x1p-14f ? 0.0f : d;
}

/* Exponent 31 taken as one more binade. */
static float finite_scale(const unsigned char *row, size_t block, size_t blocks)
{
    const float d = right_scale(row, block, blocks);
    return isfinite(d) ? d : 65536.0f;
}

static void own(const void *args) { own_rows(args, right_scale, right_codes); }
static void int16_saturation(const void *args) { own_rows(args, right_scale, saturated_codes); }
static void int16_barely(const void *args) { own_rows(args, right_scale, barely_saturated_codes); }
static void sign_of_minus_128(const void *args) { own_rows(args, right_scale, sign_lost_codes); }
static void last_code(const void *args) { own_rows(args, right_scale, short_codes); }
static void scale_bit_lost(const void *args) { own_rows(args, scale_bit, right_codes); }
static void scale_of_neighbour(const void *args) { own_rows(args, neighbour_scale, right_codes); }
static void subnormal_scale(const void *args) { own_rows(args, flushed_scale, right_codes); }
static void infinite_scale(const void *args) { own_rows(args, finite_scale, right_codes); }

/* The last row of several is summed from its end. */
static void batch_row(const void *args)
{
    const ck_gemm_q_args *g = args;
    const size_t blocks = g->k / CK_Q8_0_BLOCK, i = g->m - 1;
    own(args);
    for (size_t j = 0; g->m > 1 && j < g->n; j++) {
        const unsigned char *a = (const unsigned char *)g->a + i * g->lda * CK_Q8_0_BYTES;
        const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * CK_Q8_0_BYTES;
        float sum = 0.0f;
        for (size_t l = blocks; l-- > 0;)
            sum +=
                own_dot(a + l * CK_Q8_0_BYTES, b + l * CK_Q8_0_BYTES, 1, right_scale, right_codes);
        g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
    }
}

/* --- Strict. */

static void strict_chain(const void *args)
{
    const ck_gemm_q_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *a = (const unsigned char *)g->a + i * g->lda * CK_Q8_0_BYTES;
            const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * CK_Q8_0_BYTES;
            double y = 0.0;
            for (size_t l = g->k / CK_Q8_0_BLOCK; l-- > 0;) {
                int8_t qa[CK_Q8_0_BLOCK], qb[CK_Q8_0_BLOCK];
                memcpy(qa, a + l * CK_Q8_0_BYTES + QS, sizeof qa);
                memcpy(qb, b + l * CK_Q8_0_BYTES + QS, sizeof qb);
                y += (double)right_scale(a, l, 0) * (double)right_scale(b, l, 0) *
                     (double)right_codes(qa, qb);
            }
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

#define ROW(what, mode, by)                                                               \
    {                                                                                     \
        .name = #what, .on = "gemm_nt_q8_0_q8_0", .modes = mode, .fn = what, .checks = by \
    }
#define OWN(what, by)                                                                            \
    {                                                                                            \
        .name = #what, .on = "gemm_nt_q8_0_q8_0", .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &any_order                                                                       \
    }
static const hn_mutant list[] = {
    OWN(own, 0),
    OWN(int16_saturation, HN_BY(VALUE)),
    OWN(int16_barely, HN_BY(VALUE)),
    OWN(sign_of_minus_128, HN_BY(VALUE)),
    OWN(last_code, HN_BY_NUMBERS),
    OWN(scale_bit_lost, HN_BY_NUMBERS),
    OWN(scale_of_neighbour, HN_BY_NUMBERS),
    OWN(subnormal_scale, HN_BY_NUMBERS),
    OWN(infinite_scale, HN_BY_NUMBERS),
    OWN(batch_row, HN_BY_PARTS),
    ROW(strict_other_tree, HN_IN_STRICT, HN_BY(STRICT)),
    ROW(strict_chain, HN_IN_STRICT, HN_BY_NUMBERS),
};
#undef ROW
#undef OWN

const hn_mutants hn_mutants_gemm_q = { list, sizeof list / sizeof list[0] };
