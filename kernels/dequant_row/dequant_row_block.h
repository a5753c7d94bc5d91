/* SPDX-License-Identifier: MIT */
/* Values and rows of the formats of 32 elements, over the primitives of simd/; the kernels dequant_row of
 * q8_0 have their own text. d q is exact; with a minimum one rounding is left, with FMA and without, which
 * is the caller's: strict kernels set the mode. */
#ifndef CK_DEQUANT_ROW_BLOCK_H
#define CK_DEQUANT_ROW_BLOCK_H

#include <assert.h>

#include "ck_dtype.h"
#include "f16.h"
#include "kernel.h"
#include "quant.h"
#include "strict.h"

#define CK_DEQUANT_BLOCK_SPEC                                      \
    {                                                              \
        .lanes = 1, .accs = 1, .k_multiple = BLOCK,                \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT, \
    }

enum { BLOCK = 32 };

typedef void block_fn(float *y, const unsigned char *x);

static inline void dequant_blocks(const ck_dequant_args *d, size_t bytes, block_fn *block)
{
    const unsigned char *x = d->x;

    assert(d->n % BLOCK == 0);
    for (size_t i = 0; i < d->n; i += BLOCK, x += bytes) block(d->y + i, x);
}

static inline ck_vf half_at(const unsigned char *p) { return ck_vf_set1(f16_to_f32(f16_load(p))); }

/* Codes e .. e + CK_VF_LANES - 1, less `zero`, as integers: 0 has no sign. Nibbles: low ones of 16
 * bytes, then the high ones; above them, if there are any, the bits of qh in order. */
static inline ck_vi unpack(const unsigned char *qs, const unsigned char *qh, int e, int zero)
{
    const ck_vi low = ck_vi_field(ck_vi_load_u8(qs + e % 16), e / 16 * 4, 15);
    uint32_t fifths;

    if (!qh) return ck_vi_add(low, -zero);
    memcpy(&fifths, qh, sizeof fifths);
    return ck_vi_join(low, ck_vi_bits(fifths >> e), zero);
}

/* y = d q. */
static inline void scaled(float *y, ck_vf d, ck_vi q)
{
    ck_vf_store(y, ck_vf_one_nan(ck_vf_mul(d, ck_vi_to_f(q))));
}

/* y = d q + m. */
static inline void affine(float *y, ck_vf d, ck_vi q, ck_vf m)
{
    ck_vf_store(y, ck_vf_one_nan(ck_vf_muladd(d, ck_vi_to_f(q), m)));
}

static inline void block_q4_0(float *y, const unsigned char *x)
{
    for (int e = 0; e < BLOCK; e += CK_VF_LANES)
        scaled(y + e, half_at(x), unpack(x + 2, NULL, e, 8));
}

static inline void block_q4_1(float *y, const unsigned char *x)
{
    for (int e = 0; e < BLOCK; e += CK_VF_LANES)
        affine(y + e, half_at(x), unpack(x + 4, NULL, e, 0), half_at(x + 2));
}

static inline void block_q5_0(float *y, const unsigned char *x)
{
    for (int e = 0; e < BLOCK; e += CK_VF_LANES)
        scaled(y + e, half_at(x), unpack(x + 6, x + 2, e, 16));
}

static inline void block_q5_1(float *y, const unsigned char *x)
{
    for (int e = 0; e < BLOCK; e += CK_VF_LANES)
        affine(y + e, half_at(x), unpack(x + 8, x + 4, e, 0), half_at(x + 2));
}

static inline void block_q8_0(float *y, const unsigned char *x)
{
    for (int e = 0; e < BLOCK; e += CK_VF_LANES)
        scaled(y + e, half_at(x), ck_vi_load_s8(x + 2 + e));
}

static inline void block_q8_1(float *y, const unsigned char *x)
{
    for (int e = 0; e < BLOCK; e += CK_VF_LANES)
        scaled(y + e, half_at(x), ck_vi_load_s8(x + 4 + e));
}

static inline void dequant_row_q4_0(const void *args)
{
    dequant_blocks(args, CK_Q4_0_BYTES, block_q4_0);
}
static inline void dequant_row_q4_1(const void *args)
{
    dequant_blocks(args, CK_Q4_1_BYTES, block_q4_1);
}
static inline void dequant_row_q5_0(const void *args)
{
    dequant_blocks(args, CK_Q5_0_BYTES, block_q5_0);
}
static inline void dequant_row_q5_1(const void *args)
{
    dequant_blocks(args, CK_Q5_1_BYTES, block_q5_1);
}
static inline void dequant_row_q8_0(const void *args)
{
    dequant_blocks(args, CK_Q8_0_BYTES, block_q8_0);
}
static inline void dequant_row_q8_1(const void *args)
{
    dequant_blocks(args, CK_Q8_1_BYTES, block_q8_1);
}

#endif
