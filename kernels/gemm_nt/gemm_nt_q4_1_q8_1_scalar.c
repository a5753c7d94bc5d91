/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_1_q8_1, plain C. */
#include "gemm_nt/gemm_nt_q_scalar.h"

const ck_numspec ck_gemm_nt_q4_1_q8_1_scalar_spec =
    CK_GEMM_Q_SPEC(1, CK_Q4_1_BLOCK, CK_NUM_MULADD | CK_NUM_MIN_FACTORED);

static const dots q4_1 = { &q4_1_q8_1, dot_q4_1 };

void ck_gemm_nt_q4_1_q8_1_scalar(const void *args) { gemm_fast(args, &q4_1); }

static void strict(const void *args) { gemm_strict(args, &q4_1); }

void ck_gemm_nt_q4_1_q8_1_scalar_strict(const void *args) { ck_strict_run(strict, args); }
