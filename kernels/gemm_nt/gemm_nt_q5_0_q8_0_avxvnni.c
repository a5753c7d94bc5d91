/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_0_q8_0, AVX2 and AVX-VNNI. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q5_0_q8_0_avxvnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q5_0_BLOCK, 0);

static inline __m256i dpbusd_dot(__m256i q, __m256i a)
{
    return _mm256_dpbusd_epi32(_mm256_setzero_si256(), q, a);
}

static inline __m256i parts(const unsigned char *a, const unsigned char *b)
{
    return parts_q5_0(dpbusd_dot, a, b);
}

static const dots q5_0 = { &q5_0_q8_0, parts, NULL };

void ck_gemm_nt_q5_0_q8_0_avxvnni(const void *args) { gemm_fast(args, &q5_0); }

static void strict(const void *args) { gemm_strict(args, &q5_0); }

void ck_gemm_nt_q5_0_q8_0_avxvnni_strict(const void *args) { ck_strict_run(strict, args); }
