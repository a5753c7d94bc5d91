/* SPDX-License-Identifier: MIT */
/* Vector primitives of the avx512 bundle: 16 floats, 8 doubles, FMA. Contracts: simd/scalar.h. */
#ifndef CK_SIMD_H
#define CK_SIMD_H

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef __m512 ck_vf;
typedef __m512d ck_vd;
typedef __m512i ck_vi;
enum { CK_VF_LANES = 16, CK_VD_LANES = 8 };

/* Ones in bits 0..n-1. */
static inline __mmask16 ck_vf_mask(size_t n) { return (__mmask16)((1u << n) - 1u); }
static inline __mmask8 ck_vd_mask(size_t n) { return (__mmask8)((1u << n) - 1u); }

static inline ck_vf ck_vf_set1(float x) { return _mm512_set1_ps(x); }
static inline ck_vf ck_vf_load(const float *p) { return _mm512_loadu_ps(p); }
static inline ck_vf ck_vf_load_n(const float *p, size_t n, float rest)
{
    const __mmask16 mask = ck_vf_mask(n);
    return _mm512_mask_blend_ps(mask, _mm512_set1_ps(rest), _mm512_maskz_loadu_ps(mask, p));
}
static inline void ck_vf_store(float *p, ck_vf x) { _mm512_storeu_ps(p, x); }
static inline void ck_vf_store_n(float *p, ck_vf x, size_t n)
{
    _mm512_mask_storeu_ps(p, ck_vf_mask(n), x);
}
static inline ck_vf ck_vf_add(ck_vf a, ck_vf b) { return _mm512_add_ps(a, b); }
static inline ck_vf ck_vf_sub(ck_vf a, ck_vf b) { return _mm512_sub_ps(a, b); }
static inline ck_vf ck_vf_mul(ck_vf a, ck_vf b) { return _mm512_mul_ps(a, b); }
static inline ck_vf ck_vf_div(ck_vf a, ck_vf b) { return _mm512_div_ps(a, b); }
static inline ck_vf ck_vf_max(ck_vf a, ck_vf b) { return _mm512_max_ps(a, b); }
static inline ck_vf ck_vf_min(ck_vf a, ck_vf b) { return _mm512_min_ps(a, b); }
static inline ck_vf ck_vf_muladd(ck_vf a, ck_vf b, ck_vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline ck_vf ck_vf_if_lt(ck_vf a, ck_vf b, ck_vf yes, ck_vf no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}
/* The upper half of the immediate, the number of fraction bits kept, is 0. */
static inline ck_vf ck_vf_round(ck_vf x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* A NaN n converts to 0x80000000, which the shift makes 0. */
static inline ck_vf ck_vf_shift(ck_vf x, ck_vf n)
{
    const __m512i exponent = _mm512_slli_epi32(_mm512_cvttps_epi32(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), exponent));
}
/* Four floats each of four rows that are four apart. */
static inline __m512 ck_vf_load_four(const float *p, size_t ld)
{
    __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(p));
    x = _mm512_insertf32x4(x, _mm_loadu_ps(p + 4 * ld), 1);
    x = _mm512_insertf32x4(x, _mm_loadu_ps(p + 8 * ld), 2);
    return _mm512_insertf32x4(x, _mm_loadu_ps(p + 12 * ld), 3);
}
/* All quarters at once: quarter q has rows 4q..4q+3. */
static inline void ck_vf_load_across(ck_vf *x, const float *p, size_t ld)
{
    for (int h = 0; h < 16; h += 4) {
        const __m512 r0 = ck_vf_load_four(p + h, ld), r1 = ck_vf_load_four(p + h + ld, ld);
        const __m512 r2 = ck_vf_load_four(p + h + 2 * ld, ld);
        const __m512 r3 = ck_vf_load_four(p + h + 3 * ld, ld);
        const __m512 a = _mm512_unpacklo_ps(r0, r1), b = _mm512_unpacklo_ps(r2, r3);
        const __m512 c = _mm512_unpackhi_ps(r0, r1), d = _mm512_unpackhi_ps(r2, r3);
        x[h] = _mm512_shuffle_ps(a, b, 0x44);
        x[h + 1] = _mm512_shuffle_ps(a, b, 0xee);
        x[h + 2] = _mm512_shuffle_ps(c, d, 0x44);
        x[h + 3] = _mm512_shuffle_ps(c, d, 0xee);
    }
}
static inline __m256 ck_vf_upper(ck_vf x)
{
    return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
}
/* Lane l of the results is lane index[l] of both operands, one after the other. */
static inline void ck_vf_load_pairs(const float *p, ck_vf *first, ck_vf *second)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512 x = _mm512_loadu_ps(p), y = _mm512_loadu_ps(p + 16);
    *first = _mm512_permutex2var_ps(x, even, y);
    *second = _mm512_permutex2var_ps(x, _mm512_add_epi32(even, _mm512_set1_epi32(1)), y);
}
static inline void ck_vf_store_pairs(float *p, ck_vf first, ck_vf second)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    _mm512_storeu_ps(p, _mm512_permutex2var_ps(first, low, second));
    _mm512_storeu_ps(p + 16, _mm512_permutex2var_ps(first, high, second));
}
static inline float ck_vf_sum(ck_vf x)
{
    const __m256 o = _mm256_add_ps(_mm512_castps512_ps256(x), ck_vf_upper(x));
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(o), _mm256_extractf128_ps(o, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
static inline float ck_vf_hmax(ck_vf x)
{
    const __m256 o = _mm256_max_ps(_mm512_castps512_ps256(x), ck_vf_upper(x));
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(o), _mm256_extractf128_ps(o, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
}
static inline float ck_f_muladd(float a, float b, float c)
{
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}

static inline ck_vf ck_vf_if_nan(ck_vf x, ck_vf y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x, y);
}
static inline ck_vf ck_vf_one_nan(ck_vf x) { return ck_vf_if_nan(x, _mm512_set1_ps(NAN)); }

static inline ck_vi ck_vi_load_u8(const unsigned char *p)
{
    const void *sixteen = p;
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(sixteen));
}
static inline ck_vi ck_vi_load_s8(const unsigned char *p)
{
    const void *sixteen = p;
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(sixteen));
}
static inline void ck_vi_store_8(unsigned char *p, ck_vi x)
{
    void *sixteen = p;
    _mm_storeu_si128(sixteen, _mm512_cvtsepi32_epi8(x));
}
static inline ck_vi ck_vi_field(ck_vi x, int shift, int mask)
{
    return _mm512_and_si512(_mm512_srl_epi32(x, _mm_cvtsi32_si128(shift)), _mm512_set1_epi32(mask));
}
static inline ck_vi ck_vi_add(ck_vi x, int n) { return _mm512_add_epi32(x, _mm512_set1_epi32(n)); }
static inline ck_vi ck_vi_join(ck_vi low, ck_vi high, int zero)
{
    return _mm512_add_epi32(ck_vi_add(low, -zero), _mm512_slli_epi32(high, 4));
}
static inline ck_vf ck_vi_to_f(ck_vi x) { return _mm512_cvtepi32_ps(x); }
static inline ck_vi ck_vi_bits(uint32_t word)
{
    return _mm512_maskz_mov_epi32((__mmask16)word, _mm512_set1_epi32(1));
}

