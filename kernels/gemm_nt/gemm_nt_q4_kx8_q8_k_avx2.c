/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_kx8_q8_k, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q4_kx8_avx2.h"

const ck_numspec ck_gemm_nt_q4_kx8_q8_k_avx2_spec = CK_GEMM_Q4_KX8_SPEC(AT_A_TIME, 0);

/* A sum of 16 bits has eight products of codes, at most 8 * 15 * 128 = 15,360. */
ROWS_INLINE void sub_block(__m256i (*sum)[2], const unpacked *w, const unsigned char *a, size_t ld,
                           int count, int j)
{
    __m256i eight[AT_A_TIME][2];

    for (int e = 0; e < 4; e++)
        for (int r = 0; r < count; r++) {
            const __m256i x = spread8(a + (size_t)r * ld + 8 * e);
            for (int h = 0; h < 2; h++) {
                const __m256i pairs = _mm256_maddubs_epi16(w->codes[j][e][h], x);
                eight[r][h] = e ? _mm256_add_epi16(eight[r][h], pairs) : pairs;
            }
        }
    for (int r = 0; r < count; r++)
        for (int h = 0; h < 2; h++) {
            const __m256i scaled = _mm256_madd_epi16(eight[r][h], w->scales[j][h]);
            sum[r][h] = _mm256_add_epi32(sum[r][h], scaled);
        }
}

void ck_gemm_nt_q4_kx8_q8_k_avx2(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_kx8_q8_k_avx2_strict(const void *args) { ck_strict_run(strict, args); }
