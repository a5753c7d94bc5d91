/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0_q8_0, AVX-512 and VNNI. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q4_0_q8_0_avx512vnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q4_0_BLOCK, 0);

static inline __m512i dpbusd_dot(__m512i q, __m512i a)
{
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), q, a);
}

static inline __m512i pair(const unsigned char *a, const unsigned char *b, size_t a_next,
                           size_t b_next)
{
    return pair_q4_0(dpbusd_dot, a, b, a_next, b_next);
}

static const dots q4_0 = { &q4_0_q8_0, pair, NULL };

void ck_gemm_nt_q4_0_q8_0_avx512vnni(const void *args) { gemm_fast(args, &q4_0); }

static void strict(const void *args) { gemm_strict(args, &q4_0); }

void ck_gemm_nt_q4_0_q8_0_avx512vnni_strict(const void *args) { ck_strict_run(strict, args); }
