/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0_q8_0, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q4_0_q8_0_avx2_spec = CK_GEMM_Q_SPEC(LANES, CK_Q4_0_BLOCK, 0);

static inline __m256i parts(const unsigned char *a, const unsigned char *b)
{
    return parts_q4_0(maddubs_dot, a, b);
}

static const dots q4_0 = { &q4_0_q8_0, parts, NULL };

void ck_gemm_nt_q4_0_q8_0_avx2(const void *args) { gemm_fast(args, &q4_0); }

static void strict(const void *args) { gemm_strict(args, &q4_0); }

void ck_gemm_nt_q4_0_q8_0_avx2_strict(const void *args) { ck_strict_run(strict, args); }
