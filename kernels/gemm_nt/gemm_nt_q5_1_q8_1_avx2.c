/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_1_q8_1, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q5_1_q8_1_avx2_spec =
    CK_GEMM_Q_SPEC(LANES, CK_Q5_1_BLOCK, CK_NUM_MIN_FACTORED);

LANES_INLINE k_parts parts(const two_blocks *t) { return parts_five(maddubs_dot, t, 8); }

static const dots q5_1 = { &q5_1_q8_1, open_q8_1, parts, 2 };

void ck_gemm_nt_q5_1_q8_1_avx2(const void *args) { gemm_fast(args, &q5_1); }

static void strict(const void *args) { gemm_strict(args, &q5_1); }

void ck_gemm_nt_q5_1_q8_1_avx2_strict(const void *args) { ck_strict_run(strict, args); }
