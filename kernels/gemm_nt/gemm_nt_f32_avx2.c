/* SPDX-License-Identifier: MIT */
/* gemm_nt_f32 for AVX2 and FMA: tiles of 2 x 4 dots, 8 lanes each. */
#include "simd/avx2.h"

enum { CK_GEMM_MR = 2, CK_GEMM_NR = 4 };
#include "gemm_nt/gemm_nt_f32.h"
#include "table.h"

void ck_gemm_nt_f32_avx2(const void *args) { gemm_nt_f32(args); }

void ck_gemm_nt_f32_avx2_strict(const void *args) { ck_strict_run(gemm_nt_f32_strict, args); }

const ck_numspec ck_gemm_nt_f32_avx2_spec = {
    .lanes = CK_VF_LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .mr = CK_GEMM_MR,
    .nr = CK_GEMM_NR,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* c */
};
