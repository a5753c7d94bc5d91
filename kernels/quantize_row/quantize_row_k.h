/* SPDX-License-Identifier: MIT */
/* quantize_row of the k formats, over the primitives of simd/. Extremes and codes are vectors, the
 * eight or sixteen scales of a block are not. Formulas: docs/formats.md. */
#ifndef CK_QUANTIZE_ROW_K_H
#define CK_QUANTIZE_ROW_K_H

#include <assert.h>

#include "ck_dtype.h"
#include "f16.h"
#include "quant.h"
#include "quantize_row/shared.h"
#include "scales_k.h"

typedef void block_k_fn(unsigned char *y, const float *x);

static inline void quantize_row_k(const ck_quantize_args *q, size_t bytes, block_k_fn *block)
{
    unsigned char *y = q->y;

    assert(q->n % CK_K_BLOCK == 0);
    for (size_t i = 0; i < q->n; i += CK_K_BLOCK, y += bytes) {
        memset(y, 0, bytes);
        block(y, q->x + i);
    }
}

static inline float most_k(const float *v, int n)
{
    float most = 0.0f;

    for (int j = 0; j < n; j++) most = v[j] > most ? v[j] : most;
    return most;
}

/* The least half that is not below v >= 0. */
static inline uint16_t half_above(float v)
{
    const uint16_t h = f16_of_f32(v);

    return (uint16_t)(h + (f32_bits(f16_to_f32(h)) < f32_bits(v)));
}

/* The integer not below RN(size / unit), 0 if the unit is; at most 127. */
static inline unsigned char scale_above(float size, float unit)
{
    const float t = unit > 0.0f ? size / unit : 0.0f;
    const int whole = (int)t;

    return (unsigned char)(whole + ((float)whole < t));
}

/* A block without codes: d alone, as everything else is 0 by now. Returns 0. */
static inline int scale_only(unsigned char *d, uint16_t bits)
{
    memcpy(d, &bits, sizeof bits);
    return 0;
}

enum { HALF_INF = 0x7c00, HALF_NAN = 0x7e00 };

/* q[i] = RNE((x[i] + rest) / step) of a sub-block; all 0 if step is 0. */
static inline void codes_q45_k(unsigned char *q, const float *x, float rest, float step)
{
    const ck_vf inverse = ck_vf_set1(step > 0.0f ? 1.0f / step : 0.0f), shift = ck_vf_set1(rest);

    for (int e = 0; e < 32; e += CK_VF_LANES) {
        const ck_vf t = ck_vf_mul(ck_vf_add(ck_vf_load(x + e), shift), inverse);
        ck_vi_store_8(q + e, ck_vi_nearest(t));
    }
}

/* Scales, minimums and the codes 0..levels, not packed yet. Returns 0 if the block has none. */
static inline int block_q45_k(unsigned char *y, unsigned char *q, const float *x, int levels)
{
    float low[8], high[8];
    scales_k k;

    if (!all_finite(x, CK_K_BLOCK)) return scale_only(y, HALF_NAN);
    for (int j = 0; j < 8; j++) {
        extremes(&high[j], &low[j], x + 32 * j, 32);
        low[j] = low[j] < 0.0f ? -low[j] : 0.0f;
    }
    const uint16_t dmin_bits = half_above(most_k(low, 8) / 63.0f);
    const float dmin = f16_to_f32(dmin_bits);
    if (dmin_bits == HALF_INF) return scale_only(y, HALF_INF);
    for (int j = 0; j < 8; j++) {
        k.m[j] = scale_above(low[j], dmin);
        high[j] += dmin * (float)k.m[j];
    }
    const uint16_t d_bits = half_above(most_k(high, 8) / (float)(63 * levels));
    const float d = f16_to_f32(d_bits);
    if (d_bits == HALF_INF) return scale_only(y, HALF_INF);
    for (int j = 0; j < 8; j++) {
        k.s[j] = scale_above(high[j], d * (float)levels);
        codes_q45_k(q + 32 * j, x + 32 * j, dmin * (float)k.m[j], d * (float)k.s[j]);
    }
    memcpy(y, &d_bits, sizeof d_bits);
    memcpy(y + 2, &dmin_bits, sizeof dmin_bits);
    scales_k_pack(y + 4, &k);
    return 1;
}

