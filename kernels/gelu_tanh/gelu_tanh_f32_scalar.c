/* SPDX-License-Identifier: MIT */
/* gelu_tanh_f32 for the scalar bundle. */
#include "simd/scalar.h"

#include "gelu_tanh/gelu_tanh_f32.h"
#include "kernel.h"
#include "strict.h"

void ck_gelu_tanh_f32_scalar(const void *args) { unary_f32(args); }

void ck_gelu_tanh_f32_scalar_strict(const void *args) { ck_strict_run(unary_f32_strict, args); }

const ck_numspec ck_gelu_tanh_f32_scalar_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT,
    .rexp = CK_EXP_REXP,
    .exp_zero_below = (double)CK_EXP_ZERO_BELOW,
    .alias = 1u << 1, /* x */
};
