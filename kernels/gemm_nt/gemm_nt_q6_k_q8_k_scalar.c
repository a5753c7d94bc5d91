/* SPDX-License-Identifier: MIT */
/* gemm_nt_q6_k_q8_k, plain C. */
#include "gemm_nt/gemm_nt_q_scalar.h"

const ck_numspec ck_gemm_nt_q6_k_q8_k_scalar_spec = CK_GEMM_Q_SPEC(1, CK_K_BLOCK, CK_NUM_MULADD);

static const dots q6_k = { &q6_k_q8_k, dot_q6_k };

void ck_gemm_nt_q6_k_q8_k_scalar(const void *args) { gemm_fast(args, &q6_k); }

static void strict(const void *args) { gemm_strict(args, &q6_k); }

void ck_gemm_nt_q6_k_q8_k_scalar_strict(const void *args) { ck_strict_run(strict, args); }
