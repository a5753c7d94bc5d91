/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_k_f32, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_k.h"
#include "gemm_nt/gemm_nt_w.h"

const ck_numspec ck_gemm_nt_q4_k_f32_scalar_spec = CK_GEMM_W_SPEC(CK_Q4_K_BLOCK);

static const weights q4_k = { CK_Q4_K_BLOCK, CK_Q4_K_BYTES, block_q4_k };

void ck_gemm_nt_q4_k_f32_scalar(const void *args) { gemm_w(args, &q4_k); }

static void strict(const void *args) { gemm_w_strict(args, &q4_k); }

void ck_gemm_nt_q4_k_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }
