/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_k_q8_k, AVX-512. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q5_k_q8_k_avx512_spec =
    CK_GEMM_Q_SPEC(LANES, CK_K_BLOCK, CK_NUM_MIN_FACTORED);

static const dots q5_k = { &q5_k_q8_k, open_q45_k, multiply_q5_k, VECTORS_Q45_K };

void ck_gemm_nt_q5_k_q8_k_avx512(const void *args) { gemm_fast(args, &q5_k); }

static void strict(const void *args) { gemm_strict(args, &q5_k); }

void ck_gemm_nt_q5_k_q8_k_avx512_strict(const void *args) { ck_strict_run(strict, args); }
