/* SPDX-License-Identifier: MIT */
/* swiglu_f16 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "simd/element_16.h"
#include "strict.h"
#include "swiglu/swiglu.h"

void ck_swiglu_f16_avx512(const void *args) { binary(args, &element_f16); }

static void strict(const void *args) { binary_strict(args, &element_f16); }

void ck_swiglu_f16_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_swiglu_f16_avx512_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT,
    .rexp = CK_EXP_REXP,
    .exp_zero_below = (double)CK_EXP_ZERO_BELOW,
    .alias = 1u << 1 | 1u << 2, /* a, b */
};
