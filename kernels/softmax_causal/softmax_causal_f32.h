/* SPDX-License-Identifier: MIT */
/* The text of softmax_causal_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_SOFTMAX_CAUSAL_F32_H
#define CK_SOFTMAX_CAUSAL_F32_H

#include <assert.h>
#include <math.h>

#include "simd/exp.h"
#include "softmax.h"

/* The greatest x[j] that is not NaN; -inf if there is none. */
static inline float softmax_max(const float *x, size_t n)
{
    ck_vf m = ck_vf_set1(-INFINITY);
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES) m = ck_vf_max(ck_vf_load(x + j), m);
    if (j < n) m = ck_vf_max(ck_vf_load_n(x + j, n - j, -INFINITY), m);
    return ck_vf_hmax(m);
}

/* A row without a maximum: all NaN if it holds one, else all -inf, whose result is 0. An integer
 * carries the finding: gcc 12 vectorises "if (x[j] != x[j]) value = NAN" to a max that drops it. */
static inline void softmax_degenerate(float *y, const float *x, size_t n)
{
    int nan = 0;
    for (size_t j = 0; j < n; j++) nan |= x[j] != x[j];
    for (size_t j = 0; j < n; j++) y[j] = nan ? NAN : 0.0f;
}

/* y may be x. A NaN, or +inf as inf - inf, makes the sum NaN and so the whole row. */
static inline void softmax_row(float *y, const float *x, size_t n)
{
    const float max = softmax_max(x, n);
    if (max == -INFINITY) {
        softmax_degenerate(y, x, n);
        return;
    }
    const ck_vf m = ck_vf_set1(max);
    ck_vf acc = ck_vf_set1(0.0f);
    size_t j = 0;
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES) {
        const ck_vf e = ck_vf_exp(ck_vf_sub(ck_vf_load(x + j), m));
        ck_vf_store(y + j, e);
        acc = ck_vf_add(acc, e);
    }
    if (j < n) { /* the lanes beyond n add exp(-inf) = 0 */
        const ck_vf e = ck_vf_exp(ck_vf_sub(ck_vf_load_n(x + j, n - j, -INFINITY), m));
        ck_vf_store_n(y + j, e, n - j);
        acc = ck_vf_add(acc, e);
    }
    const ck_vf sum = ck_vf_set1(ck_vf_sum(acc));
    for (j = 0; n - j >= CK_VF_LANES; j += CK_VF_LANES)
        ck_vf_store(y + j, ck_vf_div(ck_vf_load(y + j), sum));
    if (j < n) ck_vf_store_n(y + j, ck_vf_div(ck_vf_load_n(y + j, n - j, 0.0f), sum), n - j);
}

/* The exponentials are computed twice, to the same bits: there is no room to keep doubles. */
static inline void softmax_row_strict(float *y, const float *x, size_t n)
{
    const float max = softmax_max(x, n);
    if (max == -INFINITY) {
        softmax_degenerate(y, x, n);
        return;
    }
    const ck_vd16 m = ck_vd16_set1((double)max);
    ck_vd16 acc = ck_vd16_set1(0.0);
    size_t j = 0;
    for (; n - j >= 16; j += 16)
        acc = ck_vd16_add(acc, ck_vd16_exp(ck_vd16_sub(ck_vd16_load(x + j), m)));
    if (j < n) { /* the lanes beyond n add exp(-inf) = 0 */
        const ck_vd16 tail = ck_vd16_load_n(x + j, n - j, -INFINITY);
        acc = ck_vd16_add(acc, ck_vd16_exp(ck_vd16_sub(tail, m)));
    }
    const ck_vd16 sum = ck_vd16_set1(ck_vd16_sum(acc));
    for (j = 0; n - j >= 16; j += 16) {
        const ck_vd16 e = ck_vd16_exp(ck_vd16_sub(ck_vd16_load(x + j), m));
        ck_vd16_store(y + j, ck_vd16_div(e, sum));
    }
    if (j < n) {
        const ck_vd16 tail = ck_vd16_load_n(x + j, n - j, -INFINITY);
        const ck_vd16 e = ck_vd16_exp(ck_vd16_sub(tail, m));
        ck_vd16_store_n(y + j, ck_vd16_div(e, sum), n - j);
    }
}

/* All rows by `row`, a constant function, and the +0 beyond each row's diagonal. */
static inline void softmax_rows(const ck_softmax_args *s,
                                void (*row)(float *y, const float *x, size_t n))
{
    assert(s->heads == 0 || s->t == 0 || (s->x && s->y));
    assert(s->cols >= s->t && s->ldx >= s->t && s->ldy >= s->cols);
    assert(s->y != s->x || s->ldy == s->ldx);
    for (size_t h = 0; h < s->heads; h++)
        for (size_t i = 0; i < s->t; i++) {
            float *y = s->y + (h * s->t + i) * s->ldy;
            row(y, s->x + (h * s->t + i) * s->ldx, i + 1);
            for (size_t j = i + 1; j < s->cols; j++) y[j] = 0.0f;
        }
}

static inline void softmax_causal_f32(const void *args)
{
    const ck_softmax_args *s = args;
    softmax_rows(s, softmax_row);
}

static inline void softmax_causal_f32_strict(const void *args)
{
    const ck_softmax_args *s = args;
    softmax_rows(s, softmax_row_strict);
}

#endif
