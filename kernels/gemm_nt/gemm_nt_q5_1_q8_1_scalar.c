/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_1_q8_1, plain C. */
#include "gemm_nt/gemm_nt_q_scalar.h"

const ck_numspec ck_gemm_nt_q5_1_q8_1_scalar_spec =
    CK_GEMM_Q_SPEC(1, CK_Q5_1_BLOCK, CK_NUM_MULADD | CK_NUM_MIN_FACTORED);

static const dots q5_1 = { &q5_1_q8_1, dot_q5_1 };

void ck_gemm_nt_q5_1_q8_1_scalar(const void *args) { gemm_fast(args, &q5_1); }

static void strict(const void *args) { gemm_strict(args, &q5_1); }

void ck_gemm_nt_q5_1_q8_1_scalar_strict(const void *args) { ck_strict_run(strict, args); }
