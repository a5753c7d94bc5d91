/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0 in 256-bit registers: eight blocks a step, one to each lane. The including file
 * defines block_sums() first: the 32 products of a block pair in eight integer sums. */
#ifndef CK_GEMM_NT_Q8_0_Q8_0_AVX2_H
#define CK_GEMM_NT_Q8_0_Q8_0_AVX2_H

#include <immintrin.h>

#include "gemm_nt_q8_0_q8_0.h"

enum { LANES = 8 };

static inline __m256i block_sums(const unsigned char *a, const unsigned char *b);

static int32_t block_dot(const unsigned char *a, const unsigned char *b)
{
    const __m256i s = block_sums(a, b);
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));

    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

/* The integer dots of eight blocks, each in its lane. Of the four sums of s[l] in either half:
 *   low:  s0 s1 s2 s3 | s0' s1' s2' s3'      high: s4 s5 s6 s7 | s4' s5' s6' s7' */
static inline __m256i eight_dots(const unsigned char *a, const unsigned char *b)
{
    __m256i s[LANES];

    for (int l = 0; l < LANES; l++) s[l] = block_sums(a + l * CK_Q8_0_BYTES, b + l * CK_Q8_0_BYTES);
    const __m256i low = _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), //
                                          _mm256_hadd_epi32(s[2], s[3]));
    const __m256i high = _mm256_hadd_epi32(_mm256_hadd_epi32(s[4], s[5]), //
                                           _mm256_hadd_epi32(s[6], s[7]));
    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                            _mm256_permute2x128_si256(low, high, 0x31));
}

static inline short half_at(const unsigned char *p, int l)
{
    return (short)f16_load(p + l * CK_Q8_0_BYTES);
}

static inline __m256 eight_scales(const unsigned char *p)
{
    return _mm256_cvtph_ps(_mm_setr_epi16(half_at(p, 0), half_at(p, 1), half_at(p, 2),
                                          half_at(p, 3), half_at(p, 4), half_at(p, 5),
                                          half_at(p, 6), half_at(p, 7)));
}

static inline __m256 step(__m256 sum, const unsigned char *a, const unsigned char *b)
{
    const __m256 scale = _mm256_mul_ps(eight_scales(a), eight_scales(b)); /* exact */

    return _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(eight_dots(a, b)), sum);
}

static float row_dot(const unsigned char *a, const unsigned char *b, size_t blocks)
{
    enum { STEP = LANES * CK_Q8_0_BYTES };
    __m256 sum = _mm256_setzero_ps();

    for (; blocks >= LANES; blocks -= LANES, a += STEP, b += STEP) sum = step(sum, a, b);
    if (blocks) {
        unsigned char ta[STEP], tb[STEP];
        copy_tail(ta, a, blocks, LANES);
        copy_tail(tb, b, blocks, LANES);
        sum = step(sum, ta, tb);
    }
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

#endif
