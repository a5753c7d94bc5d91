/* SPDX-License-Identifier: MIT */
/* Mutants of products after faults that other projects had, and near relations of these. Where each
 * comes from: docs/museum.md. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../half.h"
#include "ck_dtype.h"
#include "product.h"

/* Any order is promised, so that only the fault can be caught. */
static const ck_numspec any_order = {
    .lanes = 0, .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT, .alias = 1u << 3
};

/* --- f32: bodies of their own. */

typedef float sum_fn(const ck_gemm_args *g, size_t i, size_t j);
typedef float end_fn(const ck_gemm_args *g, size_t i, size_t j, float sum);

static void own_rows(const ck_gemm_args *g, sum_fn *sum, end_fn *end)
{
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] = end(g, i, j, sum(g, i, j));
}

static float right_sum(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++) sum += term(g, i, j, l);
    return sum;
}

/* Eight lanes, of which the upper four are not added up where the main loop ran. */
static float half_reduced(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++)
        if (g->k < 8 || l % 8 < 4 || l >= g->k / 8 * 8) sum += term(g, i, j, l);
    return sum;
}

static float last_lane_lost(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++)
        if (g->k % 32 || l % 8 < 7) sum += term(g, i, j, l);
    return sum;
}

/* The third of four vectors of an unrolled step takes a from the row before. */
static float other_row_in_slot(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++) {
        const bool slot = l < g->k / 32 * 32 && l / 8 % 4 == 2;
        sum += slot && i ? a_at(g, i - 1, l) * b_at(g, j, l) : term(g, i, j, l);
    }
    return sum;
}

/* Terms of the tail that begins a vector too early are added twice. */
static float tail_too_early(const ck_gemm_args *g, size_t i, size_t j)
{
    const size_t whole = g->k / 16 * 16;
    float sum = right_sum(g, i, j);
    for (size_t l = whole - 16; whole >= 16 && g->k % 16 == 9 && l < whole; l++)
        sum += term(g, i, j, l);
    return sum;
}

static float bf16_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isfinite(x)) bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Kept in the type of storage from term to term; or between chunks only. */
static float sum_in_bf16(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++) sum = bf16_of(sum + term(g, i, j, l));
    return sum;
}

static float chunks_in_bf16(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++) {
        sum += term(g, i, j, l);
        if (l % 256 == 255) sum = bf16_of(sum);
    }
    return sum;
}

/* Terms with a zero are left out, and with them the NaN of 0 times infinity. */
static float zeros_skipped(const ck_gemm_args *g, size_t i, size_t j)
{
    float sum = 0.0f;
    for (size_t l = 0; l < g->k; l++)
        if (a_at(g, i, l) != 0.0f) sum += term(g, i, j, l);
    return sum;
}

/* beta y + c for beta c + y, in whole vectors. */
static float operands_rotated(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    if (g->beta == 0.0f || j >= g->n / 8 * 8) return epilogue(g, i, j, sum);
    const float y = g->beta * (g->alpha * sum) + g->c[i * g->ldc + j];
    return g->bias ? y + g->bias[j] : y;
}

static float without_c(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    ck_gemm_args own = *g;
    own.beta = 0.0f;
    return epilogue(&own, i, j, sum);
}

/* beta c is added into a register that is not stored: the second of two vectors. */
static float c_not_stored(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    return (j / 8 % 2 && g->n >= 16 ? without_c : epilogue)(g, i, j, sum);
}

/* The address of the pointer for the pointer. */
static float c_is_its_address(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    float bits[2];
    ck_gemm_args own = *g;
    memcpy(bits, &g->c, sizeof bits);
    if (i || j > 1 || g->beta == 0.0f) return epilogue(g, i, j, sum);
    own.c = bits;
    return epilogue(&own, 0, j, sum);
}

static float beta_as_bf16(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    ck_gemm_args own = *g;
    own.beta = bf16_of(g->beta);
    return epilogue(&own, i, j, sum);
}

static float alpha_as_bf16(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    ck_gemm_args own = *g;
    own.alpha = bf16_of(g->alpha);
    return epilogue(&own, i, j, sum);
}

