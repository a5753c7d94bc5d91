/* SPDX-License-Identifier: MIT */
/* dequant_row of the k formats, over the primitives of simd/. The products are exact, so that one
 * rounding is left, with FMA and without; it is the caller's, hence strict kernels set the mode. */
#ifndef CK_DEQUANT_ROW_K_H
#define CK_DEQUANT_ROW_K_H

#include <assert.h>

#include "ck_dtype.h"
#include "f16.h"
#include "quant.h"
#include "scales_k.h"

typedef void block_k_fn(float *y, const unsigned char *x);

static inline void dequant_row_k(const ck_dequant_args *d, size_t bytes, block_k_fn *block)
{
    const unsigned char *x = d->x;

    assert(d->n % CK_K_BLOCK == 0);
    for (size_t i = 0; i < d->n; i += CK_K_BLOCK, x += bytes) block(d->y + i, x);
}

/* q4_k, and q5_k where qh is not NULL. Nibbles of 32 bytes are two sub-blocks: low, then high. */
static inline void block_q45_k(float *y, const unsigned char *x, const unsigned char *qh,
                               const unsigned char *qs)
{
    const float d = f16_to_f32(f16_load(x)), dmin = f16_to_f32(f16_load(x + 2));
    const scales_k k = scales_k_unpack(x + 4);

    for (int j = 0; j < 8; j++) {
        const ck_vf scale = ck_vf_set1(d * (float)k.s[j]),
                    min = ck_vf_set1(-(dmin * (float)k.m[j]));
        for (int l = 0; l < 32; l += CK_VF_LANES, y += CK_VF_LANES) {
            ck_vi q = ck_vi_field(ck_vi_load_u8(qs + j / 2 * 32 + l), j % 2 * 4, 15);
            if (qh) q = ck_vi_join(q, ck_vi_field(ck_vi_load_u8(qh + l), j, 1), 0);
            ck_vf_store(y, ck_vf_one_nan(ck_vf_muladd(scale, ck_vi_to_f(q), min)));
        }
    }
}

static inline void block_q4_k(float *y, const unsigned char *x) { block_q45_k(y, x, NULL, x + 16); }
static inline void block_q5_k(float *y, const unsigned char *x)
{
    block_q45_k(y, x, x + 16, x + 48);
}

/* Runs of 32 elements, four of each half h: run r has nibble r / 2 of the bytes 32 (r % 2) on of the
 * half's ql, and the bits 2r, 2r + 1 of its qh. 32 is taken off as an integer: 0 has no sign. */
static inline void block_q6_k(float *y, const unsigned char *x)
{
    const float d = f16_to_f32(f16_load(x + 208));

    for (int e = 0; e < CK_K_BLOCK; e += CK_VF_LANES) {
        const int h = e / 128, r = e / 32 % 4, l = e % 32;
        const unsigned char *ql = x + 64 * h + 32 * (r % 2) + l, *qh = x + 128 + 32 * h + l;
        const ck_vi low = ck_vi_field(ck_vi_load_u8(ql), r / 2 * 4, 15);
        const ck_vi q = ck_vi_join(low, ck_vi_field(ck_vi_load_u8(qh), 2 * r, 3), 32);
        const ck_vf scale = ck_vf_set1(d * (float)(signed char)x[192 + e / 16]);
        ck_vf_store(y + e, ck_vf_one_nan(ck_vf_mul(scale, ck_vi_to_f(q))));
    }
}

static inline void block_q8_k(float *y, const unsigned char *x)
{
    float d;

    memcpy(&d, x, sizeof d);
    for (int e = 0; e < CK_K_BLOCK; e += CK_VF_LANES) {
        const ck_vf v = ck_vf_mul(ck_vf_set1(d), ck_vi_to_f(ck_vi_load_s8(x + 4 + e)));
        ck_vf_store(y + e, ck_vf_one_nan(v));
    }
}

static inline void dequant_row_q4_k(const void *args)
{
    dequant_row_k(args, CK_Q4_K_BYTES, block_q4_k);
}
static inline void dequant_row_q5_k(const void *args)
{
    dequant_row_k(args, CK_Q5_K_BYTES, block_q5_k);
}
static inline void dequant_row_q6_k(const void *args)
{
    dequant_row_k(args, CK_Q6_K_BYTES, block_q6_k);
}
static inline void dequant_row_q8_k(const void *args)
{
    dequant_row_k(args, CK_Q8_K_BYTES, block_q8_k);
}

#endif
