/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers, AVX-VNNI. */
#ifndef CK_GEMM_NT_INT8_AVXVNNI_H
#define CK_GEMM_NT_INT8_AVXVNNI_H

#include <immintrin.h>

enum { STEP = 32, MR = 4, NR = 2 };
typedef __m256i bytes;
typedef __m256i sums;

#include "gemm_nt_int8.h"

INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed)
{
    (void)is_signed;
    return _mm256_loadu_si256((const __m256i *)p);
}

/* VPDPBUSD multiplies unsigned by signed: b ^ 0x80 is b + 128 without sign. */
INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed)
{
    const bytes x = _mm256_loadu_si256((const __m256i *)p);
    return is_signed ? _mm256_xor_si256(x, _mm256_set1_epi8(-128)) : x;
}

/* Wraps, and never saturates: that would be VPDPBUSDS. */
INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed)
{
    return is_signed ? _mm256_dpbusd_epi32(s, b, a) : _mm256_dpbusd_epi32(s, a, b);
}

INT8_INLINE bool moves(bool is_signed) { return is_signed; }

INT8_INLINE sums add_moves(sums s, bytes a)
{
    return _mm256_dpbusd_epi32(s, _mm256_set1_epi8(-128), a);
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
