/* SPDX-License-Identifier: MIT */
/* gemm_nn_q4_0_f32, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_block.h"
#include "gemm_nn/gemm_nn_w.h"

const ck_numspec ck_gemm_nn_q4_0_f32_avx512_spec = CK_GEMM_WN_SPEC;

static const weights q4_0 = { CK_Q4_0_BLOCK, CK_Q4_0_BYTES, block_q4_0 };

void ck_gemm_nn_q4_0_f32_avx512(const void *args) { gemm_wn(args, &q4_0); }

static void strict(const void *args) { gemm_wn_strict(args, &q4_0); }

void ck_gemm_nn_q4_0_f32_avx512_strict(const void *args) { ck_strict_run(strict, args); }
