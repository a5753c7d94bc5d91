/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_1_q8_1, AVX-512. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q5_1_q8_1_avx512_spec =
    CK_GEMM_Q_SPEC(LANES, CK_Q5_1_BLOCK, CK_NUM_MIN_FACTORED);

LANES_INLINE products multiply(const __m512i *v, const weights *w)
{
    return multiply_nibbles(maddubs_dot, v, w, &q5_1_q8_1, 8, true);
}

static const dots q5_1 = { &q5_1_q8_1, open_q8_1, multiply, 4 };

void ck_gemm_nt_q5_1_q8_1_avx512(const void *args) { gemm_fast(args, &q5_1); }

static void strict(const void *args) { gemm_strict(args, &q5_1); }

void ck_gemm_nt_q5_1_q8_1_avx512_strict(const void *args) { ck_strict_run(strict, args); }
