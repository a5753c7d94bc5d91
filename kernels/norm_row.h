/* SPDX-License-Identifier: MIT */
/* What the norms share: sums of a row, compiled once per format and ISA, after simd/<isa>.h. */
#ifndef CK_NORM_ROW_H
#define CK_NORM_ROW_H

#include <assert.h>
#include <math.h>

#include "norm.h"
#include "simd/element.h"
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
CK_INLINE float norm_sum(const ck_element *e, const unsigned char *x, size_t n)
{
    const size_t step = CK_VF_LANES * e->bytes;
    ck_vf acc[NORM_ACCS];
    for (size_t a = 0; a < NORM_ACCS; a++) acc[a] = ck_vf_set1(0.0f);
    for (; n >= NORM_ACCS * CK_VF_LANES; n -= NORM_ACCS * CK_VF_LANES, x += NORM_ACCS * step)
        for (size_t a = 0; a < NORM_ACCS; a++) acc[a] = ck_vf_add(acc[a], e->load(x + a * step));
    for (; n >= CK_VF_LANES; n -= CK_VF_LANES, x += step) acc[0] = ck_vf_add(acc[0], e->load(x));
    if (n > 0) acc[0] = ck_vf_add(acc[0], e->load_n(x, n));
    return norm_total(acc);
}

/* sum (x[j] - mean)^2. The lanes beyond the row take 0 from 0: mean - mean would be NaN of a mean that has
 * overflowed. */
CK_INLINE float norm_sum_squares(const ck_element *e, const unsigned char *x, size_t n, float mean)
{
    const size_t step = CK_VF_LANES * e->bytes;
    const ck_vf m = ck_vf_set1(mean);
    ck_vf acc[NORM_ACCS];
    for (size_t a = 0; a < NORM_ACCS; a++) acc[a] = ck_vf_set1(0.0f);
    for (; n >= NORM_ACCS * CK_VF_LANES; n -= NORM_ACCS * CK_VF_LANES, x += NORM_ACCS * step)
        for (size_t a = 0; a < NORM_ACCS; a++) {
            const ck_vf d = ck_vf_sub(e->load(x + a * step), m);
            acc[a] = ck_vf_muladd(d, d, acc[a]);
        }
    for (; n >= CK_VF_LANES; n -= CK_VF_LANES, x += step) {
        const ck_vf d = ck_vf_sub(e->load(x), m);
        acc[0] = ck_vf_muladd(d, d, acc[0]);
    }
    if (n > 0) {
        float means[CK_VF_LANES];
        ck_vf_store(means, m);
        const ck_vf d = ck_vf_sub(e->load_n(x, n), ck_vf_load_n(means, n, 0.0f));
        acc[0] = ck_vf_muladd(d, d, acc[0]);
    }
    return norm_total(acc);
}

CK_INLINE double norm_sum_strict(const ck_element *e, const unsigned char *x, size_t n)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    for (size_t j = 0; j < n; j += 16) acc = ck_vd16_add(acc, e->load_d(x + j * e->bytes, n - j));
    return ck_vd16_sum(acc);
}

/* As above. */
CK_INLINE double norm_sum_squares_strict(const ck_element *e, const unsigned char *x, size_t n,
                                         double mean)
{
    static const float ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    ck_vd16 acc = ck_vd16_set1(0.0), m = ck_vd16_set1(mean);
    for (size_t j = 0; j < n; j += 16) {
        if (n - j < 16) m = ck_vd16_mul(ck_vd16_load_n(ones, n - j, 0.0f), m);
        const ck_vd16 d = ck_vd16_sub(e->load_d(x + j * e->bytes, n - j), m);
        acc = ck_vd16_add(acc, ck_vd16_mul(d, d));
    }
    return ck_vd16_sum(acc);
}

/* Of gamma or beta, which are floats. */
CK_INLINE ck_vd16 norm_load_d(const float *p, size_t n)
{
    const void *const bytes = p;
    return element_f32.load_d(bytes, n);
}

/* +0 beyond the row. */
CK_INLINE void norm_pad(const ck_element *e, unsigned char *y, size_t d, size_t cols)
{
    memset(y + d * e->bytes, 0, (cols - d) * e->bytes);
}

#endif
