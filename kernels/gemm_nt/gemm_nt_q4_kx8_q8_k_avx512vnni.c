/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_kx8_q8_k, AVX-512 and VNNI. */
#include "gemm_nt/gemm_nt_q4_kx8_avx512.h"

const ck_numspec ck_gemm_nt_q4_kx8_q8_k_avx512vnni_spec = CK_GEMM_Q4_KX8_SPEC(AT_A_TIME, 0);

/* A sum has sixteen products of codes, at most 16 * 15 * 128 = 30,720: its lower half has all of it, and
 * the upper one, its sign, is multiplied by 0. */
static inline __m512i sub_block(const unpacked *w, const unsigned char *codes, int j)
{
    const __m512i scale = _mm512_and_si512(w->scales[j], _mm512_set1_epi32(0xffff));
    __m512i sum = _mm512_setzero_si512();

    for (int e = 0; e < 4; e++)
        sum = _mm512_dpbusd_epi32(sum, w->codes[j][e], spread8_512(codes + 8 * e));
    return _mm512_madd_epi16(sum, scale);
}

void ck_gemm_nt_q4_kx8_q8_k_avx512vnni(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_kx8_q8_k_avx512vnni_strict(const void *args) { ck_strict_run(strict, args); }
