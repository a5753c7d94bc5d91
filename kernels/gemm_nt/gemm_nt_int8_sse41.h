/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers, SSE4.1. */
#ifndef CK_GEMM_NT_INT8_SSE41_H
#define CK_GEMM_NT_INT8_SSE41_H

#include <smmintrin.h>

enum { STEP = 8, MR = 4, NR = 2 };
typedef __m128i bytes;
typedef __m128i sums;

#include "gemm_nt_int8.h"

/* Elements as 16 bits: a sum of two products is at most 2 * 255 * 128, which PMADDWD makes in 32. */
INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed)
{
    const __m128i x = _mm_loadl_epi64((const __m128i *)p);
    return is_signed ? _mm_cvtepi8_epi16(x) : _mm_cvtepu8_epi16(x);
}

INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed)
{
    (void)is_signed;
    return _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)p));
}

INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed)
{
    (void)is_signed;
    return _mm_add_epi32(s, _mm_madd_epi16(a, b));
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

INT8_INLINE sums no_sums(void) { return _mm_setzero_si128(); }

INT8_INLINE uint32_t total(sums s)
{
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(s);
}

#endif
