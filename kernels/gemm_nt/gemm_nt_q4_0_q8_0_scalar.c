/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0_q8_0, plain C. */
#include "gemm_nt/gemm_nt_q_scalar.h"

const ck_numspec ck_gemm_nt_q4_0_q8_0_scalar_spec = CK_GEMM_Q_SPEC(1, CK_Q4_0_BLOCK, CK_NUM_MULADD);

static const dots q4_0 = { &q4_0_q8_0, dot_q4_0 };

void ck_gemm_nt_q4_0_q8_0_scalar(const void *args) { gemm_fast(args, &q4_0); }

static void strict(const void *args) { gemm_strict(args, &q4_0); }

void ck_gemm_nt_q4_0_q8_0_scalar_strict(const void *args) { ck_strict_run(strict, args); }
