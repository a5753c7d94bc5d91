/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks with AVX2: eight block pairs a step, one to each lane. The including
 * file defines `dots`, which has the formats f, and what the first three declare. */
#ifndef CK_GEMM_NT_Q_LANES_H
#define CK_GEMM_NT_Q_LANES_H

#include <immintrin.h>

#include "gemm_nt_q.h"
#include "gemm_nt_q_rows.h"

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

/* Of `count` blocks of a, each in its lane: the scales, what multiplies minimums, and zero times the sum
 * of the codes. */
typedef struct activations {
    __m256 scale, sum;
    __m256i zeros;
} activations;

static inline __m256i code_sum(const unsigned char *a)
{
    const __m256i codes = _mm256_loadu_si256((const __m256i *)(a + 2));
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), codes);

    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

static inline activations read_a(const formats *f, const unsigned char *a, size_t count)
{
    activations x = { _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_si256() };
    __m256i s[LANES];

    if (is_k(f)) {
        x.scale = x.sum = eight_singles(a, f->a_bytes, count);
        return x;
    }
    x.scale = eight_halves(a, f->a_bytes, count);
    if (f->has_min) x.sum = eight_halves(a + A_SUM, f->a_bytes, count);
    if (f->zero == 0) return x;
    for (size_t l = 0; l < LANES; l++)
        s[l] = l < count ? code_sum(a + l * f->a_bytes) : _mm256_setzero_si256();
    x.zeros = _mm256_mullo_epi32(add_up_eight(s), _mm256_set1_epi32(f->zero));
    return x;
}

typedef struct sums {
    __m256 codes, minimums;
} sums;

/* `count` block pairs; the other lanes add 0 * 0. */
static inline sums step(sums to, const dots *d, const activations *x, const unsigned char *a,
                        const unsigned char *b, size_t count)
{
    const formats *const f = d->f;
    const __m256 scale = _mm256_mul_ps(x->scale, eight_halves(b + f->b_scale, f->b_bytes, count));
    __m256i codes[LANES], minimums[LANES];

    eight_parts(codes, minimums, d, a, b, count);
    const __m256i all = _mm256_sub_epi32(add_up_eight(codes), x->zeros);
    to.codes = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(all), to.codes);
    if (!f->has_min) return to;
    const __m256 m = eight_halves(b + MIN, f->b_bytes, count);
    if (is_k(f)) {
        const __m256 sub = _mm256_cvtepi32_ps(add_up_eight(minimums));
        to.minimums = _mm256_fmadd_ps(_mm256_mul_ps(x->sum, m), sub, to.minimums);
    } else {
        to.minimums = _mm256_fmadd_ps(x->sum, m, to.minimums);
    }
    return to;
}

static inline float add_up_floats(__m256 sum)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));

    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

static inline float total(const formats *f, sums s)
{
    const float codes = add_up_floats(s.codes);

    if (!f->has_min) return codes;
    const float minimums = add_up_floats(s.minimums);
    return is_k(f) ? codes - minimums : codes + minimums;
}

/* The lines of memory that `bytes` from b on are in. */
static inline void prefetch(const unsigned char *b, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(b + at);
}

/* `count` is that of c, known to the compiler. */
static inline void some_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                             size_t blocks, size_t count)
{
    const formats *const f = d->f;
    const unsigned char *b = c->b;
    sums s[COLUMNS];

    for (size_t k = 0; k < count; k++) s[k] = (sums){ _mm256_setzero_ps(), _mm256_setzero_ps() };
    for (; blocks >= LANES; blocks -= LANES, a += LANES * f->a_bytes, b += LANES * f->b_bytes) {
        const activations x = read_a(f, a, LANES);
        for (size_t k = 0; k < count; k++) {
            if (c->prefetch) prefetch(b + (count + k) * c->ld, LANES * f->b_bytes);
            s[k] = step(s[k], d, &x, a, b + k * c->ld, LANES);
        }
    }
    if (blocks) {
        const activations x = read_a(f, a, blocks);
        for (size_t k = 0; k < count; k++) s[k] = step(s[k], d, &x, a, b + k * c->ld, blocks);
    }
    for (size_t k = 0; k < count; k++) sum[k] = total(f, s[k]);
}

static inline void row_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                            size_t blocks)
{
    /* blocks of 256 have little of a to share, and one row of b comes faster than four */
    if (c->count == COLUMNS && !is_k(d->f)) {
        some_dots(sum, d, a, c, blocks, COLUMNS);
        return;
    }
    for (size_t k = 0; k < c->count; k++) {
        const columns one = { blocks ? c->b + k * c->ld : c->b, c->ld, 1, c->prefetch };
        some_dots(sum + k, d, a, &one, blocks, 1);
    }
}

static inline integers block_dot(const dots *d, const unsigned char *a, const unsigned char *b)
{
    __m256i codes[LANES], minimums[LANES];

    eight_parts(codes, minimums, d, a, b, 1);
    const int32_t zeros = d->f->zero ? d->f->zero * add_up(code_sum(a)) : 0;
    return (integers){ add_up(codes[0]) - zeros, has_integer_min(d->f) ? add_up(minimums[0]) : 0 };
}

#endif
