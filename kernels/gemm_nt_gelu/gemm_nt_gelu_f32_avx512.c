/* SPDX-License-Identifier: MIT */
/* gemm_nt_gelu_f32 for AVX-512. */
#include "simd/avx512.h"

enum { CK_GEMM_MR = 12, CK_GEMM_NV = 2, CK_GEMM_NP = 2 };
#include "gemm_nt/gemm_nt_act.h"

void ck_gemm_nt_gelu_f32_avx512(const void *args) { gemm_act(args, ck_vf_gelu); }

static void strict(const void *args) { gemm_act_strict(args, ck_vd_gelu); }

void ck_gemm_nt_gelu_f32_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_gemm_nt_gelu_f32_avx512_spec = CK_GEMM_ACT_SPEC(CK_EXP_REXP, CK_EXP_ZERO_BELOW);
