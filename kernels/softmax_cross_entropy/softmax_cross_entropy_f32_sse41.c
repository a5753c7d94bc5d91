/* SPDX-License-Identifier: MIT */
/* softmax_cross_entropy_f32 for SSE4.1. */
#include "simd/sse41.h"

#include "kernel.h"
#include "softmax_cross_entropy/softmax_cross_entropy_f32.h"
#include "strict.h"

void ck_softmax_cross_entropy_f32_sse41(const void *args) { softmax_cross_entropy_f32(args); }

void ck_softmax_cross_entropy_f32_sse41_strict(const void *args)
{
    ck_strict_run(softmax_cross_entropy_f32_strict, args);
}

const ck_numspec ck_softmax_cross_entropy_f32_sse41_spec = {
    .lanes = CK_VF_LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV,
    .rexp = CK_EXP_REXP,
    .exp_zero_below = (double)CK_EXP_ZERO_BELOW,
};
