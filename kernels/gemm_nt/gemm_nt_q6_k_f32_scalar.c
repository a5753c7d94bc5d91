/* SPDX-License-Identifier: MIT */
/* gemm_nt_q6_k_f32, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_k.h"
#include "gemm_nt/gemm_nt_w.h"

const ck_numspec ck_gemm_nt_q6_k_f32_scalar_spec = CK_GEMM_W_SPEC(CK_Q6_K_BLOCK);

static const weights q6_k = { CK_Q6_K_BLOCK, CK_Q6_K_BYTES, block_q6_k };

void ck_gemm_nt_q6_k_f32_scalar(const void *args) { gemm_w(args, &q6_k); }

static void strict(const void *args) { gemm_w_strict(args, &q6_k); }

void ck_gemm_nt_q6_k_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }
