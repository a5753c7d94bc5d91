/* SPDX-License-Identifier: MIT */
/* silu_f32 for AVX2 and FMA. */
#include "simd/avx2.h"

#include "kernel.h"
#include "silu/silu_f32.h"
#include "strict.h"

void ck_silu_f32_avx2(const void *args) { unary_f32(args); }

void ck_silu_f32_avx2_strict(const void *args) { ck_strict_run(unary_f32_strict, args); }

const ck_numspec ck_silu_f32_avx2_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT,
    .rexp = CK_EXP_REXP,
    .exp_zero_below = (double)CK_EXP_ZERO_BELOW,
    .alias = 1u << 1, /* x */
};
