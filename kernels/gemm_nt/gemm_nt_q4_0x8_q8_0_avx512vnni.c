/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0x8_q8_0, AVX-512 and VNNI. */
#include "gemm_nt/gemm_nt_q4_0x8_avx512.h"

const ck_numspec ck_gemm_nt_q4_0x8_q8_0_avx512vnni_spec = CK_GEMM_Q4_0X8_SPEC(AT_A_TIME, 0);

ROWS_INLINE __m512i dot(const unpacked *w, const unsigned char *a)
{
    __m512i sum = _mm512_setzero_si512();

    for (int e = 0; e < 4; e++) sum = _mm512_dpbusd_epi32(sum, w->codes[e], spread8_512(a + 8 * e));
    return sum;
}

void ck_gemm_nt_q4_0x8_q8_0_avx512vnni(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_0x8_q8_0_avx512vnni_strict(const void *args) { ck_strict_run(strict, args); }
