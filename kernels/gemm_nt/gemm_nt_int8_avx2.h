/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers, AVX2. */
#ifndef CK_GEMM_NT_INT8_AVX2_H
#define CK_GEMM_NT_INT8_AVX2_H

#include <immintrin.h>

enum { STEP = 16, MR = 4, NR = 2 };
typedef __m256i bytes;
typedef __m256i sums;

#include "gemm_nt_int8.h"

/* Elements as 16 bits: a sum of two products is at most 2 * 255 * 128, which VPMADDWD makes in 32. */
INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)p);
    return is_signed ? _mm256_cvtepi8_epi16(x) : _mm256_cvtepu8_epi16(x);
}

INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed)
{
    (void)is_signed;
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed)
{
    (void)is_signed;
    return _mm256_add_epi32(s, _mm256_madd_epi16(a, b));
}

INT8_INLINE bool moves(bool is_signed)
{
    (void)is_signed;
    return false;
}

INT8_INLINE sums add_moves(sums s, bytes a)
{
    (void)a;
    return s;
}

INT8_INLINE sums no_sums(void) { return _mm256_setzero_si256(); }

INT8_INLINE uint32_t total(sums s)
{
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(x);
}

#endif
