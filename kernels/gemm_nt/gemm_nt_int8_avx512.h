/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers, AVX-512. */
#ifndef CK_GEMM_NT_INT8_AVX512_H
#define CK_GEMM_NT_INT8_AVX512_H

#include <immintrin.h>

enum { STEP = 32, MR = 4, NR = 4 };
typedef __m512i bytes;
typedef __m512i sums;

#include "gemm_nt_int8.h"

/* Elements as 16 bits: a sum of two products is at most 2 * 255 * 128, which VPMADDWD makes in 32. */
INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed)
{
    const __m256i x = _mm256_loadu_si256((const __m256i *)p);
    return is_signed ? _mm512_cvtepi8_epi16(x) : _mm512_cvtepu8_epi16(x);
}

INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed)
{
    (void)is_signed;
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p));
}

INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed)
{
    (void)is_signed;
    return _mm512_add_epi32(s, _mm512_madd_epi16(a, b));
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

INT8_INLINE sums no_sums(void) { return _mm512_setzero_si512(); }

INT8_INLINE uint32_t total(sums s)
{
    const __m256i two =
        _mm256_add_epi32(_mm512_castsi512_si256(s), _mm512_extracti64x4_epi64(s, 1));
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(x);
}

#endif