/* Minus zero is not zero by its bits. */
static float beta_by_bits(const ck_gemm_args *g, size_t i, size_t j, float sum)
{
    const float y = epilogue(g, i, j, sum);
    return g->beta == 0.0f && signbit(g->beta) ? y + g->beta * g->c[i * g->ldc + j] : y;
}

#define OWN(name, sum, end) \
    static void name(const void *args) { own_rows(args, sum, end); }
OWN(upper_half_dropped, half_reduced, epilogue)
OWN(last_lane_dropped, last_lane_lost, epilogue)
OWN(row_before_in_slot, other_row_in_slot, epilogue)
OWN(tail_from_vector_before, tail_too_early, epilogue)
OWN(accumulates_in_bf16, sum_in_bf16, epilogue)
OWN(chunks_kept_in_bf16, chunks_in_bf16, epilogue)
OWN(zero_skips_nan, zeros_skipped, epilogue)
OWN(fma_rotated, right_sum, operands_rotated)
OWN(beta_c_not_stored, right_sum, c_not_stored)
OWN(c_pointer_itself, right_sum, c_is_its_address)
OWN(beta_rounded, right_sum, beta_as_bf16)
OWN(alpha_rounded, right_sum, alpha_as_bf16)
OWN(minus_zero_reads_c, right_sum, beta_by_bits)
#undef OWN

/* y is complete before c is read, which may be y. */
static void two_passes(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] = g->alpha * right_sum(g, i, j);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            float *y = &g->y[i * g->ldy + j];
            if (g->beta != 0.0f) *y += g->beta * g->c[i * g->ldc + j];
            if (g->bias) *y += g->bias[j];
        }
}

/* --- f32: the right kernel on wrong arguments, or its results in wrong places. */

/* Row i anew from other arguments. */
static void row_from(const ck_gemm_args *g, size_t i, ck_gemm_args own)
{
    own.m = 1;
    own.y = g->y + i * g->ldy;
    if (g->c && g->beta != 0.0f) own.c = g->c + i * g->ldc;
    hn_wrapped(&own);
}

/* Columns of the tail take all rows from the first. */
static void tail_without_stride(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    for (size_t i = 1; g->y != g->c && i < g->m && g->n > 8; i++)
        for (size_t j = g->n / 8 * 8; j < g->n; j++)
            g->y[i * g->ldy + j] = epilogue(g, i, j, right_sum(g, 0, j));
}

/* A pointer to a is not moved on after 32 rows, for one width. */
static void block_not_advanced(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    for (size_t i = 32; g->n % 16 == 12 && i < g->m && i < 36; i++) row_from(g, i, *g);
}

/* With one term both layouts are alike, but for the distance of its factors. */
static void one_term_tight(const void *args)
{
    ck_gemm_args g = *(const ck_gemm_args *)args;
    if (g.k == 1 && !b_down()) g.ldb = 1;
    if (g.k > 1 && g.n == 1 && b_down()) g.ldb = 1;
    hn_wrapped(&g);
}

/* The second vector lies one element beyond the first. */
static void second_vector_beside(const void *args)
{
    const ck_gemm_args *g = args;
    float vector[8];
    hn_wrapped(g);
    for (size_t i = 0; g->n >= 16 && i < g->m; i++) {
        float *y = g->y + i * g->ldy;
        memcpy(vector, y + 8, sizeof vector);
        memcpy(y + 1, vector, sizeof vector);
    }
}

/* Of a tail of two and one, the one is the first lane again. */
static void shuffle_forgotten(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    for (size_t i = 0; g->n % 4 == 3 && i < g->m; i++)
        g->y[i * g->ldy + g->n - 1] = g->y[i * g->ldy + g->n - 3];
}

static void stores_whole_vectors(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    if (g->n % 8 == 7 && g->m % 2) g->y[(g->m - 1) * g->ldy + g->n] = 0.0f;
}

static void touch(const float *p) { (void)*(const volatile float *)p; }

/* One row, of which the kernel for two was made. */
static void second_row_read(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    if (g->m == 1 && g->k % 8)
        touch(g->a + (a_down() ? (g->k - 1) * g->lda + 1 : g->lda + g->k - 1));
}

