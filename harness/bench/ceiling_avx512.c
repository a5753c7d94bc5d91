/* SPDX-License-Identifier: MIT */
/* Ceilings of the avx512 bundle: 16 floats, 64 bytes, FMA. */
#include <immintrin.h>

typedef __m512 vf;
typedef __m512i vi;
enum { FLOATS = 16, BYTES = 64, PRODUCTS = 64 };

static inline vf vf_set(float x) { return _mm512_set1_ps(x); }
static inline vf vf_muladd(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline void vf_store(float *to, vf x) { _mm512_storeu_ps(to, x); }
static inline vi vi_load(const void *from) { return _mm512_loadu_si512(from); }
static inline void vi_store(void *to, vi x) { _mm512_storeu_si512(to, x); }
static inline vi vi_xor(vi a, vi b) { return _mm512_xor_si512(a, b); }
static inline vi vi_set8(signed char x) { return _mm512_set1_epi8(x); }
static inline vi vi_dot(vi sum, vi a, vi b)
{
    const vi pairs = _mm512_maddubs_epi16(a, b);
    return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}

#include "ceiling_dot8.h"
#include "ceiling_float.h"

const hn_ceiling hn_ceiling_avx512 = { fma_peak, dot8_peak, read_all };