static inline __m256i ck_vi_load_16(const unsigned char *p)
{
    const void *sixteen = p;
    return _mm256_loadu_si256(sixteen);
}
static inline ck_vf ck_vf_load_half(const unsigned char *p)
{
    return ck_vf_one_nan(_mm512_cvtph_ps(ck_vi_load_16(p)));
}
static inline ck_vf ck_vf_load_brain(const unsigned char *p)
{
    const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(ck_vi_load_16(p)), 16);
    return ck_vf_one_nan(_mm512_castsi512_ps(bits));
}
static inline void ck_vf_store_half(unsigned char *p, ck_vf x)
{
    void *sixteen = p;
    _mm256_storeu_si256(sixteen, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline void ck_vf_store_brain(unsigned char *p, ck_vf x)
{
    void *sixteen = p;
    const __m512i all = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(all, 16), _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(all, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_or_si512(all, _mm512_set1_epi32(0x400000));
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i bits = _mm512_srli_epi32(_mm512_mask_blend_epi32(nan, up, quiet), 16);
    _mm256_storeu_si256(sixteen, _mm512_cvtepi32_epi16(bits));
}
static inline ck_vi ck_vi_nearest(ck_vf x)
{
    return _mm512_cvt_roundps_epi32(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline ck_vd ck_vd_set1(double x) { return _mm512_set1_pd(x); }
static inline ck_vd ck_vd_load(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline ck_vd ck_vd_load_n(const float *p, size_t n, float rest)
{
    const __mmask8 mask = ck_vd_mask(n);
    const __m256 x = _mm256_maskz_loadu_ps(mask, p);
    return _mm512_cvtps_pd(_mm256_mask_blend_ps(mask, _mm256_set1_ps(rest), x));
}
static inline __m256 ck_vd_narrow(ck_vd x)
{
    const __m256 y = _mm512_cvtpd_ps(x);
    return _mm256_blendv_ps(y, _mm256_set1_ps(NAN), _mm256_cmp_ps(y, y, _CMP_UNORD_Q));
}
static inline void ck_vd_store(float *p, ck_vd x) { _mm256_storeu_ps(p, ck_vd_narrow(x)); }
static inline void ck_vd_store_n(float *p, ck_vd x, size_t n)
{
    _mm256_mask_storeu_ps(p, ck_vd_mask(n), ck_vd_narrow(x));
}
static inline ck_vd ck_vd_add(ck_vd a, ck_vd b) { return _mm512_add_pd(a, b); }
static inline ck_vd ck_vd_sub(ck_vd a, ck_vd b) { return _mm512_sub_pd(a, b); }
static inline ck_vd ck_vd_mul(ck_vd a, ck_vd b) { return _mm512_mul_pd(a, b); }
static inline ck_vd ck_vd_div(ck_vd a, ck_vd b) { return _mm512_div_pd(a, b); }
static inline ck_vd ck_vd_max(ck_vd a, ck_vd b) { return _mm512_max_pd(a, b); }
static inline ck_vd ck_vd_min(ck_vd a, ck_vd b) { return _mm512_min_pd(a, b); }
static inline ck_vd ck_vd_if_lt(ck_vd a, ck_vd b, ck_vd yes, ck_vd no)
{
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), no, yes);
}
static inline ck_vd ck_vd_pow2(ck_vd n)
{
    const __m512d biased = _mm512_add_pd(n, _mm512_set1_pd(0x1.8p52 + 1023.0));
    return _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_castpd_si512(biased), 52));
}
static inline double ck_vd_sum(ck_vd x)
{
    const __m256d q = _mm256_add_pd(_mm512_castpd512_pd256(x), _mm512_extractf64x4_pd(x, 1));
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(q), _mm256_extractf128_pd(q, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

#include "simd/vd16.h"

#endif
