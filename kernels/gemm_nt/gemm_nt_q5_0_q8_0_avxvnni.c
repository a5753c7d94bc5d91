/* SPDX-License-Identifier: MIT */
/* gemm_nt_q5_0_q8_0, AVX2 and AVX-VNNI. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q5_0_q8_0_avxvnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q5_0_BLOCK, 0);

LANES_INLINE __m256i dpbusd_dot(__m256i q0, __m256i q1, const __m256i *v)
{
    return _mm256_dpbusd_epi32(_mm256_dpbusd_epi32(_mm256_setzero_si256(), q0, v[0]), q1, v[1]);
}

LANES_INLINE k_parts parts(const two_blocks *t) { return parts_five(dpbusd_dot, t, 6); }

static const dots q5_0 = { &q5_0_q8_0, open_q8_0, parts, 2 };

void ck_gemm_nt_q5_0_q8_0_avxvnni(const void *args) { gemm_fast(args, &q5_0); }

static void strict(const void *args) { gemm_strict(args, &q5_0); }

void ck_gemm_nt_q5_0_q8_0_avxvnni_strict(const void *args) { ck_strict_run(strict, args); }