/* Whole vectors of the last row, where both its terms and the rows have a tail. */
static void joint_tail_read(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    if (g->k % 8 == 0 || g->m % 4 == 0) return;
    touch(a_down() ? g->a + (g->k - 1) * g->lda + g->m : g->a + (g->m - 1) * g->lda + g->k);
}

/* What the next step would need, in the last one. */
static void loads_ahead(const void *args)
{
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    if (g->k >= 16 && g->k % 16 == 0)
        touch(b_down() ? g->b + g->k * g->ldb : g->b + (g->n - 1) * g->ldb + g->k);
}

static void returns_without_terms(const void *args)
{
    const ck_gemm_args *g = args;
    if (g->k > 0) hn_wrapped(g);
}

static void returns_without_alpha(const void *args)
{
    const ck_gemm_args *g = args;
    if (g->alpha != 0.0f || g->beta == 0.0f) hn_wrapped(g);
}

/* Rows of zeros are left as they were. */
static void zero_row_unwritten(const void *args)
{
    const ck_gemm_args *g = args;
    for (size_t i = 0; i < g->m; i++) {
        ck_gemm_args own = *g;
        bool zero = g->k > 0;
        for (size_t l = 0; l < g->k; l++) zero &= a_at(g, i, l) == 0.0f;
        own.a += a_down() ? i : i * g->lda;
        if (!zero) row_from(g, i, own);
    }
}

/* --- State that outlives a call. */

/* b is packed anew only if it lies elsewhere or has another shape. */
static void packed_for_pointer(const void *args)
{
    enum { MOST = 4096 };
    static float packed[MOST];
    static ck_gemm_args of;
    ck_gemm_args g = *(const ck_gemm_args *)args;
    const size_t rows = b_down() ? g.k : g.n, cols = b_down() ? g.n : g.k;
    if (rows * cols > MOST || rows * cols == 0) {
        hn_wrapped(args);
        return;
    }
    if (of.b != g.b || of.n != g.n || of.k != g.k || of.ldb != g.ldb)
        for (size_t r = 0; r < rows; r++)
            memcpy(packed + r * cols, g.b + r * g.ldb, cols * sizeof *packed);
    of = g;
    g.b = packed;
    g.ldb = cols;
    hn_wrapped(&g);
}

/* The tail of a row of a is padded to a vector with what the buffer held. */
static void pad_not_cleared(const void *args)
{
    enum { MOST = 4096 };
    static float row[MOST];
    const ck_gemm_args *g = args;
    hn_wrapped(g);
    if (g->k % 8 && g->k < MOST && g->m && row[g->k] != 0.0f && g->k % 8 == 5) g->y[0] += row[g->k];
    for (size_t l = 0; l < g->k && l < MOST; l++) row[l] = a_at(g, g->m - 1, l);
}

/* --- q8_0: one ascending chain. */

static const ck_numspec any_blocks = { .lanes = 0,
                                       .accs = 1,
                                       .k_multiple = CK_Q8_0_BLOCK,
                                       .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT };

typedef int32_t codes_fn(const int8_t *a, const int8_t *b);
typedef float block_fn(const unsigned char *a, const unsigned char *b, size_t l, size_t blocks,
                       codes_fn *codes);

static float right_block(const unsigned char *a, const unsigned char *b, size_t l, size_t blocks,
                         codes_fn *codes)
{
    int8_t qa[CK_Q8_0_BLOCK], qb[CK_Q8_0_BLOCK];
    memcpy(qa, a + 2, sizeof qa);
    memcpy(qb, b + 2, sizeof qb);
    (void)l;
    (void)blocks;
    return hn_half_value(a) * hn_half_value(b) * (float)codes(qa, qb);
}

/* Once for each of sixteen lanes: of every block, or of the last one of several. */
static float sixteen_times(const unsigned char *a, const unsigned char *b, size_t l, size_t blocks,
                           codes_fn *codes)
{
    return 16.0f * right_block(a, b, l, blocks, codes);
}

