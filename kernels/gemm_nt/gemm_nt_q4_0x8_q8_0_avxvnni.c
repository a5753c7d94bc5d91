/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0x8_q8_0, AVX2 and AVX-VNNI. */
#include "gemm_nt/gemm_nt_q4_0x8_avx2.h"

const ck_numspec ck_gemm_nt_q4_0x8_q8_0_avxvnni_spec = CK_GEMM_Q4_0X8_SPEC(AT_A_TIME, 0);

ROWS_INLINE __m256i dot(const unpacked *w, const __m256i *a)
{
    __m256i sum[] = { _mm256_setzero_si256(), _mm256_setzero_si256() };

    for (int e = 0; e < 4; e++)
        for (int h = 0; h < 2; h++) sum[h] = _mm256_dpbusd_epi32(sum[h], w->codes[e][h], a[e]);
    return _mm256_hadd_epi32(sum[0], sum[1]);
}

void ck_gemm_nt_q4_0x8_q8_0_avxvnni(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_0x8_q8_0_avxvnni_strict(const void *args) { ck_strict_run(strict, args); }
