/* SPDX-License-Identifier: MIT */
/* gemm_nt_f32 for the scalar bundle: tiles of 1 x 1 dots, one lane each. */
#include "simd/scalar.h"

enum { CK_GEMM_MR = 1, CK_GEMM_NR = 1 };
#include "gemm_nt/gemm_nt_f32.h"
#include "table.h"

void ck_gemm_nt_f32_scalar(const void *args) { gemm_nt_f32(args); }

void ck_gemm_nt_f32_scalar_strict(const void *args) { ck_strict_run(gemm_nt_f32_strict, args); }

const ck_numspec ck_gemm_nt_f32_scalar_spec = {
    .lanes = CK_VF_LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .mr = CK_GEMM_MR,
    .nr = CK_GEMM_NR,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* c */
};
