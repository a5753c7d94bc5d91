/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_kx8_q8_k, AVX2 and AVX-VNNI. */
#include "gemm_nt/gemm_nt_q4_kx8_avx2.h"

const ck_numspec ck_gemm_nt_q4_kx8_q8_k_avxvnni_spec = CK_GEMM_Q4_KX8_SPEC(AT_A_TIME, 0);

/* A sum has sixteen products of codes, at most 16 * 15 * 128 = 30,720: its lower half has all of it, and
 * the upper one, its sign, is multiplied by 0. */
ROWS_INLINE void sub_block(__m256i (*sum)[2], const unpacked *w, const unsigned char *a, size_t ld,
                           int count, int j)
{
    const __m256i lower = _mm256_set1_epi32(0xffff);

    for (int r = 0; r < count; r++)
        for (int h = 0; h < 2; h++) {
            __m256i dot = _mm256_setzero_si256();
            for (int e = 0; e < 4; e++)
                dot = _mm256_dpbusd_epi32(dot, w->codes[j][e][h],
                                          spread8(a + (size_t)r * ld + 8 * e));
            const __m256i scale = _mm256_and_si256(w->scales[j][h], lower);
            sum[r][h] = _mm256_add_epi32(sum[r][h], _mm256_madd_epi16(dot, scale));
        }
}

void ck_gemm_nt_q4_kx8_q8_k_avxvnni(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_kx8_q8_k_avxvnni_strict(const void *args) { ck_strict_run(strict, args); }
