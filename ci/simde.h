/* SPDX-License-Identifier: MIT */
/* The intrinsics above AVX2 that the kernels use, made of AVX2's: SIMDe's, and what Debian's SIMDe 0.7.4
 * lacks or has wrong. Preset simde includes it ahead of the kernels' files. */
#ifndef CK_SIMDE_H
#define CK_SIMDE_H

#include <immintrin.h>
#if defined(__AVX512F__) || defined(__AVXVNNI__) || !defined(__FMA__) || !defined(__F16C__)
#error "wanted: -mavx2 -mfma -mf16c, and nothing above"
#endif
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <string.h>

/* A conversion, done on each half of the argument; lanes keep their order. */
#define CK_HALVES(name, to, half_to, from, half_from, convert)         \
    static inline to ck_##name(from x)                                 \
    {                                                                  \
        half_from half[2];                                             \
        memcpy(half, &x, sizeof half);                                 \
        const half_to out[2] = { convert(half[0]), convert(half[1]) }; \
        to y;                                                          \
        memcpy(&y, out, sizeof y);                                     \
        return y;                                                      \
    }
CK_HALVES(cvtepi32_ps, __m512, __m256, __m512i, __m256i, _mm256_cvtepi32_ps)
CK_HALVES(cvttps_epi32, __m512i, __m256i, __m512, __m256, _mm256_cvttps_epi32)
CK_HALVES(cvtps_epi32, __m512i, __m256i, __m512, __m256, _mm256_cvtps_epi32)
CK_HALVES(cvtps_pd, __m512d, __m256d, __m256, __m128, _mm256_cvtps_pd)
CK_HALVES(cvtpd_ps, __m256, __m128, __m512d, __m256d, _mm256_cvtpd_ps)
CK_HALVES(cvtph_ps, __m512, __m256, __m256i, __m128i, _mm256_cvtph_ps)
#undef CK_HALVES
#define _mm512_cvtepi32_ps  ck_cvtepi32_ps
#define _mm512_cvttps_epi32 ck_cvttps_epi32
#define _mm512_cvtps_pd     ck_cvtps_pd
#define _mm512_cvtpd_ps     ck_cvtpd_ps
#define _mm512_cvtph_ps     ck_cvtph_ps
/* The conversion of an integer does not round. */
#define _mm512_cvt_roundps_epi32(x, rounding) ck_cvtps_epi32(_mm512_roundscale_ps(x, rounding))
#define _mm512_cvtepi8_epi32(x)                                         \
    _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_cvtepi8_epi32(x)), \
                       _mm256_cvtepi8_epi32(_mm_srli_si128(x, 8)), 1)
#define _mm512_cvtepu8_epi32(x)                                         \
    _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_cvtepu8_epi32(x)), \
                       _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8)), 1)

#define _mm512_shuffle_epi32(x, which)                                                  \
    _mm512_inserti64x4(                                                                 \
        _mm512_castsi256_si512(_mm256_shuffle_epi32(_mm512_castsi512_si256(x), which)), \
        _mm256_shuffle_epi32(_mm512_extracti64x4_epi64(x, 1), which), 1)
#define _mm512_cvtepu16_epi32(x)                                                                 \
    _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(x))), \
                       _mm256_cvtepu16_epi32(_mm256_extracti128_si256(x, 1)), 1)
#define _mm512_cvtepu8_epi16(x)                                                                 \
    _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(x))), \
                       _mm256_cvtepu8_epi16(_mm256_extracti128_si256(x, 1)), 1)
#define _mm512_cvtps_ph(x, rounding)                                                      \
    _mm256_set_m128i(                                                                     \
        _mm256_cvtps_ph(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1)), \
                        (rounding)&7),                                                    \
        _mm256_cvtps_ph(_mm512_castps512_ps256(x), (rounding)&7))

static inline __m256i ck_cvtepi32_epi16(__m512i x)
{
    uint32_t lane[16];
    uint16_t low[16];
    __m256i y;
    memcpy(lane, &x, sizeof lane);
    for (int i = 0; i < 16; i++) low[i] = (uint16_t)lane[i];
    memcpy(&y, low, sizeof y);
    return y;
}
#define _mm512_cvtepi32_epi16 ck_cvtepi32_epi16

