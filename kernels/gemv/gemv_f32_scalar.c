/* SPDX-License-Identifier: MIT */
/* gemv_f32 for the scalar bundle: 1 dot at a time, 1 lane each. */
#include "simd/scalar.h"

enum { CK_GEMV_ROWS = 1 };
#include "gemv/gemv_f32.h"
#include "kernel.h"

void ck_gemv_f32_scalar(const void *args) { gemv_f32(args); }

void ck_gemv_f32_scalar_strict(const void *args) { ck_strict_run(gemv_f32_strict, args); }

const ck_numspec ck_gemv_f32_scalar_spec = {
    .lanes = CK_VF_LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .nr = CK_GEMV_ROWS,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* c */
};
