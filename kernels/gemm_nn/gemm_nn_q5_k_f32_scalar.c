/* SPDX-License-Identifier: MIT */
/* gemm_nn_q5_k_f32, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_k.h"
#include "gemm_nn/gemm_nn_w.h"

const ck_numspec ck_gemm_nn_q5_k_f32_scalar_spec = CK_GEMM_WN_SPEC;

static const weights q5_k = { CK_Q5_K_BLOCK, CK_Q5_K_BYTES, block_q5_k };

void ck_gemm_nn_q5_k_f32_scalar(const void *args) { gemm_wn(args, &q5_k); }

static void strict(const void *args) { gemm_wn_strict(args, &q5_k); }

void ck_gemm_nn_q5_k_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }
