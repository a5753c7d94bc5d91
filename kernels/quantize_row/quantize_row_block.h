/* SPDX-License-Identifier: MIT */
/* quantize_row of the formats of 32 elements but q8_0, over the primitives of simd/. Formulas:
 * docs/formats.md. Codes are found as bytes, then packed. */
#ifndef CK_QUANTIZE_ROW_BLOCK_H
#define CK_QUANTIZE_ROW_BLOCK_H

#include <assert.h>
#include <float.h>
#include <string.h>

#include "ck_dtype.h"
#include "f16.h"
#include "kernel.h"
#include "quant.h"
#include "quantize_row/shared.h"
#include "strict.h"

#define CK_QUANTIZE_BLOCK_SPEC                                                                  \
    {                                                                                           \
        .lanes = 1, .accs = 1, .k_multiple = BLOCK,                                             \
        .flags =                                                                                \
            CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT, \
    }

enum { BLOCK = 32, HALF_NAN = 0x7e00 };

typedef void block_fn(unsigned char *y, const float *x);

static inline void quantize_blocks(const ck_quantize_args *q, size_t bytes, block_fn *block)
{
    unsigned char *y = q->y;

    assert(q->n % BLOCK == 0);
    for (size_t i = 0; i < q->n; i += BLOCK, y += bytes) block(y, q->x + i);
}

static inline void put_half(unsigned char *p, uint16_t bits) { memcpy(p, &bits, sizeof bits); }

/* Whether levels / size is finite: if size is above levels * 2^-128. */
static inline int divides(float levels, float size) { return size > levels * 0x1p-128f; }

/* Of codes j and 16 + j the low four bits become byte j; the fifth ones, in order, a word. */
static inline void pack_nibbles(unsigned char *qs, const unsigned char *q)
{
    for (int j = 0; j < 16; j++) qs[j] = (unsigned char)((q[j] & 15) | (q[16 + j] & 15) << 4);
}

static inline void pack_fifths(unsigned char *qh, const unsigned char *q)
{
    uint32_t word = 0;

    for (int e = 0; e < BLOCK; e++) word |= (uint32_t)(q[e] >> 4) << e;
    memcpy(qh, &word, sizeof word);
}

/* q4_0, q5_0: codes `zero` + RNE(x * (-zero / M)), M the first x of the greatest magnitude. */
static inline void signed_codes(unsigned char *d, unsigned char *q, const float *x, int zero)
{
    const int finite = all_finite(x, BLOCK);
    const float most = finite ? signed_most(x, BLOCK) : 0.0f, levels = (float)zero;
    const int some = divides(levels, most < 0.0f ? -most : most);

    put_half(d, !finite ? HALF_NAN : some ? f16_of_f32(most / -levels) : 0);
    if (some)
        codes(q, x, BLOCK, -levels / most, zero);
    else
        memset(q, zero, BLOCK);
    for (int e = 0; e < BLOCK; e++) q[e] = (unsigned char)(q[e] < 2 * zero ? q[e] : 2 * zero - 1);
}

/* q4_1, q5_1: codes RNE(RN(x - least) * (top / range)). No x is above the greatest, so no code is. */
static inline void offset_codes(unsigned char *d, unsigned char *q, const float *x, int top)
{
    const int finite = all_finite(x, BLOCK);
    const float levels = (float)top;
    float most = 0.0f, least = 0.0f;

    if (finite) extremes(&most, &least, x, BLOCK);
    const float range = most - least;
    const int spans = range <= FLT_MAX, some = divides(levels, range) && spans;
    const ck_vf inverse = ck_vf_set1(some ? levels / range : 0.0f), low = ck_vf_set1(least);
    put_half(d, !finite || !spans ? HALF_NAN : some ? f16_of_f32(range / levels) : 0);
    put_half(d + 2, !finite || !spans ? HALF_NAN : f16_of_f32(least + 0.0f));
    memset(q, 0, BLOCK);
    for (int e = 0; e < BLOCK && some; e += CK_VF_LANES) {
        const ck_vf above = ck_vf_sub(ck_vf_load(x + e), low);
        ck_vi_store_8(q + e, ck_vi_nearest(ck_vf_mul(above, inverse)));
    }
}

static inline void block_q4_0(unsigned char *y, const float *x)
{
    unsigned char q[BLOCK];

    signed_codes(y, q, x, 8);
    pack_nibbles(y + 2, q);
}

static inline void block_q5_0(unsigned char *y, const float *x)
{
    unsigned char q[BLOCK];

    signed_codes(y, q, x, 16);
    pack_fifths(y + 2, q);
    pack_nibbles(y + 6, q);
}

static inline void block_q4_1(unsigned char *y, const float *x)
{
    unsigned char q[BLOCK];

    offset_codes(y, q, x, 15);
    pack_nibbles(y + 4, q);
}

static inline void block_q5_1(unsigned char *y, const float *x)
{
    unsigned char q[BLOCK];

    offset_codes(y, q, x, 31);
    pack_fifths(y + 4, q);
    pack_nibbles(y + 8, q);
}

/* As q8_0, with the scale, before it is a half, times the sum of the codes. */
static inline void block_q8_1(unsigned char *y, const float *x)
{
    const int finite = all_finite(x, BLOCK);
    float most = 0.0f, least = 0.0f;

    if (finite) extremes(&most, &least, x, BLOCK);
    const float size = most > -least ? most : -least;
    const int some = divides(127.0f, size);
    int sum = 0;
    memset(y, 0, CK_Q8_1_BYTES);
    if (some) codes(y + 4, x, BLOCK, 127.0f / size, 0);
    for (int e = 0; e < BLOCK; e++) sum += (signed char)y[4 + e];
    put_half(y, !finite ? HALF_NAN : some ? f16_of_f32(size / 127.0f) : 0);
    put_half(y + 2, !finite ? HALF_NAN : some ? f16_of_f32(size / 127.0f * (float)sum) : 0);
}

static inline void quantize_row_q4_0(const void *args)
{
    quantize_blocks(args, CK_Q4_0_BYTES, block_q4_0);
}
static inline void quantize_row_q4_1(const void *args)
{
    quantize_blocks(args, CK_Q4_1_BYTES, block_q4_1);
}
static inline void quantize_row_q5_0(const void *args)
{
    quantize_blocks(args, CK_Q5_0_BYTES, block_q5_0);
}
static inline void quantize_row_q5_1(const void *args)
{
    quantize_blocks(args, CK_Q5_1_BYTES, block_q5_1);
}
static inline void quantize_row_q8_1(const void *args)
{
    quantize_blocks(args, CK_Q8_1_BYTES, block_q8_1);
}

#endif
