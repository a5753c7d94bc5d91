/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, SSE4.1: four block pairs a step, one to each lane. */
#ifndef CK_GEMM_NT_Q_SSE41_H
#define CK_GEMM_NT_Q_SSE41_H

#include <smmintrin.h>

#include "gemm_nt_q.h"
#include "scales_k.h"

enum { LANES = 4 };

/* One of `integers` of a block pair in four parts. */
typedef __m128i parts_fn(const unsigned char *a, const unsigned char *b);

typedef struct dots {
    const formats *f;
    parts_fn *codes, *minimums; /* minimums of blocks of 256 */
} dots;

#include "gemm_nt_q_rows.h"

static inline int32_t add_up(__m128i s)
{
    const __m128i two = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));

    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

/* The integers of `count` block pairs, each in its lane; 0 in the other lanes. */
static inline __m128i four_sums(parts_fn *parts, const formats *f, const unsigned char *a,
                                const unsigned char *b, size_t count)
{
    __m128i s[LANES];

    for (size_t l = 0; l < LANES; l++)
        s[l] = l < count ? parts(a + l * f->a_bytes, b + l * f->b_bytes) : _mm_setzero_si128();
    return _mm_hadd_epi32(_mm_hadd_epi32(s[0], s[1]), _mm_hadd_epi32(s[2], s[3]));
}

static inline float half_of(const unsigned char *p, size_t stride, size_t l, size_t count)
{
    return l < count ? half_at(p + l * stride) : 0.0f;
}

static inline __m128 four_halves(const unsigned char *p, size_t stride, size_t count)
{
    return _mm_setr_ps(half_of(p, stride, 0, count), half_of(p, stride, 1, count),
                       half_of(p, stride, 2, count), half_of(p, stride, 3, count));
}

static inline __m128 four_scales(const formats *f, const unsigned char *a, size_t count)
{
    float s[LANES] = { 0, 0, 0, 0 };

    for (size_t l = 0; l < count; l++) s[l] = a_scale(f, a + l * f->a_bytes);
    return _mm_loadu_ps(s);
}

typedef struct sums {
    __m128 codes, minimums;
} sums;

/* `count` block pairs; the other lanes add 0 * 0. */
static inline sums step(sums to, const dots *d, const unsigned char *a, const unsigned char *b,
                        size_t count)
{
    const formats *const f = d->f;
    const __m128 da = four_scales(f, a, count);
    const __m128 scale = _mm_mul_ps(da, four_halves(b + f->b_scale, f->b_bytes, count));
    const __m128 codes = _mm_cvtepi32_ps(four_sums(d->codes, f, a, b, count));

    to.codes = _mm_add_ps(to.codes, _mm_mul_ps(scale, codes));
    if (!d->minimums) return to;
    const __m128 m = _mm_mul_ps(da, four_halves(b + MIN, f->b_bytes, count));
    const __m128 minimums = _mm_cvtepi32_ps(four_sums(d->minimums, f, a, b, count));
    to.minimums = _mm_add_ps(to.minimums, _mm_mul_ps(m, minimums));
    return to;
}

static inline float add_up_floats(__m128 s)
{
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

static inline float row_dot(const dots *d, const unsigned char *a, const unsigned char *b,
                            size_t blocks)
{
    sums s = { _mm_setzero_ps(), _mm_setzero_ps() };

    for (; blocks >= LANES; blocks -= LANES) {
        s = step(s, d, a, b, LANES);
        a += LANES * d->f->a_bytes;
        b += LANES * d->f->b_bytes;
    }
    if (blocks) s = step(s, d, a, b, blocks);
    return d->minimums ? add_up_floats(s.codes) - add_up_floats(s.minimums)
                       : add_up_floats(s.codes);
}

static inline void row_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                            size_t blocks)
{
    for (size_t k = 0; k < c->count; k++)
        sum[k] = row_dot(d, a, blocks ? c->b + k * c->ld : c->b, blocks);
}

static inline void block_dots(integers *to, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count)
{
    for (size_t l = 0; l < count; l++, a += d->f->a_bytes, b += d->f->b_bytes)
        to[l] = (integers){ add_up(d->codes(a, b)), d->minimums ? add_up(d->minimums(a, b)) : 0 };
}

