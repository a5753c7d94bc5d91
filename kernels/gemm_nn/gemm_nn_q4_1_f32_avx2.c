/* SPDX-License-Identifier: MIT */
/* gemm_nn_q4_1_f32, AVX2 and FMA. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_block.h"
#include "gemm_nn/gemm_nn_w.h"

const ck_numspec ck_gemm_nn_q4_1_f32_avx2_spec = CK_GEMM_WN_SPEC;

static const weights q4_1 = { CK_Q4_1_BLOCK, CK_Q4_1_BYTES, block_q4_1 };

void ck_gemm_nn_q4_1_f32_avx2(const void *args) { gemm_wn(args, &q4_1); }

static void strict(const void *args) { gemm_wn_strict(args, &q4_1); }

void ck_gemm_nn_q4_1_f32_avx2_strict(const void *args) { ck_strict_run(strict, args); }
