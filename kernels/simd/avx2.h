/* SPDX-License-Identifier: MIT */
/* Vector primitives of the avx2 bundle: 8 floats, 4 doubles, FMA. Contracts: simd/scalar.h. */
#ifndef CK_SIMD_H
#define CK_SIMD_H

#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef __m256 ck_vf;
typedef __m256d ck_vd;
typedef __m256i ck_vi;
enum { CK_VF_LANES = 8, CK_VD_LANES = 4 };

/* All ones in lanes 0..n-1. */
static inline __m256i ck_vf_mask(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m128i ck_vd_mask(size_t n)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
}

static inline ck_vf ck_vf_set1(float x) { return _mm256_set1_ps(x); }
static inline ck_vf ck_vf_load(const float *p) { return _mm256_loadu_ps(p); }
static inline ck_vf ck_vf_load_n(const float *p, size_t n, float rest)
{
    const __m256i mask = ck_vf_mask(n);
    const __m256 x = _mm256_maskload_ps(p, mask);
    return _mm256_blendv_ps(_mm256_set1_ps(rest), x, _mm256_castsi256_ps(mask));
}
static inline void ck_vf_store(float *p, ck_vf x) { _mm256_storeu_ps(p, x); }
static inline void ck_vf_store_n(float *p, ck_vf x, size_t n)
{
    _mm256_maskstore_ps(p, ck_vf_mask(n), x);
}
static inline ck_vf ck_vf_add(ck_vf a, ck_vf b) { return _mm256_add_ps(a, b); }
static inline ck_vf ck_vf_sub(ck_vf a, ck_vf b) { return _mm256_sub_ps(a, b); }
static inline ck_vf ck_vf_mul(ck_vf a, ck_vf b) { return _mm256_mul_ps(a, b); }
static inline ck_vf ck_vf_div(ck_vf a, ck_vf b) { return _mm256_div_ps(a, b); }
static inline ck_vf ck_vf_max(ck_vf a, ck_vf b) { return _mm256_max_ps(a, b); }
static inline ck_vf ck_vf_min(ck_vf a, ck_vf b) { return _mm256_min_ps(a, b); }
static inline ck_vf ck_vf_muladd(ck_vf a, ck_vf b, ck_vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline ck_vf ck_vf_if_lt(ck_vf a, ck_vf b, ck_vf yes, ck_vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
static inline ck_vf ck_vf_round(ck_vf x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* A NaN n converts to 0x80000000, which the shift makes 0. */
static inline ck_vf ck_vf_shift(ck_vf x, ck_vf n)
{
    const __m256i exponent = _mm256_slli_epi32(_mm256_cvttps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), exponent));
}
/* Four floats each of two rows that are four apart. */
static inline __m256 ck_vf_load_pair(const float *p, size_t ld)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 4 * ld),
                                1);
}
/* Both halves at once: the upper one has rows 4..7. */
static inline void ck_vf_load_across(ck_vf *x, const float *p, size_t ld)
{
    for (int h = 0; h < 8; h += 4) {
        const __m256 r0 = ck_vf_load_pair(p + h, ld), r1 = ck_vf_load_pair(p + h + ld, ld);
        const __m256 r2 = ck_vf_load_pair(p + h + 2 * ld, ld);
        const __m256 r3 = ck_vf_load_pair(p + h + 3 * ld, ld);
        const __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpacklo_ps(r2, r3);
        const __m256 c = _mm256_unpackhi_ps(r0, r1), d = _mm256_unpackhi_ps(r2, r3);
        x[h] = _mm256_shuffle_ps(a, b, 0x44);
        x[h + 1] = _mm256_shuffle_ps(a, b, 0xee);
        x[h + 2] = _mm256_shuffle_ps(c, d, 0x44);
        x[h + 3] = _mm256_shuffle_ps(c, d, 0xee);
    }
}
/* p0..3 p8..11 and p4..7 p12..15: shuffles stay within halves. */
static inline void ck_vf_load_pairs(const float *p, ck_vf *first, ck_vf *second)
{
    const __m256 x = _mm256_loadu_ps(p), y = _mm256_loadu_ps(p + 8);
    const __m256 low = _mm256_permute2f128_ps(x, y, 0x20);
    const __m256 high = _mm256_permute2f128_ps(x, y, 0x31);
    *first = _mm256_shuffle_ps(low, high, 0x88);
    *second = _mm256_shuffle_ps(low, high, 0xdd);
}
static inline void ck_vf_store_pairs(float *p, ck_vf first, ck_vf second)
{
    const __m256 low = _mm256_unpacklo_ps(first, second);
    const __m256 high = _mm256_unpackhi_ps(first, second);
    _mm256_storeu_ps(p, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_storeu_ps(p + 8, _mm256_permute2f128_ps(low, high, 0x31));
}
static inline float ck_vf_sum(ck_vf x)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
static inline float ck_vf_hmax(ck_vf x)
{
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
}
static inline float ck_f_muladd(float a, float b, float c)
{
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}

static inline ck_vf ck_vf_if_nan(ck_vf x, ck_vf y)
{
    return _mm256_blendv_ps(x, y, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}
static inline ck_vf ck_vf_one_nan(ck_vf x) { return ck_vf_if_nan(x, _mm256_set1_ps(NAN)); }

static inline ck_vi ck_vi_load_u8(const unsigned char *p)
{
    const void *eight = p;
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(eight));
}
static inline ck_vi ck_vi_load_s8(const unsigned char *p)
{
    const void *eight = p;
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(eight));
}
static inline void ck_vi_store_8(unsigned char *p, ck_vi x)
{
    void *eight = p;
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm_storel_epi64(eight, _mm_packs_epi16(words, words));
}
static inline ck_vi ck_vi_field(ck_vi x, int shift, int mask)
{
    return _mm256_and_si256(_mm256_srl_epi32(x, _mm_cvtsi32_si128(shift)), _mm256_set1_epi32(mask));
}
static inline ck_vi ck_vi_add(ck_vi x, int n) { return _mm256_add_epi32(x, _mm256_set1_epi32(n)); }
static inline ck_vi ck_vi_join(ck_vi low, ck_vi high, int zero)
{
    return _mm256_add_epi32(ck_vi_add(low, -zero), _mm256_slli_epi32(high, 4));
}
static inline ck_vf ck_vi_to_f(ck_vi x) { return _mm256_cvtepi32_ps(x); }
static inline ck_vi ck_vi_bits(uint32_t word)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32((int)word), lane),
                            _mm256_set1_epi32(1));
}

