/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_kx8 by q8_k in 512 bits. The including file brings `sub_block`. */
#ifndef CK_GEMM_NT_Q4_KX8_AVX512_H
#define CK_GEMM_NT_Q4_KX8_AVX512_H

#include <immintrin.h>

#include "gemm_nt_q4_kx8.h"

/* codes: [sub-block][eight elements]; scales, of 16 bits, four times for each row, and minimums twice. */
typedef struct unpacked {
    __m512i codes[8][4], scales[8];
    __m256i minimums[8];
} unpacked;

#include "gemm_nt_x8_avx512.h"

/* Sub-block j of a row of a, which its 32 codes begin, with the weights: two sums of each of their rows,
 * times its scale. */
static inline __m512i sub_block(const unpacked *w, const unsigned char *codes, int j);

static inline void unpack_scales(unpacked *w, const unsigned char *b)
{
    const __m512i four = _mm512_set_epi64(
        0x0f0e0f0e0f0e0f0e, 0x0d0c0d0c0d0c0d0c, 0x0b0a0b0a0b0a0b0a, 0x0908090809080908,
        0x0706070607060706, 0x0504050405040504, 0x0302030203020302, 0x0100010001000100);
    const __m256i two =
        _mm256_setr_epi8(0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, //
                         8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15);

    for (int j = 0; j < 8; j++) {
        const __m256i both = sub_scales(b + B_SCALES + SUB_SCALES * j);
        const __m256i m = _mm256_permute2x128_si256(both, both, 0x11);
        w->scales[j] =
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm256_castsi256_si128(both)), four);
        w->minimums[j] = _mm256_shuffle_epi8(m, two);
    }
}

static inline void unpack(unpacked *w, const unsigned char *b)
{
    for (int g = 0; g < 4; g++)
        split_chunks(w->codes[2 * g], w->codes[2 * g + 1], b + B_CODES + 64 * 4 * g, 4,
                     _mm512_setzero_si512());
    unpack_scales(w, b);
}

ROWS_INLINE void integers_of_rows(sums_of_rows *s, const unpacked *w, const unsigned char *a,
                                  size_t ld, int count)
{
    __m512i sum[AT_A_TIME];

    for (int r = 0; r < count; r++) {
        sum[r] = _mm512_setzero_si512();
        s->minimums[r] = _mm256_setzero_si256();
    }
    for (int j = 0; j < 8; j++)
        for (int r = 0; r < count; r++) {
            const unsigned char *const row = a + (size_t)r * ld;
            const __m512i codes = sub_block(w, row + A_CODES_K + 32 * j, j);
            const __m256i m = minimums_of(w->minimums[j], row, j);
            sum[r] = _mm512_add_epi32(sum[r], codes);
            s->minimums[r] = _mm256_add_epi32(s->minimums[r], m);
        }
    for (int r = 0; r < count; r++) s->codes[r] = pairs_sum(sum[r]);
}

#endif
