/* SPDX-License-Identifier: MIT */
/* The text of rope_pair_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_ROPE_PAIR_F32_H
#define CK_ROPE_PAIR_F32_H

#include "rope_f32.h"

/* A vector of pairs. y may be x: a pair is read before it is written. */
static inline void rope_pair_vector(float *y, const float *x, ck_vf c, ck_vf s)
{
    ck_vf a, b;
    ck_vf_load_pairs(x, &a, &b);
    const rope_turned turned = rope_turn(a, b, c, s);
    ck_vf_store_pairs(y, turned.first, turned.second);
}

static inline void rope_pair_row(float *y, const float *x, const float *c, const float *s,
                                 size_t half)
{
    size_t l = 0;
    for (; half - l >= CK_VF_LANES; l += CK_VF_LANES)
        rope_pair_vector(y + 2 * l, x + 2 * l, ck_vf_load(c + l), ck_vf_load(s + l));
    if (l == half) return;
    float some[2 * CK_VF_LANES] = { 0.0f };
    const size_t n = half - l;
    memcpy(some, x + 2 * l, 2 * n * sizeof *some);
    rope_pair_vector(some, some, ck_vf_load_n(c + l, n, 0.0f), ck_vf_load_n(s + l, n, 0.0f));
    memcpy(y + 2 * l, some, 2 * n * sizeof *some);
}

static inline void rope_pair_row_strict(float *y, const float *x, const float *c, const float *s,
                                        size_t half)
{
    for (size_t l = 0; l < half; l += CK_VD_LANES) {
        const size_t n = half - l < CK_VD_LANES ? half - l : CK_VD_LANES;
        float first[CK_VD_LANES] = { 0.0f }, second[CK_VD_LANES] = { 0.0f };
        for (size_t k = 0; k < n; k++) {
            first[k] = x[2 * (l + k)];
            second[k] = x[2 * (l + k) + 1];
        }
        const rope_turned_strict turned =
            rope_turn_strict(ck_vd_load(first), ck_vd_load(second), ck_vd_load_n(c + l, n, 0.0f),
                             ck_vd_load_n(s + l, n, 0.0f));
        ck_vd_store(first, turned.first);
        ck_vd_store(second, turned.second);
        for (size_t k = 0; k < n; k++) {
            y[2 * (l + k)] = first[k];
            y[2 * (l + k) + 1] = second[k];
        }
    }
}

static inline void rope_pair_f32(const void *args) { rope_rows(args, rope_pair_row); }
static inline void rope_pair_f32_strict(const void *args) { rope_rows(args, rope_pair_row_strict); }

#endif
