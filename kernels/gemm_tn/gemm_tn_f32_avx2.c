/* SPDX-License-Identifier: MIT */
/* gemm_tn_f32 for AVX2 and FMA: tiles of 6 x 16. */
#include "simd/avx2.h"

enum { CK_GEMM_MR = 6, CK_GEMM_NV = 2, CK_GEMM_NP = 3 };
#include "gemm_tn/gemm_tn_f32.h"
#include "kernel.h"

void ck_gemm_tn_f32_avx2(const void *args) { gemm_tn_f32(args); }

void ck_gemm_tn_f32_avx2_strict(const void *args) { ck_strict_run(gemm_tn_f32_strict, args); }

const ck_numspec ck_gemm_tn_f32_avx2_spec = {
    .lanes = 1,
    .accs = 1,
    .kc = GEMM_KC,
    .mr = CK_GEMM_MR,
    .nr = GEMM_NC,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 3, /* c */
};
