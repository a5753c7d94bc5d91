/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_0_q8_0, AVX-512 and VNNI. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q5_0_q8_0_avx512vnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q5_0_BLOCK, 0);

LANES_INLINE __m512i dpbusd_dot(__m512i q0, __m512i q1, const __m512i *v)
{
    return _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(_mm512_setzero_si512(), q0, v[0]), q1, v[1]);
}

LANES_INLINE products multiply(const __m512i *v, const weights *w)
{
    return multiply_nibbles(dpbusd_dot, v, w, &q5_0_q8_0, 6, true);
}

static const dots q5_0 = { &q5_0_q8_0, open_q8_0, multiply, 4 };

void ck_gemm_nt_q5_0_q8_0_avx512vnni(const void *args) { gemm_fast(args, &q5_0); }

static void strict(const void *args) { gemm_strict(args, &q5_0); }

void ck_gemm_nt_q5_0_q8_0_avx512vnni_strict(const void *args) { ck_strict_run(strict, args); }
