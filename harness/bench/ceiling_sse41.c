/* SPDX-License-Identifier: MIT */
/* Ceilings of the sse41 bundle: 4 floats, 16 bytes. */
#include <smmintrin.h>

typedef __m128 vf;
typedef __m128i vi;
enum { FLOATS = 4, BYTES = 16, PRODUCTS = 16 };

static inline vf vf_set(float x) { return _mm_set1_ps(x); }
static inline vf vf_muladd(vf a, vf b, vf c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
static inline void vf_store(float *to, vf x) { _mm_storeu_ps(to, x); }
static inline vi vi_load(const void *from) { return _mm_load_si128(from); }
static inline void vi_store(void *to, vi x) { _mm_storeu_si128(to, x); }
static inline vi vi_xor(vi a, vi b) { return _mm_xor_si128(a, b); }
static inline vi vi_set8(signed char x) { return _mm_set1_epi8(x); }
static inline vi vi_dot(vi sum, vi a, vi b)
{
    const vi pairs = _mm_maddubs_epi16(a, b);
    return _mm_add_epi32(sum, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
}

#include "ceiling_dot8.h"
#include "ceiling_float.h"

const hn_ceiling hn_ceiling_sse41 = { fma_peak, dot8_peak, read_all };
