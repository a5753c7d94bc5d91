/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_kx8 by q8_k in 256 bits. The including file brings `sub_block`. */
#ifndef CK_GEMM_NT_Q4_KX8_AVX2_H
#define CK_GEMM_NT_Q4_KX8_AVX2_H

#include <immintrin.h>

#include "gemm_nt_q4_kx8.h"

/* codes: [sub-block][eight elements][half of the rows]; scales, of 16 bits, four times for each row, and
 * minimums twice, in the order of the sums: rows 0 1 4 5 | 2 3 6 7. */
typedef struct unpacked {
    __m256i codes[8][4][2], scales[8][2], minimums[8];
} unpacked;

#include "gemm_nt_x8_avx2.h"

/* Sub-block j of `count` rows of a: what it adds to two sums of each row of weights. */
ROWS_INLINE void sub_block(__m256i (*sum)[2], const unpacked *w, const unsigned char *a, size_t ld,
                           int count, int j);

static inline void unpack_scales(unpacked *w, const unsigned char *b)
{
    const __m256i four = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, //
                                          4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7);
    const __m256i two = _mm256_setr_epi8(0, 1, 0, 1, 2, 3, 2, 3, 8, 9, 8, 9, 10, 11, 10, 11, //
                                         4, 5, 4, 5, 6, 7, 6, 7, 12, 13, 12, 13, 14, 15, 14, 15);

    for (int j = 0; j < 8; j++) {
        const __m256i both = sub_scales(b + B_SCALES + SUB_SCALES * j);
        const __m256i s = _mm256_permute2x128_si256(both, both, 0x00);
        const __m256i m = _mm256_permute2x128_si256(both, both, 0x11);
        w->scales[j][0] = _mm256_shuffle_epi8(s, four);
        w->scales[j][1] = _mm256_shuffle_epi8(s, _mm256_add_epi8(four, _mm256_set1_epi8(8)));
        w->minimums[j] = _mm256_shuffle_epi8(m, two);
    }
}

static inline void unpack(unpacked *w, const unsigned char *b)
{
    for (int g = 0; g < 4; g++)
        split_chunks(w->codes[2 * g], w->codes[2 * g + 1], b + B_CODES + 64 * 4 * g, 4,
                     _mm256_setzero_si256());
    unpack_scales(w, b);
}

ROWS_INLINE void integers_of_rows(sums_of_rows *s, const unpacked *w, const unsigned char *a,
                                  size_t ld, int count)
{
    __m256i sum[AT_A_TIME][2];

    for (int r = 0; r < count; r++) sum[r][0] = sum[r][1] = s->minimums[r] = _mm256_setzero_si256();
    for (int j = 0; j < 8; j++) {
        sub_block(sum, w, a + A_CODES_K + 32 * j, ld, count, j);
        for (int r = 0; r < count; r++) {
            const __m256i m = minimums_of(w->minimums[j], a + (size_t)r * ld, j);
            s->minimums[r] = _mm256_add_epi32(s->minimums[r], m);
        }
    }
    for (int r = 0; r < count; r++) s->codes[r] = _mm256_hadd_epi32(sum[r][0], sum[r][1]);
}

#endif