static float last_sixteen_times(const unsigned char *a, const unsigned char *b, size_t l,
                                size_t blocks, codes_fn *codes)
{
    const float y = right_block(a, b, l, blocks, codes);
    return l > 0 && l + 1 == blocks ? 16.0f * y : y;
}

static float negative_scale_lost(const unsigned char *a, const unsigned char *b, size_t l,
                                 size_t blocks, codes_fn *codes)
{
    const float y = right_block(a, b, l, blocks, codes);
    return (a[1] & b[1]) >> 7 ? -y : y;
}

/* The bits of the half as an integer. */
static float scale_as_integer(const unsigned char *a, const unsigned char *b, size_t l,
                              size_t blocks, codes_fn *codes)
{
    static const unsigned char one[2] = { 0, 0x3c };
    unsigned char block[CK_Q8_0_BYTES];
    memcpy(block, b, sizeof block);
    memcpy(block, one, sizeof one);
    if (l + 1 < blocks || hn_half_value(b) == 0.0f) return right_block(a, b, l, blocks, codes);
    return right_block(a, block, l, blocks, codes) * (float)(b[0] | b[1] << 8);
}

static void own_blocks(const ck_gemm_q_args *g, block_fn *block, codes_fn *codes)
{
    const size_t blocks = g->k / CK_Q8_0_BLOCK;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *a = (const unsigned char *)g->a + i * g->lda * CK_Q8_0_BYTES;
            const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * CK_Q8_0_BYTES;
            float sum = 0.0f;
            for (size_t l = 0; l < blocks; l++, a += CK_Q8_0_BYTES, b += CK_Q8_0_BYTES)
                sum += block(a, b, l, blocks, codes);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
}

static int32_t right_codes(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++) sum += a[e] * b[e];
    return sum;
}

/* Products that are `apart` from each other in one sum of 16 bits, which wraps. */
static int32_t wrapped_codes(const int8_t *a, const int8_t *b, size_t apart)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++)
        if (e / apart % 2 == 0) sum += (int16_t)(a[e] * b[e] + a[e + apart] * b[e + apart]);
    return sum;
}

static int32_t eight_apart(const int8_t *a, const int8_t *b) { return wrapped_codes(a, b, 8); }
static int32_t sixteen_apart(const int8_t *a, const int8_t *b) { return wrapped_codes(a, b, 16); }

/* Only the last lane is too narrow. */
static int32_t last_lane_wraps(const int8_t *a, const int8_t *b)
{
    const int32_t pair = a[30] * b[30] + a[31] * b[31];
    return right_codes(a, b) - pair + (int16_t)pair;
}

static int32_t unsigned_a(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++) sum += (uint8_t)a[e] * b[e];
    return sum;
}

static int32_t last_unsigned(const int8_t *a, const int8_t *b)
{
    return right_codes(a, b) + (b[31] < 0 ? 256 * a[31] : 0);
}

/* |a| in int8 times b with a's sign: |-128| is -128, and so is -(-128). */
static int32_t weight_sign_lost(const int8_t *a, const int8_t *b)
{
    int32_t sum = 0;
    for (size_t e = 0; e < CK_Q8_0_BLOCK; e++)
        sum += b[e] == -128 && a[e] < 0 ? -(a[e] * b[e]) : a[e] * b[e];
    return sum;
}

#define OWN(name, block, codes) \
    static void name(const void *args) { own_blocks(args, block, codes); }
OWN(sum_in_every_lane, sixteen_times, right_codes)
OWN(last_in_every_lane, last_sixteen_times, right_codes)
OWN(half_as_integer, scale_as_integer, right_codes)
OWN(both_scales_negative, negative_scale_lost, right_codes)
OWN(int16_eight_apart, right_block, eight_apart)
OWN(int16_sixteen_apart, right_block, sixteen_apart)
OWN(int16_last_lane, right_block, last_lane_wraps)
OWN(unsigned_activations, right_block, unsigned_a)
OWN(last_code_unsigned, right_block, last_unsigned)
OWN(sign_of_weight_128, right_block, weight_sign_lost)
#undef OWN

/* --- Weights in blocks. */

static const ck_numspec any_weights = {
    .lanes = 0, .accs = 1, .k_multiple = CK_K_BLOCK, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT
};

