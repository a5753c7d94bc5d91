/* SPDX-License-Identifier: MIT */
/* Vector primitives of the sse41 bundle: 4 floats, 2 doubles, no FMA. Contracts: simd/scalar.h. */
#ifndef CK_SIMD_H
#define CK_SIMD_H

#include <math.h>
#include <smmintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __m128 ck_vf;
typedef __m128d ck_vd;
typedef __m128i ck_vi;
enum { CK_VF_LANES = 4, CK_VD_LANES = 2 };

static inline ck_vf ck_vf_set1(float x) { return _mm_set1_ps(x); }
static inline ck_vf ck_vf_load(const float *p) { return _mm_loadu_ps(p); }
static inline ck_vf ck_vf_load_n(const float *p, size_t n, float rest)
{
    return _mm_setr_ps(n > 0 ? p[0] : rest, n > 1 ? p[1] : rest, n > 2 ? p[2] : rest,
                       n > 3 ? p[3] : rest);
}
static inline void ck_vf_store(float *p, ck_vf x) { _mm_storeu_ps(p, x); }
static inline void ck_vf_store_n(float *p, ck_vf x, size_t n)
{
    float lane[4];
    _mm_storeu_ps(lane, x);
    for (size_t l = 0; l < n; l++) p[l] = lane[l];
}
static inline ck_vf ck_vf_add(ck_vf a, ck_vf b) { return _mm_add_ps(a, b); }
static inline ck_vf ck_vf_sub(ck_vf a, ck_vf b) { return _mm_sub_ps(a, b); }
static inline ck_vf ck_vf_mul(ck_vf a, ck_vf b) { return _mm_mul_ps(a, b); }
static inline ck_vf ck_vf_div(ck_vf a, ck_vf b) { return _mm_div_ps(a, b); }
static inline ck_vf ck_vf_max(ck_vf a, ck_vf b) { return _mm_max_ps(a, b); }
static inline ck_vf ck_vf_min(ck_vf a, ck_vf b) { return _mm_min_ps(a, b); }
static inline ck_vf ck_vf_muladd(ck_vf a, ck_vf b, ck_vf c)
{
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
static inline ck_vf ck_vf_if_lt(ck_vf a, ck_vf b, ck_vf yes, ck_vf no)
{
    return _mm_blendv_ps(no, yes, _mm_cmplt_ps(a, b));
}
static inline ck_vf ck_vf_round(ck_vf x)
{
    return _mm_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* A NaN n converts to 0x80000000, which the shift makes 0. */
static inline ck_vf ck_vf_shift(ck_vf x, ck_vf n)
{
    const __m128i exponent = _mm_slli_epi32(_mm_cvttps_epi32(n), 23);
    return _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(x), exponent));
}
static inline void ck_vf_load_across(ck_vf *x, const float *p, size_t ld)
{
    const __m128 r0 = _mm_loadu_ps(p), r1 = _mm_loadu_ps(p + ld);
    const __m128 r2 = _mm_loadu_ps(p + 2 * ld), r3 = _mm_loadu_ps(p + 3 * ld);
    const __m128 a = _mm_unpacklo_ps(r0, r1), b = _mm_unpacklo_ps(r2, r3);
    const __m128 c = _mm_unpackhi_ps(r0, r1), d = _mm_unpackhi_ps(r2, r3);
    x[0] = _mm_movelh_ps(a, b);
    x[1] = _mm_movehl_ps(b, a);
    x[2] = _mm_movelh_ps(c, d);
    x[3] = _mm_movehl_ps(d, c);
}
static inline void ck_vf_load_pairs(const float *p, ck_vf *first, ck_vf *second)
{
    const __m128 low = _mm_loadu_ps(p), high = _mm_loadu_ps(p + 4);
    *first = _mm_shuffle_ps(low, high, 0x88);
    *second = _mm_shuffle_ps(low, high, 0xdd);
}
static inline void ck_vf_store_pairs(float *p, ck_vf first, ck_vf second)
{
    _mm_storeu_ps(p, _mm_unpacklo_ps(first, second));
    _mm_storeu_ps(p + 4, _mm_unpackhi_ps(first, second));
}
static inline float ck_vf_sum(ck_vf x)
{
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_shuffle_ps(x, x, 1)));
}
static inline float ck_vf_hmax(ck_vf x)
{
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_shuffle_ps(x, x, 1)));
}
static inline float ck_f_muladd(float a, float b, float c) { return a * b + c; }