/* Sub-blocks in pairs: the low and the high nibbles of 32 bytes. */
static inline void pack_nibbles(unsigned char *qs, const unsigned char *q)
{
    for (int g = 0; g < 4; g++, q += 64)
        for (int l = 0; l < 32; l++)
            qs[32 * g + l] = (unsigned char)((q[l] & 15) | (q[32 + l] & 15) << 4);
}

static inline void block_q4_k(unsigned char *y, const float *x)
{
    unsigned char q[CK_K_BLOCK];

    if (block_q45_k(y, q, x, 15)) pack_nibbles(y + 16, q);
}

static inline void block_q5_k(unsigned char *y, const float *x)
{
    unsigned char q[CK_K_BLOCK];

    if (!block_q45_k(y, q, x, 31)) return;
    for (int j = 0; j < 8; j++)
        for (int l = 0; l < 32; l++) y[16 + l] |= (unsigned char)(q[32 * j + l] >> 4 << j);
    pack_nibbles(y + 48, q);
}

/* A half of the block is four runs of 32: the low nibbles of 64 bytes, then the high ones. */
static inline void pack_q6_k(unsigned char *ql, unsigned char *qh, const unsigned char *q)
{
    for (int l = 0; l < 64; l++) ql[l] = (unsigned char)((q[l] & 15) | (q[64 + l] & 15) << 4);
    for (int l = 0; l < 32; l++)
        qh[l] = (unsigned char)(q[l] >> 4 | q[32 + l] >> 4 << 2 | q[64 + l] >> 4 << 4 |
                                q[96 + l] >> 4 << 6);
}

static inline void block_q6_k(unsigned char *y, const float *x)
{
    unsigned char q[CK_K_BLOCK];
    float size[16];

    if (!all_finite(x, CK_K_BLOCK)) {
        scale_only(y + 208, HALF_NAN);
        return;
    }
    for (int j = 0; j < 16; j++) {
        float high, low;
        extremes(&high, &low, x + 16 * j, 16);
        size[j] = high > -low ? high : -low;
    }
    const uint16_t bits = half_above(most_k(size, 16) / (127.0f * 31.0f));
    const float d = f16_to_f32(bits);
    scale_only(y + 208, bits);
    if (bits == HALF_INF) return;
    for (int j = 0; j < 16; j++) {
        y[192 + j] = scale_above(size[j], d * 31.0f);
        const float step = d * (float)y[192 + j];
        codes(q + 16 * j, x + 16 * j, 16, step > 0.0f ? 1.0f / step : 0.0f, 32);
    }
    for (int h = 0; h < 2; h++) pack_q6_k(y + 64 * h, y + 128 + 32 * h, q + 128 * h);
}

/* The bits of the least magnitude that has a finite 127 / |x|. */
enum { Q8_K_MIN = 0x02fe0001 };

static inline void block_q8_k(unsigned char *y, const float *x)
{
    const uint32_t nan_bits = 0x7fc00000;

    if (!all_finite(x, CK_K_BLOCK)) {
        memcpy(y, &nan_bits, sizeof nan_bits);
        return;
    }
    const float most = signed_most(x, CK_K_BLOCK);
    if ((f32_bits(most) & 0x7fffffffu) < Q8_K_MIN) return;
    const float inverse = -127.0f / most, d = 1.0f / inverse;
    memcpy(y, &d, sizeof d);
    codes(y + 4, x, CK_K_BLOCK, inverse, 0);
    for (int n = 0; n < 16; n++) {
        int16_t sum = 0;
        for (int l = 0; l < 16; l++) sum = (int16_t)(sum + (signed char)y[4 + 16 * n + l]);
        memcpy(y + 260 + 2 * n, &sum, sizeof sum);
    }
}

static inline void quantize_row_q4_k(const void *args)
{
    quantize_row_k(args, CK_Q4_K_BYTES, block_q4_k);
}
static inline void quantize_row_q5_k(const void *args)
{
    quantize_row_k(args, CK_Q5_K_BYTES, block_q5_k);
}
static inline void quantize_row_q6_k(const void *args)
{
    quantize_row_k(args, CK_Q6_K_BYTES, block_q6_k);
}
static inline void quantize_row_q8_k(const void *args)
{
    quantize_row_k(args, CK_Q8_K_BYTES, block_q8_k);
}

#endif
