/* SPDX-License-Identifier: MIT */
/* gemm_nt of eight interleaved rows of weights in 256 bits: rows 0..3 in one register and 4..7 in another.
 * What is summed in pairs of lanes has the order 0 1 4 5 | 2 3 6 7. */
#ifndef CK_GEMM_NT_X8_AVX2_H
#define CK_GEMM_NT_X8_AVX2_H

#include "gemm_nt_x8_rows.h"

/* 0 1 4 5 | 2 3 6 7 from and to 0 1 2 3 | 4 5 6 7. */
static inline __m256i in_order(__m256i x) { return _mm256_permute4x64_epi64(x, 0xd8); }
static inline __m256 of_order(__m256 x)
{
    return _mm256_castsi256_ps(in_order(_mm256_castps_si256(x)));
}

/* Of chunks of eight bytes of each row the nibbles without sign: low[chunk][half of the rows], and high. */
ROWS_INLINE void split_chunks(__m256i (*low)[2], __m256i (*high)[2], const unsigned char *b,
                              int chunks, __m256i flip)
{
    const __m256i nibble = _mm256_set1_epi8(15);

    for (int c = 0; c < chunks; c++)
        for (int h = 0; h < 2; h++) {
            const __m256i bytes = _mm256_xor_si256(load_bytes(b + 64 * c + 32 * h), flip);
            low[c][h] = _mm256_and_si256(bytes, nibble);
            high[c][h] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
        }
}

#endif
