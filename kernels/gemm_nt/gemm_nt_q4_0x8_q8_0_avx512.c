/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0x8_q8_0, AVX-512. */
#include "gemm_nt/gemm_nt_q4_0x8_avx512.h"

const ck_numspec ck_gemm_nt_q4_0x8_q8_0_avx512_spec = CK_GEMM_Q4_0X8_SPEC(AT_A_TIME, 0);

/* A sum of 16 bits has eight products of codes, at most 8 * 15 * 128 = 15,360. */
ROWS_INLINE __m512i dot(const unpacked *w, const unsigned char *a)
{
    __m512i sum = _mm512_maddubs_epi16(w->codes[0], spread8_512(a));

    for (int e = 1; e < 4; e++)
        sum = _mm512_add_epi16(sum, _mm512_maddubs_epi16(w->codes[e], spread8_512(a + 8 * e)));
    return _mm512_madd_epi16(sum, _mm512_set1_epi16(1));
}

void ck_gemm_nt_q4_0x8_q8_0_avx512(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_0x8_q8_0_avx512_strict(const void *args) { ck_strict_run(strict, args); }
