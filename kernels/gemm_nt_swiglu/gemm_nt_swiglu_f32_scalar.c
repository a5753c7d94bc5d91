/* SPDX-License-Identifier: MIT */
/* gemm_nt_swiglu_f32 for the scalar bundle. */
#include "simd/scalar.h"

enum { CK_GEMM_MR = 2, CK_GEMM_NV = 2, CK_GEMM_NP = 2 };
#include "gemm_nt/gemm_nt_glu.h"

void ck_gemm_nt_swiglu_f32_scalar(const void *args) { gemm_swiglu(args); }

void ck_gemm_nt_swiglu_f32_scalar_strict(const void *args)
{
    ck_strict_run(gemm_swiglu_strict, args);
}

const ck_numspec ck_gemm_nt_swiglu_f32_scalar_spec =
    CK_GEMM_ACT_SPEC(CK_EXP_REXP, CK_EXP_ZERO_BELOW);
