/* SPDX-License-Identifier: MIT */
/* Blocks in 256-bit registers: what instruction sets share. */
#ifndef CK_GEMM_NT_Q_BYTES_H
#define CK_GEMM_NT_Q_BYTES_H

#include <immintrin.h>

#include "gemm_nt_q.h"

static inline __m256i load_bytes(const unsigned char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* The eight scales and, eight bytes on, the eight minimums of q4_k and q5_k, as 16 bits:
 *   bit     7 6  5 4 3 2 1 0              7 6 5 4   3 2 1 0
 *   b[n]    s[4+n] s[n]         b[8+n]    m[4+n]    s[4+n]       the upper two bits, all six,
 *   b[4+n]  m[4+n] m[n]                                          the lower four; n = 0..3 */
static inline __m256i sub_scales(const unsigned char *b)
{
    uint64_t first;
    uint32_t last;

    memcpy(&first, b, sizeof first);
    memcpy(&last, b + 8, sizeof last);
    const uint64_t low = last | (uint64_t)last
                                    << 28; /* nibbles of b[8..11], the high ones 32 bits on */
    const uint64_t six = first & 0x3f3f3f3f3f3f3f3fu; /* s[0..3] m[0..3] */
    const uint64_t upper = (first >> 2 & 0x3030303030303030u) | (low & 0x0f0f0f0f0f0f0f0fu);
    const __m128i both = _mm_set_epi64x((long long)upper, (long long)six); /* s m s' m' by fours */

    return _mm256_cvtepu8_epi16(_mm_shuffle_epi32(both, 0xd8));
}

/* Of q8_k: m[j] in both halves of a lane, times bsums[2j] and bsums[2j+1]. */
static inline __m256i minimums_of(__m256i m, const unsigned char *a, int j)
{
    int32_t two;

    memcpy(&two, a + A_BSUMS_K + 4 * j, sizeof two);
    return _mm256_madd_epi16(m, _mm256_set1_epi32(two));
}

/* Integers of one block pair of 256, in eight parts each. */
typedef struct k_parts {
    __m256i codes, minimums;
} k_parts;

#endif
