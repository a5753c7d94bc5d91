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

/* The products of 32 pairs of unsigned codes and signed ones, in eight sums. */
typedef __m256i bytes_dot_fn(__m256i q, __m256i a);

/* Codes are below 64 and zero is at most 32: pairs of products, of codes with zero taken off or not,
 * are at most 2 * 63 * 128 = 16,128 and no sum of 16 bits saturates. */
static inline __m256i pair_sums(__m256i q, int zero, __m256i a)
{
    const __m256i pairs = _mm256_maddubs_epi16(q, a);

    if (zero == 0) return pairs;
    return _mm256_sub_epi16(pairs, _mm256_maddubs_epi16(_mm256_set1_epi8((char)zero), a));
}

static inline __m256i maddubs_dot(__m256i q, __m256i a)
{
    return _mm256_madd_epi16(pair_sums(q, 0, a), _mm256_set1_epi16(1));
}

static inline __m256i parts_q4_0(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(nibbles(b + 2), load_bytes(a + 2));
}
static inline __m256i parts_q5_0(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(_mm256_or_si256(nibbles(b + 6), fifths(b + 2)), load_bytes(a + 2));
}
static inline __m256i parts_q4_1(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(nibbles(b + 4), load_bytes(a + 4));
}
static inline __m256i parts_q5_1(bytes_dot_fn *dot, const unsigned char *a, const unsigned char *b)
{
    return dot(_mm256_or_si256(nibbles(b + 8), fifths(b + 4)), load_bytes(a + 4));
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

/* Integers of one block pair of 256, in eight parts each. */
typedef struct k_parts {
    __m256i codes, minimums;
} k_parts;

/* Lane j of 16 bits, of either half of x, in all lanes of that half. */
static inline __m256i spread(__m256i x, int j)
{
    return _mm256_shuffle_epi8(x, _mm256_set1_epi16((short)(0x0100 + 0x0202 * j)));
}

/* m[j] (bsums[2j] + bsums[2j+1]) in lane j: any 16 bits may be stored. */
static inline __m256i minimums_k(const unsigned char *a, __m256i scales)
{
    const __m256i m = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(scales, 1));
    const __m256i twice = _mm256_or_si256(m, _mm256_slli_epi32(m, 16));

    return _mm256_madd_epi16(load_bytes(a + A_BSUMS_K), twice);
}

/* Sub-block j: nibbles j mod 2 of 32 bytes j / 2; fifth bits, if there are any, bit j of each of qh. */
static inline __m256i sub_block_q45_k(const unsigned char *a, const unsigned char *qh,
                                      const unsigned char *qs, __m256i scales, int j)
{
    const __m256i bytes = load_bytes(qs + j / 2 * 32);
    __m256i q = _mm256_and_si256(j % 2 ? _mm256_srli_epi16(bytes, 4) : bytes, _mm256_set1_epi8(15));

    if (qh) {
        const __m256i high = load_bytes(qh);
        const __m256i fifth =
            j < 4 ? _mm256_slli_epi16(high, 4 - j) : _mm256_srli_epi16(high, j - 4);
        q = _mm256_or_si256(q, _mm256_and_si256(fifth, _mm256_set1_epi8(16)));
    }
    const __m256i pairs = pair_sums(q, 0, load_bytes(a + A_CODES_K + 32 * j));
    return _mm256_madd_epi16(pairs, spread(scales, j));
}

/* Written out, as loops would be left as they are by some compilers. */
static inline k_parts parts_q45_k(const unsigned char *a, const unsigned char *b,
                                  const unsigned char *qh, const unsigned char *qs)
{
    const __m256i both = sub_scales(b + 4), s = _mm256_permute2x128_si256(both, both, 0);
    const __m256i s0 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 0), sub_block_q45_k(a, qh, qs, s, 1));
    const __m256i s1 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 2), sub_block_q45_k(a, qh, qs, s, 3));
    const __m256i s2 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 4), sub_block_q45_k(a, qh, qs, s, 5));
    const __m256i s3 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 6), sub_block_q45_k(a, qh, qs, s, 7));

    return (k_parts){ _mm256_add_epi32(_mm256_add_epi32(s0, s1), _mm256_add_epi32(s2, s3)),
                      minimums_k(a, both) };
}

static inline k_parts parts_q4_k(const unsigned char *a, const unsigned char *b)
{
    return parts_q45_k(a, b, NULL, b + 16);
}
static inline k_parts parts_q5_k(const unsigned char *a, const unsigned char *b)
{
    return parts_q45_k(a, b, b + 16, b + 48);
}

/* Run n, of 32 elements; it is run r = n mod 4 of half n / 4, with nibbles r / 2 of the bytes 32 (r % 2)
 * on of the half's ql, and bits 2r, 2r + 1 of its qh. Its sub-blocks 2n and 2n + 1 are its halves. */
static inline __m256i run_q6_k(const unsigned char *a, const unsigned char *b, __m256i scales,
                               int n)
{
    const int h = n / 4, r = n % 4;
    const __m256i ql = load_bytes(b + 64 * h + 32 * (r % 2)), qh = load_bytes(b + 128 + 32 * h);
    const __m256i low =
        _mm256_and_si256(r < 2 ? ql : _mm256_srli_epi16(ql, 4), _mm256_set1_epi8(15));
    const __m256i upper =
        r < 2 ? _mm256_slli_epi16(qh, 4 - 2 * r) : _mm256_srli_epi16(qh, 2 * r - 4);
    const __m256i q = _mm256_or_si256(low, _mm256_and_si256(upper, _mm256_set1_epi8(0x30)));

    return _mm256_madd_epi16(pair_sums(q, 32, load_bytes(a + A_CODES_K + 32 * n)),
                             spread(scales, n));
}

/* Scales: s[0] s[2] .. in the lower half, s[1] s[3] .. in the upper one. */
static inline k_parts parts_q6_k(const unsigned char *a, const unsigned char *b)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(b + 192));
    const __m128i even_odd = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m256i s = _mm256_cvtepi8_epi16(_mm_shuffle_epi8(bytes, even_odd));
    const __m256i s0 = _mm256_add_epi32(run_q6_k(a, b, s, 0), run_q6_k(a, b, s, 1));
    const __m256i s1 = _mm256_add_epi32(run_q6_k(a, b, s, 2), run_q6_k(a, b, s, 3));
    const __m256i s2 = _mm256_add_epi32(run_q6_k(a, b, s, 4), run_q6_k(a, b, s, 5));
    const __m256i s3 = _mm256_add_epi32(run_q6_k(a, b, s, 6), run_q6_k(a, b, s, 7));

    return (k_parts){ _mm256_add_epi32(_mm256_add_epi32(s0, s1), _mm256_add_epi32(s2, s3)),
                      _mm256_setzero_si256() };
}

#endif