static inline __m128i load_bytes(const unsigned char *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

/* Sums of two products of unsigned codes below 64, less zero, at most 32, and of signed ones: at most
 * 2 * 63 * 128 = 16,128, zero taken off or not. */
static inline __m128i pair_sums(__m128i q, int zero, __m128i a)
{
    const __m128i pairs = _mm_maddubs_epi16(q, a);

    if (zero == 0) return pairs;
    return _mm_sub_epi16(pairs, _mm_maddubs_epi16(_mm_set1_epi8((char)zero), a));
}

/* 16 in each byte whose own bit of the two bytes `bits` is set. */
static inline __m128i fifths(unsigned bits)
{
    const __m128i spread =
        _mm_shuffle_epi8(_mm_cvtsi32_si128((int)bits),
                         _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
    const __m128i own = _mm_set1_epi64x((long long)0x8040201008040201ull);

    return _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(spread, own), own), _mm_set1_epi8(16));
}

static inline __m128i parts_q5_0(const unsigned char *a, const unsigned char *b)
{
    const __m128i bytes = load_bytes(b + 6), nibble = _mm_set1_epi8(15), one = _mm_set1_epi16(1);
    const __m128i low = _mm_and_si128(bytes, nibble);
    const __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble);
    const __m128i q0 = _mm_or_si128(low, fifths(f16_load(b + 2)));
    const __m128i q1 = _mm_or_si128(high, fifths(f16_load(b + 4)));

    return _mm_add_epi32(_mm_madd_epi16(pair_sums(q0, 16, load_bytes(a + 2)), one),
                         _mm_madd_epi16(pair_sums(q1, 16, load_bytes(a + 18)), one));
}

/* Sub-block j is nibbles j mod 2 of 32 bytes j / 2. */
static inline __m128i parts_q4_k(const unsigned char *a, const unsigned char *b)
{
    const scales_k k = scales_k_unpack(b + 4);
    const __m128i nibble = _mm_set1_epi8(15);
    __m128i sum = _mm_setzero_si128();

    for (int e = 0; e < CK_K_BLOCK; e += 16) {
        const int j = e / 32;
        const __m128i bytes = load_bytes(b + 16 + j / 2 * 32 + e % 32);
        const __m128i q = _mm_and_si128(j % 2 ? _mm_srli_epi16(bytes, 4) : bytes, nibble);
        const __m128i pairs = pair_sums(q, 0, load_bytes(a + A_CODES_K + e));
        sum = _mm_add_epi32(sum, _mm_madd_epi16(pairs, _mm_set1_epi16(k.s[j])));
    }
    return sum;
}

/* m[j] (bsums[2j] + bsums[2j+1]): any 16 bits may be stored. */
static inline __m128i minimums_k(const unsigned char *a, const unsigned char *b)
{
    const scales_k k = scales_k_unpack(b + 4);
    const __m128i m = _mm_loadl_epi64((const __m128i *)k.m);
    const __m128i words = _mm_cvtepu8_epi16(m);

    return _mm_add_epi32(
        _mm_madd_epi16(load_bytes(a + A_BSUMS_K), _mm_unpacklo_epi16(words, words)),
        _mm_madd_epi16(load_bytes(a + A_BSUMS_K + 16), _mm_unpackhi_epi16(words, words)));
}

/* Sub-block j is half j mod 2 of run j / 2 mod 4 of half j / 8: the run has nibble r / 2 of the bytes
 * 32 (r % 2) on of the half's ql, and bits 2r, 2r + 1 of its qh. */
static inline __m128i parts_q6_k(const unsigned char *a, const unsigned char *b)
{
    const __m128i nibble = _mm_set1_epi8(15), two = _mm_set1_epi8(3);
    __m128i sum = _mm_setzero_si128();

    for (int j = 0; j < 16; j++) {
        const int h = j / 8, r = j / 2 % 4, l = j % 2 * 16;
        const __m128i ql = load_bytes(b + 64 * h + 32 * (r % 2) + l);
        const __m128i qh = load_bytes(b + 128 + 32 * h + l);
        const __m128i low = _mm_and_si128(r < 2 ? ql : _mm_srli_epi16(ql, 4), nibble);
        const __m128i upper = _mm_and_si128(_mm_srl_epi16(qh, _mm_cvtsi32_si128(2 * r)), two);
        const __m128i q = _mm_or_si128(low, _mm_slli_epi16(upper, 4));
        const __m128i pairs = pair_sums(q, 32, load_bytes(a + A_CODES_K + 16 * j));
        const __m128i scale = _mm_set1_epi16((signed char)b[192 + j]);
        sum = _mm_add_epi32(sum, _mm_madd_epi16(pairs, scale));
    }
    return sum;
}

#endif
