/* SPDX-License-Identifier: MIT */
/* gemm_nt_gelu_f32 for the scalar bundle. */
#include "simd/scalar.h"

enum { CK_GEMM_MR = 2, CK_GEMM_NV = 2, CK_GEMM_NP = 2 };
#include "gemm_nt/gemm_nt_act.h"

void ck_gemm_nt_gelu_f32_scalar(const void *args) { gemm_act(args, ck_vf_gelu); }

static void strict(const void *args) { gemm_act_strict(args, ck_vd_gelu); }

void ck_gemm_nt_gelu_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_gemm_nt_gelu_f32_scalar_spec = CK_GEMM_ACT_SPEC(CK_EXP_REXP, CK_EXP_ZERO_BELOW);
