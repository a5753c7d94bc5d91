/* SPDX-License-Identifier: MIT */
/* Codes of blocks in 256-bit registers, one in each byte, in the order of the elements. */
#ifndef CK_GEMM_NT_Q_BYTES_H
#define CK_GEMM_NT_Q_BYTES_H

#include <immintrin.h>

#include "gemm_nt_q.h"

static inline __m256i load_bytes(const unsigned char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* The low nibbles of 16 bytes, then the high ones. */
static inline __m256i nibbles(const unsigned char *p)
{
    const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
    const __m256i shifts = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);

    return _mm256_and_si256(_mm256_srlv_epi32(twice, shifts), _mm256_set1_epi8(15));
}

/* Bit e of 32 as 16 in byte e: byte e gets byte e / 8, of which its own bit is kept. */
static inline __m256i fifths(const unsigned char *p)
{
    int32_t bits;

    memcpy(&bits, p, sizeof bits);
    const __m256i spread = _mm256_shuffle_epi8(
        _mm256_set1_epi32(bits), _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2,
                                                  2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
    const __m256i own = _mm256_set1_epi64x((long long)0x8040201008040201ull);
    const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, own), own);

    return _mm256_and_si256(is_set, _mm256_set1_epi8(16));
}

/* The products of 32 pairs of unsigned codes less zero and signed ones, in eight sums. */
typedef __m256i bytes_dot_fn(__m256i q, int zero, __m256i a);

/* Codes are below 64 and zero is at most 32: pairs of products, of codes with zero taken off or not,
 * are at most 2 * 63 * 128 = 16,128 and no sum of 16 bits saturates. */
static inline __m256i pair_sums(__m256i q, int zero, __m256i a)
{
    const __m256i pairs = _mm256_maddubs_epi16(q, a);

    if (zero == 0) return pairs;
    return _mm256_sub_epi16(pairs, _mm256_maddubs_epi16(_mm256_set1_epi8((char)zero), a));
}

static inline __m256i maddubs_dot(__m256i q, int zero, __m256i a)
{
    return _mm256_madd_epi16(pair_sums(q, zero, a), _mm256_set1_epi16(1));
}

static inline __m256i parts_q4_0(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(nibbles(b + 2), 8, load_bytes(a + 2));
}
static inline __m256i parts_q5_0(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(_mm256_or_si256(nibbles(b + 6), fifths(b + 2)), 16, load_bytes(a + 2));
}
static inline __m256i parts_q4_1(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(nibbles(b + 4), 0, load_bytes(a + 4));
}
static inline __m256i parts_q5_1(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(_mm256_or_si256(nibbles(b + 8), fifths(b + 4)), 0, load_bytes(a + 4));
}

/* The eight scales and, eight bytes on, the eight minimums of q4_k and q5_k, as 16 bits:
 *   bit     7 6  5 4 3 2 1 0              7 6 5 4   3 2 1 0
 *   b[n]    s[4+n] s[n]         b[8+n]    m[4+n]    s[4+n]       the upper two bits, all six,
 *   b[4+n]  m[4+n] m[n]                                          the lower four; n = 0..3 */
static inline __m256i sub_scales(const unsigned char *b)
{
    uint64_t first;
    uint32_t last;

    memcpy(&first, b, sizeof first);
    memcpy(&last, b + 8, sizeof last);
    const uint64_t low = last | (uint64_t)last
                                    << 28; /* nibbles of b[8..11], the high ones 32 bits on */
    const uint64_t six = first & 0x3f3f3f3f3f3f3f3fu; /* s[0..3] m[0..3] */
    const uint64_t upper = (first >> 2 & 0x3030303030303030u) | (low & 0x0f0f0f0f0f0f0f0fu);
    const __m128i both = _mm_set_epi64x((long long)upper, (long long)six); /* s m s' m' by fours */

    return _mm256_cvtepu8_epi16(_mm_shuffle_epi32(both, 0xd8));
}

/* s[j] in all lanes of 16 bits. */
static inline __m256i sub_scale(__m256i both, int j)
{
    const __m256i s = _mm256_permute2x128_si256(both, both, 0);
    return _mm256_shuffle_epi8(s, _mm256_set1_epi16((short)(0x0100 + 0x0202 * j)));
}

/* Sub-blocks 2g and 2g + 1 are the low and the high nibbles of 32 bytes g; bit j of qh[l] is the fifth
 * of code l of sub-block j. */
static inline __m256i parts_q45_k(const unsigned char *a, const unsigned char *b,
                                  const unsigned char *qh, const unsigned char *qs)
{
    const __m256i scales = sub_scales(b + 4), nibble = _mm256_set1_epi8(15);
    const __m256i high = qh ? load_bytes(qh) : _mm256_setzero_si256();
    __m256i sum = _mm256_setzero_si256();

    for (int j = 0; j < 8; j++) {
        const __m256i bytes = load_bytes(qs + j / 2 * 32);
        __m256i q = _mm256_and_si256(j % 2 ? _mm256_srli_epi16(bytes, 4) : bytes, nibble);
        if (qh) {
            const __m256i own = _mm256_set1_epi8((char)(1 << j));
            const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(high, own), own);
            q = _mm256_or_si256(q, _mm256_and_si256(is_set, _mm256_set1_epi8(16)));
        }
        const __m256i pairs = pair_sums(q, 0, load_bytes(a + A_CODES_K + 32 * j));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, sub_scale(scales, j)));
    }
    return sum;
}

static inline __m256i parts_q4_k(const unsigned char *a, const unsigned char *b)
{
    return parts_q45_k(a, b, NULL, b + 16);
}
static inline __m256i parts_q5_k(const unsigned char *a, const unsigned char *b)
{
    return parts_q45_k(a, b, b + 16, b + 48);
}

/* m[j] (bsums[2j] + bsums[2j+1]) in lane j: any 16 bits may be stored. */
static inline __m256i minimums_k(const unsigned char *a, const unsigned char *b)
{
    const __m256i m = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(sub_scales(b + 4), 1));
    const __m256i twice = _mm256_or_si256(m, _mm256_slli_epi32(m, 16));

    return _mm256_madd_epi16(load_bytes(a + A_BSUMS_K), twice);
}

/* Run r of a half has nibble r / 2 of the bytes 32 (r % 2) on of its ql, and bits 2r, 2r + 1 of its qh;
 * sub-blocks are halves of runs. */
static inline __m256i parts_q6_k(const unsigned char *a, const unsigned char *b)
{
    const __m256i nibble = _mm256_set1_epi8(15), two = _mm256_set1_epi8(3);
    __m256i sum = _mm256_setzero_si256();

    for (int h = 0; h < 2; h++) {
        const __m256i high = load_bytes(b + 128 + 32 * h);
        for (int r = 0; r < 4; r++) {
            const __m256i bytes = load_bytes(b + 64 * h + 32 * (r % 2));
            const __m256i low =
                _mm256_and_si256(r < 2 ? bytes : _mm256_srli_epi16(bytes, 4), nibble);
            const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(high, 2 * r), two);
            const __m256i q = _mm256_or_si256(low, _mm256_slli_epi16(upper, 4));
            const __m256i codes = load_bytes(a + A_CODES_K + 128 * h + 32 * r);
            const unsigned char *const s = b + 192 + 8 * h + 2 * r;
            const __m256i scale = _mm256_set_m128i(_mm_set1_epi16((signed char)s[1]),
                                                   _mm_set1_epi16((signed char)s[0]));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pair_sums(q, 32, codes), scale));
        }
    }
    return sum;
}

#endif
