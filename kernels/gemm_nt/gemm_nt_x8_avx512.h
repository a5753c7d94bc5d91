/* SPDX-License-Identifier: MIT */
/* gemm_nt of eight interleaved rows of weights in 512 bits: eight rows in a register. */
#ifndef CK_GEMM_NT_X8_AVX512_H
#define CK_GEMM_NT_X8_AVX512_H

#include "gemm_nt_x8_rows.h"

static inline __m256i in_order(__m256i x) { return x; }
static inline __m256 of_order(__m256 x) { return x; }

static inline __m512i spread8_512(const unsigned char *p)
{
    long long x;

    memcpy(&x, p, sizeof x);
    return _mm512_set1_epi64(x);
}

/* Of chunks of eight bytes of each row the nibbles without sign. */
ROWS_INLINE void split_chunks(__m512i *low, __m512i *high, const unsigned char *b, int chunks,
                              __m512i flip)
{
    const __m512i nibble = _mm512_set1_epi8(15);

    for (int c = 0; c < chunks; c++) {
        const __m512i bytes = _mm512_xor_si512(_mm512_loadu_si512(b + 64 * c), flip);
        low[c] = _mm512_and_si512(bytes, nibble);
        high[c] = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble);
    }
}

/* The sum of each pair of lanes. */
static inline __m256i pairs_sum(__m512i x)
{
    const __m512i even = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i sum = _mm512_add_epi32(x, _mm512_srli_epi64(x, 32));

    return _mm512_castsi512_si256(_mm512_permutexvar_epi32(even, sum));
}

#endif
