/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0 in 512-bit registers: sixteen blocks a step, one to each lane. The including
 * file defines pair_sums() first: the 32 products of block pair a, b in eight integer sums in the
 * lower half, those of the block pair `next` bytes on in the upper half. */
#ifndef CK_GEMM_NT_Q8_0_Q8_0_AVX512_H
#define CK_GEMM_NT_Q8_0_Q8_0_AVX512_H

#include <immintrin.h>

#include "gemm_nt_q8_0_q8_0.h"

enum { LANES = 16 };

static inline __m512i pair_sums(const unsigned char *a, const unsigned char *b, size_t next);

/* With next = 0 both halves are this block's; the lower one is taken. */
static int32_t block_dot(const unsigned char *a, const unsigned char *b)
{
    const __m256i s = _mm512_castsi512_si256(pair_sums(a, b, 0));
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));

    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

/* In each 128 bits, the sums of the four lanes of s0, s1, s2, s3. */
static inline __m512i transposed_sum(__m512i s0, __m512i s1, __m512i s2, __m512i s3)
{
    const __m512i s01 =
        _mm512_add_epi32(_mm512_unpacklo_epi32(s0, s1), _mm512_unpackhi_epi32(s0, s1));
    const __m512i s23 =
        _mm512_add_epi32(_mm512_unpacklo_epi32(s2, s3), _mm512_unpackhi_epi32(s2, s3));

    return _mm512_add_epi32(_mm512_unpacklo_epi64(s01, s23), _mm512_unpackhi_epi64(s01, s23));
}

/* The integer dots of sixteen blocks, each in its lane. By 128 bits:
 *   low:  0..3 0..3' 4..7 4..7'      high: 8..11 8..11' 12..15 12..15' */
static inline __m512i sixteen_dots(const unsigned char *a, const unsigned char *b)
{
    enum { NEXT = 4 * CK_Q8_0_BYTES };
    __m512i s[8]; /* block pairs (0, 4) (1, 5) (2, 6) (3, 7), (8, 12) (9, 13) (10, 14) (11, 15) */

    for (int p = 0; p < 8; p++) {
        const int block = p < 4 ? p : p + 4;
        s[p] = pair_sums(a + block * CK_Q8_0_BYTES, b + block * CK_Q8_0_BYTES, NEXT);
    }
    const __m512i low = transposed_sum(s[0], s[1], s[2], s[3]);
    const __m512i high = transposed_sum(s[4], s[5], s[6], s[7]);
    return _mm512_add_epi32(_mm512_shuffle_i32x4(low, high, 0x88),
                            _mm512_shuffle_i32x4(low, high, 0xdd));
}

static inline short half_at(const unsigned char *p, int l)
{
    return (short)f16_load(p + l * CK_Q8_0_BYTES);
}

static inline __m512 sixteen_scales(const unsigned char *p)
{
    return _mm512_cvtph_ps(_mm256_setr_epi16(
        half_at(p, 0), half_at(p, 1), half_at(p, 2), half_at(p, 3), half_at(p, 4), half_at(p, 5),
        half_at(p, 6), half_at(p, 7), half_at(p, 8), half_at(p, 9), half_at(p, 10), half_at(p, 11),
        half_at(p, 12), half_at(p, 13), half_at(p, 14), half_at(p, 15)));
}

static inline __m512 step(__m512 sum, const unsigned char *a, const unsigned char *b)
{
    const __m512 scale = _mm512_mul_ps(sixteen_scales(a), sixteen_scales(b)); /* exact */

    return _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(sixteen_dots(a, b)), sum);
}

static float row_dot(const unsigned char *a, const unsigned char *b, size_t blocks)
{
    enum { STEP = LANES * CK_Q8_0_BYTES };
    __m512 sum = _mm512_setzero_ps();

    for (; blocks >= LANES; blocks -= LANES, a += STEP, b += STEP) sum = step(sum, a, b);
    if (blocks) {
        unsigned char ta[STEP], tb[STEP];
        copy_tail(ta, a, blocks, LANES);
        copy_tail(tb, b, blocks, LANES);
        sum = step(sum, ta, tb);
    }
    const __m256 upper = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sum), 1));
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(sum), upper);
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

#endif
