/* SPDX-License-Identifier: MIT */
/* gemm_nt_swiglu_f32 for AVX2 and FMA. */
#include "simd/avx2.h"

enum { CK_GEMM_MR = 6, CK_GEMM_NV = 2, CK_GEMM_NP = 3 };
#include "gemm_nt/gemm_nt_glu.h"

void ck_gemm_nt_swiglu_f32_avx2(const void *args) { gemm_swiglu(args); }

void ck_gemm_nt_swiglu_f32_avx2_strict(const void *args)
{
    ck_strict_run(gemm_swiglu_strict, args);
}

const ck_numspec ck_gemm_nt_swiglu_f32_avx2_spec = CK_GEMM_ACT_SPEC(CK_EXP_REXP, CK_EXP_ZERO_BELOW);