static inline ck_vf ck_vf_one_nan(ck_vf x)
{
    return _mm_blendv_ps(x, _mm_set1_ps(NAN), _mm_cmpunord_ps(x, x));
}

static inline __m128i ck_vi_four(const unsigned char *p)
{
    int32_t word;
    memcpy(&word, p, sizeof word);
    return _mm_cvtsi32_si128(word);
}
static inline ck_vi ck_vi_load_u8(const unsigned char *p)
{
    return _mm_cvtepu8_epi32(ck_vi_four(p));
}
static inline ck_vi ck_vi_load_s8(const unsigned char *p)
{
    return _mm_cvtepi8_epi32(ck_vi_four(p));
}
static inline void ck_vi_store_8(unsigned char *p, ck_vi x)
{
    const __m128i words = _mm_packs_epi32(x, x);
    const int32_t four = _mm_cvtsi128_si32(_mm_packs_epi16(words, words));
    memcpy(p, &four, sizeof four);
}
static inline ck_vi ck_vi_field(ck_vi x, int shift, int mask)
{
    return _mm_and_si128(_mm_srl_epi32(x, _mm_cvtsi32_si128(shift)), _mm_set1_epi32(mask));
}
static inline ck_vi ck_vi_add(ck_vi x, int n) { return _mm_add_epi32(x, _mm_set1_epi32(n)); }
static inline ck_vi ck_vi_join(ck_vi low, ck_vi high, int zero)
{
    return _mm_add_epi32(ck_vi_add(low, -zero), _mm_slli_epi32(high, 4));
}
static inline ck_vf ck_vi_to_f(ck_vi x) { return _mm_cvtepi32_ps(x); }
static inline ck_vi ck_vi_nearest(ck_vf x) { return _mm_cvtps_epi32(ck_vf_round(x)); }

static inline ck_vd ck_vd_set1(double x) { return _mm_set1_pd(x); }
static inline ck_vd ck_vd_load(const float *p)
{
    const void *pair = p;
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(pair)));
}
static inline ck_vd ck_vd_load_n(const float *p, size_t n, float rest)
{
    return _mm_setr_pd((double)(n > 0 ? p[0] : rest), (double)(n > 1 ? p[1] : rest));
}
static inline __m128 ck_vd_narrow(ck_vd x)
{
    const __m128 y = _mm_cvtpd_ps(x);
    return _mm_blendv_ps(y, _mm_set1_ps(NAN), _mm_cmpunord_ps(y, y));
}
static inline void ck_vd_store(float *p, ck_vd x)
{
    void *pair = p;
    _mm_storel_epi64(pair, _mm_castps_si128(ck_vd_narrow(x)));
}
static inline void ck_vd_store_n(float *p, ck_vd x, size_t n)
{
    ck_vf_store_n(p, ck_vd_narrow(x), n < 2 ? n : 2);
}
static inline ck_vd ck_vd_add(ck_vd a, ck_vd b) { return _mm_add_pd(a, b); }
static inline ck_vd ck_vd_sub(ck_vd a, ck_vd b) { return _mm_sub_pd(a, b); }
static inline ck_vd ck_vd_mul(ck_vd a, ck_vd b) { return _mm_mul_pd(a, b); }
static inline ck_vd ck_vd_div(ck_vd a, ck_vd b) { return _mm_div_pd(a, b); }
static inline ck_vd ck_vd_max(ck_vd a, ck_vd b) { return _mm_max_pd(a, b); }
static inline ck_vd ck_vd_min(ck_vd a, ck_vd b) { return _mm_min_pd(a, b); }
static inline ck_vd ck_vd_if_lt(ck_vd a, ck_vd b, ck_vd yes, ck_vd no)
{
    return _mm_blendv_pd(no, yes, _mm_cmplt_pd(a, b));
}
static inline ck_vd ck_vd_pow2(ck_vd n)
{
    const __m128d biased = _mm_add_pd(n, _mm_set1_pd(0x1.8p52 + 1023.0));
    return _mm_castsi128_pd(_mm_slli_epi64(_mm_castpd_si128(biased), 52));
}
static inline double ck_vd_sum(ck_vd x)
{
    return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
}

#include "simd/vd16.h"

#endif
