/* SPDX-License-Identifier: MIT */
/* gemm_nt of bytes into 32-bit integers, AVX-512 and VNNI. */
#ifndef CK_GEMM_NT_INT8_AVX512VNNI_H
#define CK_GEMM_NT_INT8_AVX512VNNI_H

#include <immintrin.h>

enum { STEP = 64, MR = 4, NR = 4 };
typedef __m512i bytes;
typedef __m512i sums;

#include "gemm_nt_int8.h"

INT8_INLINE bytes read_a(const unsigned char *p, bool is_signed)
{
    (void)is_signed;
    return _mm512_loadu_si512(p);
}

/* VPDPBUSD multiplies unsigned by signed: b ^ 0x80 is b + 128 without sign. */
INT8_INLINE bytes read_b(const unsigned char *p, bool is_signed)
{
    const bytes x = _mm512_loadu_si512(p);
    return is_signed ? _mm512_xor_si512(x, _mm512_set1_epi8(-128)) : x;
}

/* Wraps, and never saturates: that would be VPDPBUSDS. */
INT8_INLINE sums add_products(sums s, bytes a, bytes b, bool is_signed)
{
    return is_signed ? _mm512_dpbusd_epi32(s, b, a) : _mm512_dpbusd_epi32(s, a, b);
}

INT8_INLINE bool moves(bool is_signed) { return is_signed; }

INT8_INLINE sums add_moves(sums s, bytes a)
{
    return _mm512_dpbusd_epi32(s, _mm512_set1_epi8(-128), a);
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