/* The last column takes its last block from where the stride of rows was multiplied too much. */
static void block_in_the_row_index(const void *args)
{
    const ck_gemm_w_args *g = args;
    const size_t blocks = g->k / hn_block->elements, j = g->n - 1;
    ck_gemm_w_args last = *g;
    hn_wrapped(g);
    if (blocks < 2 || j == 0) return;
    unsigned char *row = malloc(blocks * hn_block->bytes);
    const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * hn_block->bytes;
    memcpy(row, b, blocks * hn_block->bytes);
    memcpy(row + (blocks - 1) * hn_block->bytes, b - g->ldb * hn_block->bytes, hn_block->bytes);
    last.b = row;
    last.n = 1;
    last.y += j;
    if (g->bias) last.bias += j;
    if (g->c) last.c += j;
    hn_wrapped(&last);
    free(row);
}

/* Scale or minimum j of the twelve bytes b. */
static int six_bits(const unsigned char *b, size_t j, bool min)
{
    if (j < 4) return b[j + (min ? 4 : 0)] & 63;
    return (min ? b[4 + j] >> 4 : b[4 + j] & 15) | b[min ? j : j - 4] >> 6 << 4;
}

/* Each scale of q4_k covers one half of both sub-blocks of a pair; or the minimum only one half of
 * its own. */
static float half_pair(const float *a, const unsigned char *block, size_t pair, bool min_short)
{
    float y = 0.0f;
    for (size_t l = 0; l < 64; l++) {
        const size_t own = 2 * pair + l / 32, swapped = 2 * pair + l % 32 / 16;
        const int byte = block[16 + pair * 32 + l % 32], q = l < 32 ? byte & 15 : byte >> 4;
        const int s = six_bits(block + 4, min_short ? own : swapped, false);
        const int m = min_short && l % 32 >= 16 ? 0 : six_bits(block + 4, own, true);
        y += a[l] * (hn_half_value(block) * (float)(s * q) - hn_half_value(block + 2) * (float)m);
    }
    return y;
}

static void own_pairs(const ck_gemm_w_args *g, bool min_short)
{
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *b = (const unsigned char *)g->b + j * g->ldb * CK_Q4_K_BYTES;
            float sum = 0.0f;
            for (size_t l = 0; l < g->k; l += 64)
                sum += half_pair(g->a + i * g->lda + l, b + l / CK_K_BLOCK * CK_Q4_K_BYTES,
                                 l / 64 % 4, min_short);
            if (g->c) sum += g->c[i * g->ldc + j];
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
}

static void scales_by_halves(const void *args) { own_pairs(args, false); }
static void min_of_half(const void *args) { own_pairs(args, true); }

/* The fifth bit is not looked at but in the last block, which a loop for the rest does. */
static void fifth_bit_in_rest_only(const void *args)
{
    const ck_gemm_w_args *g = args;
    const size_t blocks = g->k / 32, bytes = g->n * g->ldb * CK_Q5_0_BYTES;
    ck_gemm_w_args own = *g;
    unsigned char *b = malloc(bytes + 1);
    for (size_t j = 0; j < g->n; j++)
        for (size_t l = 0; l < blocks; l++) {
            uint32_t part[HN_PARTS_MAX];
            const size_t at = (j * g->ldb + l) * CK_Q5_0_BYTES;
            for (size_t p = 0; p < hn_block->parts; p++)
                part[p] = (uint32_t)(int64_t)hn_part(hn_block, (const unsigned char *)g->b + at, p);
            for (size_t q = 1; q < hn_block->parts && l + 1 < blocks; q++)
                part[q] = (part[q] & 15) + 8;
            hn_pack(hn_block, part, b + at);
        }
    own.b = b;
    hn_wrapped(&own);
    free(b);
}

#define ON(ons, what, by)                                                                       \
    {                                                                                           \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = (by), .spec = NULL \
    }
#define OWN(ons, what, by, num)                                                                   \
    {                                                                                             \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = (by), .spec = &(num) \
    }
