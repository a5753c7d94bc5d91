/* SPDX-License-Identifier: MIT */
/* The text of softmax_cross_entropy_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_SOFTMAX_CROSS_ENTROPY_F32_H
#define CK_SOFTMAX_CROSS_ENTROPY_F32_H

#include <assert.h>
#include <math.h>

#include "loss.h"
#include "simd/exp.h"
#include "simd/log.h"
#include "strict.h"

/* A row that counts. */
typedef struct loss_row {
    float *dx; /* NULL: not wanted */
    const float *x;
    size_t v, target;
    float n; /* rows that count */
} loss_row;

/* A one at 15: sixteen floats from 15 - l on have it in lane l, from 0 on lanes before it. */
static const float loss_hot[32] = { [15] = 1.0f };

/* The one of the target in a vector at column j. */
static inline const float *loss_hot_at(const loss_row *r, size_t j)
{
    const size_t lane = r->target - j; /* wraps where the target lies before */
    return loss_hot + (lane < 16 ? 15 - lane : 16);
}

/* The greatest x[j] that is not NaN; -inf if there is none. */
static inline float loss_max(const float *x, size_t v)
{
    ck_vf m = ck_vf_set1(-INFINITY);
    size_t j = 0;
    for (; v - j >= CK_VF_LANES; j += CK_VF_LANES) m = ck_vf_max(ck_vf_load(x + j), m);
    if (j < v) m = ck_vf_max(ck_vf_load_n(x + j, v - j, -INFINITY), m);
    return ck_vf_hmax(m);
}

/* log(D) + (m - x of the target). A row without a maximum, -inf - -inf, is NaN as the others are that hold
 * one. */
static inline double loss_of(double sum, float max, float x)
{
    return ck_d_log(sum) + ((double)max - (double)x);
}

/* Of e at column j: its gradient. */
static inline ck_vf loss_gradient(const loss_row *r, size_t j, ck_vf e, ck_vf sum)
{
    const ck_vf hot = ck_vf_load(loss_hot_at(r, j));
    return ck_vf_div(ck_vf_sub(ck_vf_div(e, sum), hot), ck_vf_set1(r->n));
}

static inline void loss_gradients(const loss_row *r, float total)
{
    const ck_vf sum = ck_vf_set1(total);
    const size_t v = r->v;
    size_t j = 0;
    for (; v - j >= CK_VF_LANES; j += CK_VF_LANES)
        ck_vf_store(r->dx + j, loss_gradient(r, j, ck_vf_load(r->dx + j), sum));
    if (j < v) {
        const ck_vf e = ck_vf_load_n(r->dx + j, v - j, 0.0f);
        ck_vf_store_n(r->dx + j, loss_gradient(r, j, e, sum), v - j);
    }
}

/* dx keeps the exponentials until the sum is known. */
static inline double loss_row_fast(const loss_row *r)
{
    const float max = loss_max(r->x, r->v);
    const ck_vf m = ck_vf_set1(max);
    const size_t v = r->v;
    ck_vf acc = ck_vf_set1(0.0f);
    size_t j = 0;
    for (; v - j >= CK_VF_LANES; j += CK_VF_LANES) {
        const ck_vf e = ck_vf_exp(ck_vf_sub(ck_vf_load(r->x + j), m));
        if (r->dx) ck_vf_store(r->dx + j, e);
        acc = ck_vf_add(acc, e);
    }
    if (j < v) { /* the lanes beyond v add exp(-inf) = 0 */
        const ck_vf e = ck_vf_exp(ck_vf_sub(ck_vf_load_n(r->x + j, v - j, -INFINITY), m));
        if (r->dx) ck_vf_store_n(r->dx + j, e, v - j);
        acc = ck_vf_add(acc, e);
    }
    const float total = ck_vf_sum(acc);
    if (r->dx) loss_gradients(r, total);
    return loss_of((double)total, max, r->x[r->target]);
}

/* exp(x[j..j+16) - m), 0 beyond v. */
static inline ck_vd16 loss_exp16(const loss_row *r, size_t j, ck_vd16 m)
{
    const size_t some = r->v - j < 16 ? r->v - j : 16;
    return ck_vd16_exp(ck_vd16_sub(ck_vd16_load_n(r->x + j, some, -INFINITY), m));
}

/* The exponentials are computed twice, to the same bits: there is no room to keep doubles. */
static inline double loss_row_strict(const loss_row *r)
{
    const float max = loss_max(r->x, r->v);
    const ck_vd16 m = ck_vd16_set1((double)max), n = ck_vd16_set1((double)r->n);
    ck_vd16 acc = ck_vd16_set1(0.0);
    for (size_t j = 0; j < r->v; j += 16) acc = ck_vd16_add(acc, loss_exp16(r, j, m));
    const double total = ck_vd16_sum(acc);
    const ck_vd16 sum = ck_vd16_set1(total);
    for (size_t j = 0; r->dx && j < r->v; j += 16) {
        const size_t some = r->v - j < 16 ? r->v - j : 16;
        const ck_vd16 hot = ck_vd16_load(loss_hot_at(r, j));
        const ck_vd16 p = ck_vd16_div(loss_exp16(r, j, m), sum);
        ck_vd16_store_n(r->dx + j, ck_vd16_div(ck_vd16_sub(p, hot), n), some);
    }
    return loss_of(total, max, r->x[r->target]);
}

/* All rows by `row`, a constant function. */
static inline void loss_rows(const ck_cross_entropy_args *c, double (*row)(const loss_row *r))
{
    int32_t n = 0;
    double sum = 0.0;
    assert(c->loss && c->count && (c->t == 0 || (c->x && c->target)));
    assert(c->ldx >= c->v && (!c->dx || c->lddx >= c->v));
    for (size_t i = 0; i < c->t; i++) n += c->target[i] != CK_IGNORE;
    for (size_t i = 0; i < c->t; i++) {
        float *dx = c->dx ? c->dx + i * c->lddx : NULL;
        if (c->target[i] == CK_IGNORE) {
            for (size_t j = 0; dx && j < c->v; j++) dx[j] = 0.0f;
            continue;
        }
        assert(c->target[i] >= 0 && (size_t)c->target[i] < c->v);
        sum += row(&(loss_row){ dx, c->x + i * c->ldx, c->v, (size_t)c->target[i], (float)n });
    }
    *c->loss = ck_strict_f32(n ? sum / (double)n : 0.0);
    *c->count = n;
}

static inline void softmax_cross_entropy_f32(const void *args) { loss_rows(args, loss_row_fast); }

static inline void softmax_cross_entropy_f32_strict(const void *args)
{
    loss_rows(args, loss_row_strict);
}

#endif
