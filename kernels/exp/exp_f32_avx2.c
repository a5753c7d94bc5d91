/* SPDX-License-Identifier: MIT */
/* exp_f32 for AVX2 and FMA. */
#include "simd/avx2.h"

#include "exp/exp_f32.h"
#include "kernel.h"
#include "strict.h"

void ck_exp_f32_avx2(const void *args) { exp_f32(args); }

void ck_exp_f32_avx2_strict(const void *args) { ck_strict_run(exp_f32_strict, args); }

const ck_numspec ck_exp_f32_avx2_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .rexp = CK_EXP_REXP,
    .exp_zero_below = (double)CK_EXP_ZERO_BELOW,
    .alias = 1u << 1, /* x */
};
