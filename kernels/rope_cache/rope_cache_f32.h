/* SPDX-License-Identifier: MIT */
/* The text of rope_cache_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_ROPE_CACHE_F32_H
#define CK_ROPE_CACHE_F32_H

#include <assert.h>

#include "rope.h"
#include "simd/trig.h"
#include "strict.h"

/* theta^(-2l/d) for l = first, first + 1, ...: exp(-(2l/d) ln theta), the exponent in two doubles. */
static inline ck_vd rope_frequency(size_t first, size_t d, ck_vdd log)
{
    float twice[CK_VD_LANES];
    for (size_t l = 0; l < CK_VD_LANES; l++) twice[l] = (float)(2 * (first + l));
    return ck_vd_exp_minus(
        ck_vdd_mul(ck_vdd_quotient(ck_vd_load(twice), ck_vd_set1((double)d)), log));
}

/* f ((1 - s) / factor + s), s = (context f / (2 pi) - low) / (high - low) cut to [0, 1]. */
static inline ck_vd rope_scaled(const ck_rope_cache_args *g, ck_vd f)
{
    const ck_vd one = ck_vd_set1(1.0), zero = ck_vd_set1(0.0), low = ck_vd_set1((double)g->low);
    if (!(g->factor > 0.0f)) return f;
    const ck_vd turns = ck_vd_mul(ck_vd_mul(f, ck_vd_set1((double)g->context)),
                                  ck_vd_set1(0x1.45f306dc9c883p-3)); /* 1 / (2 pi) */
    const ck_vd span = ck_vd_sub(ck_vd_set1((double)g->high), low);
    ck_vd s = ck_vd_div(ck_vd_sub(turns, low), span);
    s = ck_vd_min(one, ck_vd_max(zero, s));
    const ck_vd slow = ck_vd_div(ck_vd_sub(one, s), ck_vd_set1((double)g->factor));
    return ck_vd_mul(f, ck_vd_add(slow, s));
}

/* Under strict mode's rounding. */
static inline void rope_cache_table(const void *args)
{
    const ck_rope_cache_args *g = args;
    const size_t half = g->d / 2;
    assert(g->t == 0 || half == 0 || (g->cos && g->sin && g->ldc >= half && g->lds >= half));
    assert(g->d % 2 == 0 && g->theta >= 1.0f && g->pos0 + g->t <= (size_t)1 << 24);
    assert(!(g->factor > 0.0f) || (g->factor >= 1.0f && g->low < g->high));
    const ck_vdd log = ck_vdd_log((double)g->theta);
    for (size_t l = 0; l < half; l += CK_VD_LANES) {
        const ck_vd frequency = rope_scaled(g, rope_frequency(l, g->d, log));
        const size_t n = half - l < CK_VD_LANES ? half - l : CK_VD_LANES;
        for (size_t i = 0; i < g->t; i++) {
            const ck_vd position = ck_vd_set1((double)(g->pos0 + i));
            const ck_vd_turn turn = ck_vd_turn_of(ck_vd_mul(position, frequency));
            ck_vd_store_n(g->cos + i * g->ldc + l, turn.cos, n);
            ck_vd_store_n(g->sin + i * g->lds + l, turn.sin, n);
        }
    }
}

/* A table is made once: there is nothing to gain by another rounding. */
static inline void rope_cache_f32(const void *args) { ck_strict_run(rope_cache_table, args); }
static inline void rope_cache_f32_strict(const void *args) { rope_cache_table(args); }

#endif
