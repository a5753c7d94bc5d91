/* SPDX-License-Identifier: MIT */
/* The text of rope_half_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_ROPE_HALF_F32_H
#define CK_ROPE_HALF_F32_H

#include "rope_f32.h"

/* a c - b s and b c + a s of n pairs. y may be x: a pair is read before it is written. */
static inline void rope_half_some(float *y, const float *x, const float *c, const float *s,
                                  size_t half, size_t n)
{
    const ck_vf a = ck_vf_load_n(x, n, 0.0f), b = ck_vf_load_n(x + half, n, 0.0f);
    const ck_vf cv = ck_vf_load_n(c, n, 0.0f), sv = ck_vf_load_n(s, n, 0.0f);
    const ck_vf minus = ck_vf_sub(ck_vf_set1(-0.0f), ck_vf_mul(b, sv));
    ck_vf_store_n(y, ck_vf_muladd(a, cv, minus), n);
    ck_vf_store_n(y + half, ck_vf_muladd(b, cv, ck_vf_mul(a, sv)), n);
}

static inline void rope_half_row(float *y, const float *x, const float *c, const float *s,
                                 size_t half)
{
    size_t l = 0;
    for (; half - l >= CK_VF_LANES; l += CK_VF_LANES)
        rope_half_some(y + l, x + l, c + l, s + l, half, CK_VF_LANES);
    if (l < half) rope_half_some(y + l, x + l, c + l, s + l, half, half - l);
}

static inline void rope_half_some_strict(float *y, const float *x, const float *c, const float *s,
                                         size_t half, size_t n)
{
    const ck_vd a = ck_vd_load_n(x, n, 0.0f), b = ck_vd_load_n(x + half, n, 0.0f);
    const ck_vd cv = ck_vd_load_n(c, n, 0.0f), sv = ck_vd_load_n(s, n, 0.0f);
    ck_vd_store_n(y, ck_vd_sub(ck_vd_mul(a, cv), ck_vd_mul(b, sv)), n);
    ck_vd_store_n(y + half, ck_vd_add(ck_vd_mul(b, cv), ck_vd_mul(a, sv)), n);
}

static inline void rope_half_row_strict(float *y, const float *x, const float *c, const float *s,
                                        size_t half)
{
    for (size_t l = 0; l < half; l += CK_VD_LANES)
        rope_half_some_strict(y + l, x + l, c + l, s + l, half,
                              half - l < CK_VD_LANES ? half - l : CK_VD_LANES);
}

static inline void rope_half_f32(const void *args) { rope_rows(args, rope_half_row); }
static inline void rope_half_f32_strict(const void *args) { rope_rows(args, rope_half_row_strict); }

#endif
