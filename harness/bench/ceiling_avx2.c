/* SPDX-License-Identifier: MIT */
/* Ceilings of the avx2 bundle: 8 floats, 32 bytes, FMA. */
#include <immintrin.h>

typedef __m256 vf;
typedef __m256i vi;
enum { FLOATS = 8, BYTES = 32, PRODUCTS = 32 };

static inline vf vf_set(float x) { return _mm256_set1_ps(x); }
static inline vf vf_muladd(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline void vf_store(float *to, vf x) { _mm256_storeu_ps(to, x); }
static inline vi vi_load(const void *from) { return _mm256_load_si256(from); }
static inline void vi_store(void *to, vi x) { _mm256_storeu_si256(to, x); }
static inline vi vi_xor(vi a, vi b) { return _mm256_xor_si256(a, b); }
static inline vi vi_set8(signed char x) { return _mm256_set1_epi8(x); }
static inline vi vi_dot(vi sum, vi a, vi b)
{
    const vi pairs = _mm256_maddubs_epi16(a, b);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#include "ceiling_dot8.h"
#include "ceiling_float.h"

const hn_ceiling hn_ceiling_avx2 = { fma_peak, dot8_peak, read_all };
