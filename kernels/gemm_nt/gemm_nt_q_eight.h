/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks: eight block pairs a step, one to each lane, what AVX2 and AVX-512 share. The
 * including file defines `dots`. */
#ifndef CK_GEMM_NT_Q_EIGHT_H
#define CK_GEMM_NT_Q_EIGHT_H

#include "gemm_nt_q_bytes.h"
#include "gemm_nt_q_rows.h"

enum {
    LANES = 8,
    AHEAD = 4096, /* bytes, at least, that weights are fetched ahead */
    LINE = 64     /* bytes that come at once */
};

/* A step is one text, whatever the compiler thinks of its length. */
#define LANES_INLINE __attribute__((always_inline)) static inline

/* The lines of memory that `bytes` from b on are in. */
static inline void prefetch(const unsigned char *b, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE) __builtin_prefetch(b + at);
}

static inline bool has_integer_min(const formats *f) { return is_k(f) && f->has_min; }

/* The sums of s[0] .. s[7], each in its lane. Of the four sums of s[l] in either half:
 *   low:  s0 s1 s2 s3 | s0' s1' s2' s3'      high: s4 s5 s6 s7 | s4' s5' s6' s7' */
static inline __m256i add_up_eight(const __m256i *s)
{
    const __m256i low = _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), //
                                          _mm256_hadd_epi32(s[2], s[3]));
    const __m256i high = _mm256_hadd_epi32(_mm256_hadd_epi32(s[4], s[5]), //
                                           _mm256_hadd_epi32(s[6], s[7]));
    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                            _mm256_permute2x128_si256(low, high, 0x31));
}

static inline short half_of(const unsigned char *p, size_t stride, size_t l, size_t count)
{
    return (short)(l < count ? f16_load(p + l * stride) : 0);
}

static inline float single_of(const unsigned char *p, size_t stride, size_t l, size_t count)
{
    return l < count ? f32_load(p + l * stride) : 0.0f;
}

/* Two halves `stride` bytes apart, the first read with the two bytes that follow it. */
static inline __m128i two_halves(const unsigned char *p, size_t stride)
{
    int32_t first;

    memcpy(&first, p, sizeof first);
    return _mm_insert_epi16(_mm_cvtsi32_si128(first), (short)f16_load(p + stride), 1);
}

static inline __m256 all_halves(const unsigned char *p, size_t stride)
{
    const __m128i low =
        _mm_unpacklo_epi32(two_halves(p, stride), two_halves(p + 2 * stride, stride));
    const __m128i high =
        _mm_unpacklo_epi32(two_halves(p + 4 * stride, stride), two_halves(p + 6 * stride, stride));

    return _mm256_cvtph_ps(_mm_unpacklo_epi64(low, high));
}

/* `count` halves, `stride` bytes apart, and 0 for the rest of eight. */
static inline __m256 eight_halves(const unsigned char *p, size_t stride, size_t n)
{
    if (n == LANES) return all_halves(p, stride);
    return _mm256_cvtph_ps(_mm_setr_epi16(half_of(p, stride, 0, n), half_of(p, stride, 1, n),
                                          half_of(p, stride, 2, n), half_of(p, stride, 3, n),
                                          half_of(p, stride, 4, n), half_of(p, stride, 5, n),
                                          half_of(p, stride, 6, n), half_of(p, stride, 7, n)));
}

static inline __m256 eight_singles(const unsigned char *p, size_t stride, size_t n)
{
    return _mm256_setr_ps(single_of(p, stride, 0, n), single_of(p, stride, 1, n),
                          single_of(p, stride, 2, n), single_of(p, stride, 3, n),
                          single_of(p, stride, 4, n), single_of(p, stride, 5, n),
                          single_of(p, stride, 6, n), single_of(p, stride, 7, n));
}

static inline __m256i code_sum(const unsigned char *a)
{
    const __m256i codes = _mm256_loadu_si256((const __m256i *)(a + 2));
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), codes);

    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

static inline __m256i zero_sums(const formats *f, const unsigned char *a, size_t count)
{
    __m256i s[LANES];

    if (f->zero == 0) return _mm256_setzero_si256();
    for (size_t l = 0; l < LANES; l++)
        s[l] = l < count ? code_sum(a + l * f->a_bytes) : _mm256_setzero_si256();
    return _mm256_mullo_epi32(add_up_eight(s), _mm256_set1_epi32(f->zero));
}

static inline float add_up_floats(__m256 sum)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));

    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

#endif
