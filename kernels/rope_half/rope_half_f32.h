/* SPDX-License-Identifier: MIT */
/* The text of rope_half_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_ROPE_HALF_F32_H
#define CK_ROPE_HALF_F32_H

#include "rope_f32.h"

/* n pairs. y may be x: a pair is read before it is written. */
static inline void rope_half_some(float *y, const float *x, const float *c, const float *s,
                                  size_t half, size_t n)
{
    const ck_vf a = ck_vf_load_n(x, n, 0.0f), b = ck_vf_load_n(x + half, n, 0.0f);
    const rope_turned turned = rope_turn(a, b, ck_vf_load_n(c, n, 0.0f), ck_vf_load_n(s, n, 0.0f));
    ck_vf_store_n(y, turned.first, n);
    ck_vf_store_n(y + half, turned.second, n);
}

static inline void rope_half_row(float *y, const float *x, const float *c, const float *s,
                                 size_t half)
{
    size_t l = 0;
    for (; half - l >= CK_VF_LANES; l += CK_VF_LANES) {
        const rope_turned turned = rope_turn(ck_vf_load(x + l), ck_vf_load(x + half + l),
                                             ck_vf_load(c + l), ck_vf_load(s + l));
        ck_vf_store(y + l, turned.first);
        ck_vf_store(y + half + l, turned.second);
    }
    if (l < half) rope_half_some(y + l, x + l, c + l, s + l, half, half - l);
}

static inline void rope_half_some_strict(float *y, const float *x, const float *c, const float *s,
                                         size_t half, size_t n)
{
    const ck_vd a = ck_vd_load_n(x, n, 0.0f), b = ck_vd_load_n(x + half, n, 0.0f);
    const rope_turned_strict turned =
        rope_turn_strict(a, b, ck_vd_load_n(c, n, 0.0f), ck_vd_load_n(s, n, 0.0f));
    ck_vd_store_n(y, turned.first, n);
    ck_vd_store_n(y + half, turned.second, n);
}

static inline void rope_half_row_strict(float *y, const float *x, const float *c, const float *s,
                                        size_t half)
{
    size_t l = 0;
    for (; half - l >= CK_VD_LANES; l += CK_VD_LANES) {
        const rope_turned_strict turned = rope_turn_strict(
            ck_vd_load(x + l), ck_vd_load(x + half + l), ck_vd_load(c + l), ck_vd_load(s + l));
        ck_vd_store(y + l, turned.first);
        ck_vd_store(y + half + l, turned.second);
    }
    if (l < half) rope_half_some_strict(y + l, x + l, c + l, s + l, half, half - l);
}

static inline void rope_half_f32(const void *args) { rope_rows(args, rope_half_row); }
static inline void rope_half_f32_strict(const void *args) { rope_rows(args, rope_half_row_strict); }

#endif
