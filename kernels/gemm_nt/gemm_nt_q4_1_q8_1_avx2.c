/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_1_q8_1, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q4_1_q8_1_avx2_spec =
    CK_GEMM_Q_SPEC(LANES, CK_Q4_1_BLOCK, CK_NUM_MIN_FACTORED);

LANES_INLINE k_parts parts(const two_blocks *t) { return parts_four(maddubs_dot, t, 4); }

static const dots q4_1 = { &q4_1_q8_1, open_q8_1, parts, 2 };

void ck_gemm_nt_q4_1_q8_1_avx2(const void *args) { gemm_fast(args, &q4_1); }

static void strict(const void *args) { gemm_strict(args, &q4_1); }

void ck_gemm_nt_q4_1_q8_1_avx2_strict(const void *args) { ck_strict_run(strict, args); }
