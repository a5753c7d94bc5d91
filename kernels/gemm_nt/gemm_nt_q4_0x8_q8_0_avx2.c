/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_0x8_q8_0, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q4_0x8_avx2.h"

const ck_numspec ck_gemm_nt_q4_0x8_q8_0_avx2_spec = CK_GEMM_Q4_0X8_SPEC(AT_A_TIME, 0);

/* Sums of 16 bits have eight products of codes and then sixteen, at most 16 * 15 * 128 = 30,720. */
ROWS_INLINE __m256i dot(const unpacked *w, const __m256i *a)
{
    __m256i eight[2];

    for (int h = 0; h < 2; h++) {
        const __m256i first = _mm256_add_epi16(_mm256_maddubs_epi16(w->codes[0][h], a[0]),
                                               _mm256_maddubs_epi16(w->codes[1][h], a[1]));
        const __m256i last = _mm256_add_epi16(_mm256_maddubs_epi16(w->codes[2][h], a[2]),
                                              _mm256_maddubs_epi16(w->codes[3][h], a[3]));
        eight[h] = _mm256_add_epi16(first, last);
    }
    return _mm256_madd_epi16(_mm256_hadd_epi16(eight[0], eight[1]), _mm256_set1_epi16(1));
}

void ck_gemm_nt_q4_0x8_q8_0_avx2(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_0x8_q8_0_avx2_strict(const void *args) { ck_strict_run(strict, args); }
