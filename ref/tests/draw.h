/* SPDX-License-Identifier: MIT */
/* Random numbers of the tests of the references, and the groups of tests. */
#ifndef REF_TESTS_DRAW_H
#define REF_TESTS_DRAW_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "ref.h"

ref_fn ref_gemm_nt_f32, ref_gemm_nt_q8_0_q8_0, ref_softmax_causal_f32, ref_exp_f32;
ref_fn ref_gemm_nn_f32, ref_gemm_tn_f32, ref_gemv_f32;
ref_fn ref_quantize_row_q8_0, ref_dequant_row_q8_0;

/* Of one file of tests; each test starts at 1. */
static uint64_t state;

static inline int fresh(void **unused)
{
    (void)unused;
    state = 1;
    return 0;
}

/* splitmix64 */
static inline uint64_t bits64(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline size_t below(size_t n) { return (size_t)(bits64() >> 11) % n; }

static inline double unit(void) { return (double)(bits64() >> 11) * 0x1p-53; }

static inline float normal(void)
{
    double s = 0;
    for (int i = 0; i < 12; i++) s += unit();
    return (float)(s - 6);
}

static inline float signed_pow2(int range)
{
    const double x = (0.5 + unit()) * ldexp(1, (int)below((size_t)range * 2 + 1) - range);
    return (float)(bits64() & 1 ? x : -x);
}

static inline int within(double y, double v, double e) { return fabs(y - v) <= e; }

#define TEST(f) cmocka_unit_test_setup(f, fresh)

/* Runs identities.c; how many failed. */
int ref_test_identities(void);

#endif
