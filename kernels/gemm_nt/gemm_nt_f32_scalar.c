/* SPDX-License-Identifier: MIT */
/* gemm_nt_f32 for the scalar bundle: tiles of 2 x 2. */
#include "simd/scalar.h"

enum { CK_GEMM_MR = 2, CK_GEMM_NV = 2, CK_GEMM_NP = 2 };
#include "gemm_nt/gemm_nt_f32.h"
#include "kernel.h"

void ck_gemm_nt_f32_scalar(const void *args) { gemm_nt_f32(args); }

void ck_gemm_nt_f32_scalar_strict(const void *args) { ck_strict_run(gemm_nt_f32_strict, args); }

const ck_numspec ck_gemm_nt_f32_scalar_spec = {
    .lanes = 1,
    .accs = 1,
    .kc = GEMM_KC,
    .mr = CK_GEMM_MR,
    .nr = GEMM_NC,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* c */
};
