/* SPDX-License-Identifier: MIT */
/* gemm_nt_q6_k_q8_k, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q6_k_q8_k_avx2_spec = CK_GEMM_Q_SPEC(LANES, CK_K_BLOCK, 0);

static const dots q6_k = { &q6_k_q8_k, open_q6_k, parts_q6_k, 2 };

void ck_gemm_nt_q6_k_q8_k_avx2(const void *args) { gemm_fast(args, &q6_k); }

static void strict(const void *args) { gemm_strict(args, &q6_k); }

void ck_gemm_nt_q6_k_q8_k_avx2_strict(const void *args) { ck_strict_run(strict, args); }
