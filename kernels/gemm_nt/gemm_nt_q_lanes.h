/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks with AVX2: eight block pairs a step, one to each lane. The including
 * file defines `dots`, which has the formats f, and what the first three declare. */
#ifndef CK_GEMM_NT_Q_LANES_H
#define CK_GEMM_NT_Q_LANES_H

#include <immintrin.h>

#include "gemm_nt_q.h"

enum { LANES = 8 };

/* `integers` of `count` block pairs, each in eight parts, and 0 for the rest of eight pairs. minimums is
 * touched only where there are any. */
static inline void eight_parts(__m256i *codes, __m256i *minimums, const dots *d,
                               const unsigned char *a, const unsigned char *b, size_t count);

static inline bool has_integer_min(const formats *f) { return is_k(f) && f->has_min; }

static inline int32_t add_up(__m256i s)
{
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));

    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

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

/* `count` halves, `stride` bytes apart, and 0 for the rest of eight. */
static inline __m256 eight_halves(const unsigned char *p, size_t stride, size_t n)
{
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

typedef struct sums {
    __m256 codes, minimums;
} sums;

/* A line of memory for each that these block pairs are in, `ahead` bytes on: the next row's. */
static inline void prefetch(const unsigned char *b, size_t bytes, size_t ahead)
{
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(b + ahead + at);
}

/* `count` block pairs; the other lanes add 0 * 0. */
static inline sums step(sums to, const dots *d, const unsigned char *a, const unsigned char *b,
                        size_t count)
{
    const formats *const f = d->f;
    __m256i codes[LANES], minimums[LANES];
    const __m256 da = is_k(f) ? eight_singles(a, f->a_bytes, count) //
                              : eight_halves(a, f->a_bytes, count);
    const __m256 scale = _mm256_mul_ps(da, eight_halves(b + f->b_scale, f->b_bytes, count));

    eight_parts(codes, minimums, d, a, b, count);
    to.codes = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(add_up_eight(codes)), to.codes);
    if (!f->has_min) return to;
    const __m256 m = eight_halves(b + MIN, f->b_bytes, count);
    if (is_k(f)) {
        const __m256 all = _mm256_cvtepi32_ps(add_up_eight(minimums));
        to.minimums = _mm256_fmadd_ps(_mm256_mul_ps(da, m), all, to.minimums);
    } else {
        to.minimums = _mm256_fmadd_ps(eight_halves(a + A_SUM, f->a_bytes, count), m, to.minimums);
    }
    return to;
}

static inline float add_up_floats(__m256 sum)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));

    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

static inline float row_dot(const dots *d, const unsigned char *a, const unsigned char *b,
                            size_t blocks, size_t ahead)
{
    const formats *const f = d->f;
    sums s = { _mm256_setzero_ps(), _mm256_setzero_ps() };

    for (; blocks >= LANES; blocks -= LANES) {
        prefetch(b, LANES * f->b_bytes, ahead);
        s = step(s, d, a, b, LANES);
        a += LANES * f->a_bytes;
        b += LANES * f->b_bytes;
    }
    if (blocks) s = step(s, d, a, b, blocks);
    const float codes = add_up_floats(s.codes);
    if (!f->has_min) return codes;
    const float minimums = add_up_floats(s.minimums);
    return is_k(f) ? codes - minimums : codes + minimums;
}

static inline integers block_dot(const dots *d, const unsigned char *a, const unsigned char *b)
{
    __m256i codes[LANES], minimums[LANES];

    eight_parts(codes, minimums, d, a, b, 1);
    return (integers){ add_up(codes[0]), has_integer_min(d->f) ? add_up(minimums[0]) : 0 };
}

#include "gemm_nt_q_rows.h"

#endif
