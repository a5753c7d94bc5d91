/* SPDX-License-Identifier: MIT */
/* gemm_nn_q6_k_f32, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_k.h"
#include "gemm_nn/gemm_nn_w.h"

const ck_numspec ck_gemm_nn_q6_k_f32_avx512_spec = CK_GEMM_WN_SPEC;

static const weights q6_k = { CK_Q6_K_BLOCK, CK_Q6_K_BYTES, block_q6_k };

void ck_gemm_nn_q6_k_f32_avx512(const void *args) { gemm_wn(args, &q6_k); }

static void strict(const void *args) { gemm_wn_strict(args, &q6_k); }

void ck_gemm_nn_q6_k_f32_avx512_strict(const void *args) { ck_strict_run(strict, args); }