#define GEMM  "gemm_??_f32"
#define Q8    "gemm_nt_q8_0_q8_0"
#define MOVED (HN_BY_NUMBERS | HN_BY_PARTS | HN_BY(JUNK))
static const hn_mutant list[] = {
    OWN(GEMM, upper_half_dropped, HN_BY_NUMBERS, any_order),
    OWN(GEMM, last_lane_dropped, HN_BY_NUMBERS, any_order),
    OWN(GEMM, row_before_in_slot, MOVED, any_order),
    OWN(GEMM, tail_from_vector_before, HN_BY_NUMBERS, any_order),
    OWN(GEMM, accumulates_in_bf16, HN_BY_NUMBERS, any_order),
    OWN(GEMM, chunks_kept_in_bf16, HN_BY_NUMBERS, any_order),
    OWN(GEMM, zero_skips_nan, HN_BY(NAN), any_order),
    OWN(GEMM, fma_rotated, HN_BY_NUMBERS, any_order),
    OWN(GEMM, beta_c_not_stored, HN_BY_NUMBERS, any_order),
    OWN(GEMM, c_pointer_itself, MOVED | HN_BY(ALIAS), any_order),
    OWN(GEMM, beta_rounded, HN_BY(VALUE), any_order),
    OWN(GEMM, alpha_rounded, HN_BY(VALUE), any_order),
    OWN(GEMM, minus_zero_reads_c, HN_BY(JUNK), any_order),
    OWN(GEMM, two_passes, HN_BY(ALIAS), any_order),
    ON(GEMM, tail_without_stride, MOVED | HN_BY(ALIAS)),
    ON(GEMM, block_not_advanced, MOVED | HN_BY(ALIAS)),
    ON(GEMM, one_term_tight, MOVED),
    ON(GEMM, second_vector_beside, MOVED),
    ON(GEMM, shuffle_forgotten, MOVED),
    ON(GEMM, stores_whole_vectors, HN_BY(SLACK) | HN_BY(GUARD)),
    ON(GEMM, second_row_read, HN_BY(GUARD)),
    ON(GEMM, joint_tail_read, HN_BY(GUARD)),
    ON(GEMM, loads_ahead, HN_BY(GUARD)),
    ON(GEMM, returns_without_terms, HN_BY(UNWRITTEN)),
    ON(GEMM, returns_without_alpha, HN_BY(UNWRITTEN)),
    ON(GEMM, zero_row_unwritten, HN_BY(UNWRITTEN)),
    ON(GEMM, packed_for_pointer, MOVED | HN_BY(REPEAT) | HN_BY(ALIAS)),
    ON(GEMM, pad_not_cleared, MOVED | HN_BY(REPEAT) | HN_BY(PREFILL) | HN_BY(ALIAS)),
    OWN(Q8, sum_in_every_lane, HN_BY_NUMBERS, any_blocks),
    OWN(Q8, last_in_every_lane, HN_BY_NUMBERS, any_blocks),
    OWN(Q8, half_as_integer, HN_BY_NUMBERS, any_blocks),
    OWN(Q8, both_scales_negative, HN_BY_NUMBERS, any_blocks),
    OWN(Q8, int16_eight_apart, HN_BY(VALUE), any_blocks),
    OWN(Q8, int16_sixteen_apart, HN_BY(VALUE), any_blocks),
    OWN(Q8, int16_last_lane, HN_BY(VALUE), any_blocks),
    OWN(Q8, unsigned_activations, HN_BY_NUMBERS, any_blocks),
    OWN(Q8, last_code_unsigned, HN_BY_NUMBERS, any_blocks),
    OWN(Q8, sign_of_weight_128, HN_BY(VALUE), any_blocks),
    ON("gemm_nt_q4_k_f32 gemm_nt_q5_0_f32", block_in_the_row_index, MOVED),
    OWN("gemm_nt_q4_k_f32", scales_by_halves, HN_BY_NUMBERS, any_weights),
    OWN("gemm_nt_q4_k_f32", min_of_half, HN_BY_NUMBERS, any_weights),
    ON("gemm_nt_q5_0_f32", fifth_bit_in_rest_only, MOVED),
};
#undef ON
#undef OWN

const hn_mutants hn_mutants_history_product = { list, sizeof list / sizeof list[0] };
