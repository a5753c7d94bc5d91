/* SPDX-License-Identifier: MIT */
/* Codes of blocks in 256-bit registers, one in each byte, in the order of the elements. */
#ifndef CK_GEMM_NT_Q_BYTES_H
#define CK_GEMM_NT_Q_BYTES_H

#include <immintrin.h>

#include "gemm_nt_q.h"

static inline __m256i load_bytes(const unsigned char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* The low nibbles of 16 bytes, then the high ones. */
static inline __m256i nibbles(const unsigned char *p)
{
    const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
    const __m256i shifts = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);

    return _mm256_and_si256(_mm256_srlv_epi32(twice, shifts), _mm256_set1_epi8(15));
}

/* Bit e of 32 as 16 in byte e: byte e gets byte e / 8, of which its own bit is kept. */
static inline __m256i fifths(const unsigned char *p)
{
    int32_t bits;

    memcpy(&bits, p, sizeof bits);
    const __m256i spread = _mm256_shuffle_epi8(
        _mm256_set1_epi32(bits), _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2,
                                                  2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
    const __m256i own = _mm256_set1_epi64x((long long)0x8040201008040201ull);
    const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, own), own);

    return _mm256_and_si256(is_set, _mm256_set1_epi8(16));
}

/* Codes are below 64 and zero is at most 32: pairs of products, of codes with zero taken off or not,
 * are at most 2 * 63 * 128 = 16,128 and no sum of 16 bits saturates. */
static inline __m256i pair_sums(__m256i q, int zero, __m256i a)
{
    const __m256i pairs = _mm256_maddubs_epi16(q, a);

    if (zero == 0) return pairs;
    return _mm256_sub_epi16(pairs, _mm256_maddubs_epi16(_mm256_set1_epi8((char)zero), a));
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

/* Integers of one block pair of 256, in eight parts each. */
typedef struct k_parts {
    __m256i codes, minimums;
} k_parts;

/* Lane j of 16 bits, of either half of x, in all lanes of that half. */
static inline __m256i spread(__m256i x, int j)
{
    return _mm256_shuffle_epi8(x, _mm256_set1_epi16((short)(0x0100 + 0x0202 * j)));
}

/* m[j] (bsums[2j] + bsums[2j+1]) in lane j: any 16 bits may be stored. */
static inline __m256i minimums_k(const unsigned char *a, __m256i scales)
{
    const __m256i m = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(scales, 1));
    const __m256i twice = _mm256_or_si256(m, _mm256_slli_epi32(m, 16));

    return _mm256_madd_epi16(load_bytes(a + A_BSUMS_K), twice);
}

#endif