/* Two quarters of x, then two of y; two bits of `which` each. */
static inline __m512i ck_shuffle_i64x2(__m512i x, __m512i y, unsigned which)
{
    __m128i from[8], to[4];
    __m512i z;
    memcpy(from, &x, sizeof x);
    memcpy(from + 4, &y, sizeof y);
    for (unsigned i = 0; i < 4; i++) to[i] = from[(i & 2) * 2 + (which >> 2 * i & 3)];
    memcpy(&z, to, sizeof z);
    return z;
}
#define _mm512_shuffle_i64x2 ck_shuffle_i64x2

/* VDPBF16PS of the SDM: in each lane the odd products, then the even ones, each FMA rounded to nearest with
 * zeros for subnormals. SIMDe's does not flush. */
static inline float ck_brain_flushed(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    const uint32_t kept = bits & (bits & 0x7f800000u ? 0xffffffffu : 0x80000000u);
    float x;
    memcpy(&x, &kept, sizeof x);
    return x;
}
static inline __m512 ck_dpbf16_ps(__m512 acc, __m512i x, __m512i y)
{
    const unsigned callers = _mm_getcsr();
    uint16_t a[32], b[32];
    float lane[16];
    memcpy(a, &x, sizeof a);
    memcpy(b, &y, sizeof b);
    memcpy(lane, &acc, sizeof lane);
    _mm_setcsr(0x9fc0); /* nearest, FTZ and DAZ, no exceptions */
    for (int i = 0; i < 16; i++)
        for (int odd = 1; odd >= 0; odd--) {
            const __m128 p = _mm_set_ss(ck_brain_flushed(a[2 * i + odd]));
            const __m128 q = _mm_set_ss(ck_brain_flushed(b[2 * i + odd]));
            lane[i] = _mm_cvtss_f32(_mm_fmadd_ss(p, q, _mm_set_ss(lane[i])));
        }
    _mm_setcsr(callers);
    memcpy(&acc, lane, sizeof acc);
    return acc;
}
#undef _mm512_dpbf16_ps
#define _mm512_dpbf16_ps(acc, x, y) ck_dpbf16_ps((acc), (__m512i)(x), (__m512i)(y))

/* Lanes outside the mask are not touched, so that a page behind the data shows a wrong mask. */
#define CK_MASKED(prefix, vector, mask)                                        \
    static inline vector ck##prefix##_maskz_loadu_ps(mask k, const float *p)   \
    {                                                                          \
        float lane[sizeof(vector) / sizeof(float)] = { 0 };                    \
        vector x;                                                              \
        for (unsigned i = 0; i < sizeof lane / sizeof *lane; i++)              \
            if (k >> i & 1) lane[i] = p[i];                                    \
        memcpy(&x, lane, sizeof x);                                            \
        return x;                                                              \
    }                                                                          \
    static inline void ck##prefix##_mask_storeu_ps(float *p, mask k, vector x) \
    {                                                                          \
        float lane[sizeof(vector) / sizeof(float)];                            \
        memcpy(lane, &x, sizeof x);                                            \
        for (unsigned i = 0; i < sizeof lane / sizeof *lane; i++)              \
            if (k >> i & 1) p[i] = lane[i];                                    \
    }
CK_MASKED(_mm512, __m512, __mmask16)
CK_MASKED(_mm256, __m256, __mmask8)
#undef CK_MASKED
#define _mm512_maskz_loadu_ps ck_mm512_maskz_loadu_ps
#define _mm512_mask_storeu_ps ck_mm512_mask_storeu_ps
#define _mm256_maskz_loadu_ps ck_mm256_maskz_loadu_ps
#define _mm256_mask_storeu_ps ck_mm256_mask_storeu_ps

/* SIMDe's aliases of the masked forms take the plain name away. */
#undef _mm512_madd_epi16
#define _mm512_madd_epi16 simde_mm512_madd_epi16

#endif
