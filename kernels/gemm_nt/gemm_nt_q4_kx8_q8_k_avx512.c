/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_kx8_q8_k, AVX-512. */
#include "gemm_nt/gemm_nt_q4_kx8_avx512.h"

const ck_numspec ck_gemm_nt_q4_kx8_q8_k_avx512_spec = CK_GEMM_Q4_KX8_SPEC(AT_A_TIME, 0);

/* A sum of 16 bits has eight products of codes, at most 8 * 15 * 128 = 15,360. */
static inline __m512i sub_block(const unpacked *w, const unsigned char *codes, int j)
{
    __m512i sum = _mm512_maddubs_epi16(w->codes[j][0], spread8_512(codes));

    for (int e = 1; e < 4; e++) {
        const __m512i pairs = _mm512_maddubs_epi16(w->codes[j][e], spread8_512(codes + 8 * e));
        sum = _mm512_add_epi16(sum, pairs);
    }
    return _mm512_madd_epi16(sum, w->scales[j]);
}

void ck_gemm_nt_q4_kx8_q8_k_avx512(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_kx8_q8_k_avx512_strict(const void *args) { ck_strict_run(strict, args); }
