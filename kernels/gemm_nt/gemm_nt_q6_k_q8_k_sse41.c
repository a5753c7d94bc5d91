/* SPDX-License-Identifier: MIT */
/* gemm_nt_q6_k_q8_k, SSE4.1. */
#include "gemm_nt/gemm_nt_q_sse41.h"

const ck_numspec ck_gemm_nt_q6_k_q8_k_sse41_spec = CK_GEMM_Q_SPEC(LANES, CK_K_BLOCK, CK_NUM_MULADD);

static const dots q6_k = { &q6_k_q8_k, parts_q6_k, NULL };

void ck_gemm_nt_q6_k_q8_k_sse41(const void *args) { gemm_fast(args, &q6_k); }

static void strict(const void *args) { gemm_strict(args, &q6_k); }

void ck_gemm_nt_q6_k_q8_k_sse41_strict(const void *args) { ck_strict_run(strict, args); }
