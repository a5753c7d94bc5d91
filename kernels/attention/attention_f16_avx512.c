/* SPDX-License-Identifier: MIT */
/* attention_f16 for AVX-512. */
#include "simd/avx512.h"

#include "attention/attention_row.h"
#include "kernel.h"
#include "simd/element_16.h"
#include "strict.h"

void ck_attention_f16_avx512(const void *args) { attention(args, &element_f16); }

static void strict(const void *args) { attention_strict(args, &element_f16); }

void ck_attention_f16_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_attention_f16_avx512_spec = {
    .lanes = CK_VF_LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_TRUE_DIV | CK_NUM_ONLINE,
    .rexp = CK_EXP_REXP,
    .exp_zero_below = (double)CK_EXP_ZERO_BELOW,
};
