/* SPDX-License-Identifier: MIT */
/* What the norms share: sums of a row, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_NORM_F32_H
#define CK_NORM_F32_H

#include <assert.h>
#include <math.h>

#include "norm.h"
#include "strict.h"

/* Accumulators of a sum: additions wait for each other. */
enum { NORM_ACCS = 4 };

/* The order of every sum here. */
#define NORM_SUM(isa_flags)                                                                 \
    .lanes = CK_VF_LANES, .accs = NORM_ACCS, .tail = CK_TAIL_LANE, .tree = CK_TREE_HALVING, \
    .ku = CK_VF_LANES * NORM_ACCS,                                                          \
    .flags = (isa_flags) | CK_NUM_TRUE_DIV | CK_NUM_TRUE_SQRT | CK_NUM_BATCH_INVARIANT

static inline float norm_total(const ck_vf *acc)
{
    return ck_vf_sum(ck_vf_add(ck_vf_add(acc[0], acc[2]), ck_vf_add(acc[1], acc[3])));
}

/* sum x[j] */
static inline float norm_sum(const float *x, size_t n)
{
    ck_vf acc[NORM_ACCS];
    size_t j = 0;
    for (size_t a = 0; a < NORM_ACCS; a++) acc[a] = ck_vf_set1(0.0f);
    for (; n - j >= NORM_ACCS * CK_VF_LANES; j += NORM_ACCS * CK_VF_LANES)
        for (size_t a = 0; a < NORM_ACCS; a++)
            acc[a] = ck_vf_add(acc[a], ck_vf_load(x + j + a * CK_VF_LANES));
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES) acc[0] = ck_vf_add(acc[0], ck_vf_load(x + j));
    if (j < n) acc[0] = ck_vf_add(acc[0], ck_vf_load_n(x + j, n - j, 0.0f));
    return norm_total(acc);
}

/* sum (x[j] - mean)^2. The lanes beyond the row take 0 from 0: mean - mean would be NaN of a mean that has
 * overflowed. */
static inline float norm_sum_squares(const float *x, size_t n, float mean)
{
    const ck_vf m = ck_vf_set1(mean);
    ck_vf acc[NORM_ACCS];
    size_t j = 0;
    for (size_t a = 0; a < NORM_ACCS; a++) acc[a] = ck_vf_set1(0.0f);
    for (; n - j >= NORM_ACCS * CK_VF_LANES; j += NORM_ACCS * CK_VF_LANES)
        for (size_t a = 0; a < NORM_ACCS; a++) {
            const ck_vf d = ck_vf_sub(ck_vf_load(x + j + a * CK_VF_LANES), m);
            acc[a] = ck_vf_muladd(d, d, acc[a]);
        }
    for (; n - j >= CK_VF_LANES; j += CK_VF_LANES) {
        const ck_vf d = ck_vf_sub(ck_vf_load(x + j), m);
        acc[0] = ck_vf_muladd(d, d, acc[0]);
    }
    if (j < n) {
        float means[CK_VF_LANES];
        ck_vf_store(means, m);
        const ck_vf d =
            ck_vf_sub(ck_vf_load_n(x + j, n - j, 0.0f), ck_vf_load_n(means, n - j, 0.0f));
        acc[0] = ck_vf_muladd(d, d, acc[0]);
    }
    return norm_total(acc);
}

static inline double norm_sum_strict(const float *x, size_t n)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    size_t j = 0;
    for (; n - j >= 16; j += 16) acc = ck_vd16_add(acc, ck_vd16_load(x + j));
    if (j < n) acc = ck_vd16_add(acc, ck_vd16_load_n(x + j, n - j, 0.0f));
    return ck_vd16_sum(acc);
}

/* As above. */
static inline double norm_sum_squares_strict(const float *x, size_t n, double mean)
{
    const ck_vd16 m = ck_vd16_set1(mean);
    ck_vd16 acc = ck_vd16_set1(0.0);
    size_t j = 0;
    for (; n - j >= 16; j += 16) {
        const ck_vd16 d = ck_vd16_sub(ck_vd16_load(x + j), m);
        acc = ck_vd16_add(acc, ck_vd16_mul(d, d));
    }
    if (j < n) {
        static const float ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
        const ck_vd16 means = ck_vd16_mul(ck_vd16_load_n(ones, n - j, 0.0f), m);
        const ck_vd16 d = ck_vd16_sub(ck_vd16_load_n(x + j, n - j, 0.0f), means);
        acc = ck_vd16_add(acc, ck_vd16_mul(d, d));
    }
    return ck_vd16_sum(acc);
}

/* +0 beyond the row. */
static inline void norm_pad(float *y, size_t d, size_t cols)
{
    for (size_t j = d; j < cols; j++) y[j] = 0.0f;
}

#endif
