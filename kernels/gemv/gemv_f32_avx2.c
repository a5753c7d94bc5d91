/* SPDX-License-Identifier: MIT */
/* gemv_f32 for AVX2 and FMA: 8 dots at a time, 8 lanes each. */
#include "simd/avx2.h"

enum { CK_GEMV_ROWS = 8 };
#include "gemv/gemv_f32.h"
#include "kernel.h"

void ck_gemv_f32_avx2(const void *args) { gemv_f32(args); }

void ck_gemv_f32_avx2_strict(const void *args) { ck_strict_run(gemv_f32_strict, args); }

const ck_numspec ck_gemv_f32_avx2_spec = {
    .lanes = CK_VF_LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .nr = CK_GEMV_ROWS,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* c */
};