static inline __m128i ck_vi_load_16(const unsigned char *p)
{
    const void *eight = p;
    return _mm_loadu_si128(eight);
}
static inline ck_vf ck_vf_load_half(const unsigned char *p)
{
    return ck_vf_one_nan(_mm256_cvtph_ps(ck_vi_load_16(p)));
}
static inline ck_vf ck_vf_load_brain(const unsigned char *p)
{
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(ck_vi_load_16(p)), 16);
    return ck_vf_one_nan(_mm256_castsi256_ps(bits));
}
static inline void ck_vf_store_half(unsigned char *p, ck_vf x)
{
    void *eight = p;
    _mm_storeu_si128(eight, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
static inline void ck_vf_store_brain(unsigned char *p, ck_vf x)
{
    void *eight = p;
    const __m256i all = _mm256_castps_si256(x);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(all, 16), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(all, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i quiet = _mm256_or_si256(all, _mm256_set1_epi32(0x400000));
    const __m256i bits = _mm256_srli_epi32(_mm256_blendv_epi8(up, quiet, nan), 16);
    _mm_storeu_si128(
        eight, _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1)));
}
static inline ck_vi ck_vi_nearest(ck_vf x) { return _mm256_cvtps_epi32(ck_vf_round(x)); }

static inline ck_vd ck_vd_set1(double x) { return _mm256_set1_pd(x); }
static inline ck_vd ck_vd_load(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline ck_vd ck_vd_load_n(const float *p, size_t n, float rest)
{
    const __m128i mask = ck_vd_mask(n);
    const __m128 x = _mm_maskload_ps(p, mask);
    return _mm256_cvtps_pd(_mm_blendv_ps(_mm_set1_ps(rest), x, _mm_castsi128_ps(mask)));
}
static inline __m128 ck_vd_narrow(ck_vd x)
{
    const __m128 y = _mm256_cvtpd_ps(x);
    return _mm_blendv_ps(y, _mm_set1_ps(NAN), _mm_cmpunord_ps(y, y));
}
static inline void ck_vd_store(float *p, ck_vd x) { _mm_storeu_ps(p, ck_vd_narrow(x)); }
static inline void ck_vd_store_n(float *p, ck_vd x, size_t n)
{
    _mm_maskstore_ps(p, ck_vd_mask(n), ck_vd_narrow(x));
}
static inline ck_vd ck_vd_add(ck_vd a, ck_vd b) { return _mm256_add_pd(a, b); }
static inline ck_vd ck_vd_sub(ck_vd a, ck_vd b) { return _mm256_sub_pd(a, b); }
static inline ck_vd ck_vd_mul(ck_vd a, ck_vd b) { return _mm256_mul_pd(a, b); }
static inline ck_vd ck_vd_div(ck_vd a, ck_vd b) { return _mm256_div_pd(a, b); }
static inline ck_vd ck_vd_max(ck_vd a, ck_vd b) { return _mm256_max_pd(a, b); }
static inline ck_vd ck_vd_min(ck_vd a, ck_vd b) { return _mm256_min_pd(a, b); }
static inline ck_vd ck_vd_if_lt(ck_vd a, ck_vd b, ck_vd yes, ck_vd no)
{
    return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}
static inline ck_vd ck_vd_pow2(ck_vd n)
{
    const __m256d biased = _mm256_add_pd(n, _mm256_set1_pd(0x1.8p52 + 1023.0));
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(biased), 52));
}
static inline double ck_vd_sum(ck_vd x)
{
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

#include "simd/vd16.h"

#endif
