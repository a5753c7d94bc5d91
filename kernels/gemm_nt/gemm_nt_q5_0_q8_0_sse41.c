/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_0_q8_0, SSE4.1. */
#include "gemm_nt/gemm_nt_q_sse41.h"

const ck_numspec ck_gemm_nt_q5_0_q8_0_sse41_spec =
    CK_GEMM_Q_SPEC(LANES, CK_Q5_0_BLOCK, CK_NUM_MULADD);

static const dots q5_0 = { &q5_0_q8_0, parts_q5_0, NULL };

void ck_gemm_nt_q5_0_q8_0_sse41(const void *args) { gemm_fast(args, &q5_0); }

static void strict(const void *args) { gemm_strict(args, &q5_0); }

void ck_gemm_nt_q5_0_q8_0_sse41_strict(const void *args) { ck_strict_run(strict, args); }
