/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, AVX2: two block pairs at a time, each in a half of the registers where
 * possible, so that half as many sums are left to be made across lanes. */
#ifndef CK_GEMM_NT_Q_AVX2_H
#define CK_GEMM_NT_Q_AVX2_H

#include "gemm_nt_q_bytes.h"

/* Of eight blocks of a. What v has is said by the functions that fill it, `per_two` of it for each two
 * blocks. */
typedef struct opened {
    const unsigned char *a;
    __m256i v[16];
} opened;

/* Two blocks of a, the second one `next` bytes on; next is 0 if there is none. */
typedef void open_fn(__m256i *v, const unsigned char *a, size_t next);

/* The integers of two block pairs in four parts each, those of the first in the lower half. v is of the
 * two blocks of a, at a if codes are read there; the second blocks are a_next and b_next bytes on. */
typedef struct two_blocks {
    const __m256i *v;
    const unsigned char *a, *b;
    size_t a_next, b_next;
} two_blocks;
typedef k_parts parts_fn(const two_blocks *t);

typedef struct dots {
    const formats *f;
    open_fn *open;
    parts_fn *parts;
    size_t per_two;
} dots;

#include "gemm_nt_q_lanes.h"

static inline void open_blocks(opened *to, const dots *d, const unsigned char *a, size_t count)
{
    const size_t bytes = d->f->a_bytes;

    to->a = a;
    for (size_t l = 0; l < LANES; l += 2)
        if (l < count)
            d->open(to->v + l / 2 * d->per_two, a + l * bytes, l + 1 < count ? bytes : 0);
}

/* The sums of the halves of s[0] .. s[3], lower halves being those of lanes 0, 2, 4, 6. */
static inline __m256i add_up_four(const __m256i *s)
{
    const __m256i even_odd = _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), //
                                               _mm256_hadd_epi32(s[2], s[3]));

    return _mm256_permutevar8x32_epi32(even_odd, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

LANES_INLINE eight_sums sums_of_eight(const dots *d, const opened *a, const unsigned char *b,
                                      size_t count, size_t ahead)
{
    const size_t a_bytes = d->f->a_bytes, b_bytes = d->f->b_bytes;
    __m256i codes[LANES / 2], minimums[LANES / 2];

    for (size_t l = 0; l < LANES; l += 2) {
        const bool two = l + 1 < count;
        const two_blocks t = { a->v + l / 2 * d->per_two, a->a + l * a_bytes, b + l * b_bytes,
                               two ? a_bytes : 0, two ? b_bytes : 0 };
        k_parts s = { _mm256_setzero_si256(), _mm256_setzero_si256() };
        if (ahead) prefetch(t.b + ahead, is_k(d->f) ? b_bytes : 2 * b_bytes);
        if (l < count) s = d->parts(&t);
        if (ahead && is_k(d->f)) prefetch(t.b + b_bytes + ahead, b_bytes);
        codes[l / 2] = s.codes;
        minimums[l / 2] = s.minimums;
    }
    return (eight_sums){ add_up_four(codes),
                         has_integer_min(d->f) ? add_up_four(minimums) : _mm256_setzero_si256() };
}

/* 16 bytes from p, and 16 from `next` bytes on. */
static inline __m256i two_loads(const unsigned char *p, size_t next)
{
    const __m128i first = _mm_loadu_si128((const __m128i *)p);

    return _mm256_inserti128_si256(_mm256_castsi128_si256(first),
                                   _mm_loadu_si128((const __m128i *)(p + next)), 1);
}

/* Blocks of 32: of two blocks the first halves of their codes, in v[0], and the second, in v[1]. */
static inline void open_q8_0(__m256i *v, const unsigned char *a, size_t next)
{
    v[0] = two_loads(a + 2, next);
    v[1] = two_loads(a + 18, next);
}
static inline void open_q8_1(__m256i *v, const unsigned char *a, size_t next)
{
    v[0] = two_loads(a + 4, next);
    v[1] = two_loads(a + 20, next);
}

/* The products of codes without sign, q0 and q1, with those of v, in eight sums. */
typedef __m256i bytes_dot_fn(__m256i q0, __m256i q1, const __m256i *v);

/* Codes below 32: sums of four products are at most 4 * 31 * 128 = 15,872, and none saturates. */
LANES_INLINE __m256i maddubs_dot(__m256i q0, __m256i q1, const __m256i *v)
{
    const __m256i fours =
        _mm256_add_epi16(_mm256_maddubs_epi16(q0, v[0]), _mm256_maddubs_epi16(q1, v[1]));

    return _mm256_madd_epi16(fours, _mm256_set1_epi16(1));
}

static inline __m256i low_nibbles(__m256i bytes)
{
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}
static inline __m256i high_nibbles(__m256i bytes)
{
    return low_nibbles(_mm256_srli_epi16(bytes, 4));
}

static inline k_parts no_minimums(__m256i codes)
{
    return (k_parts){ codes, _mm256_setzero_si256() };
}

/* Nibbles from `qs` bytes into the block on. */
LANES_INLINE k_parts parts_four(bytes_dot_fn *dot, const two_blocks *t, size_t qs)
{
    const __m256i bytes = two_loads(t->b + qs, t->b_next);

    return no_minimums(dot(low_nibbles(bytes), high_nibbles(bytes), t->v));
}

/* In either half, bits 8 `first` to 8 `first` + 15 of each of its lanes, as 16 in a byte each. */
static inline __m256i two_fifths(__m256i bits, int first)
{
    const __m256i at = _mm256_setr_epi64x(0, 0x0101010101010101, 0, 0x0101010101010101);
    const __m256i theirs =
        _mm256_shuffle_epi8(bits, _mm256_add_epi8(at, _mm256_set1_epi8((char)first)));
    const __m256i own = _mm256_set1_epi64x((long long)0x8040201008040201ull);

    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(theirs, own), own),
                            _mm256_set1_epi8(16));
}

/* Fifth bits lie in the four bytes before the nibbles. */
LANES_INLINE k_parts parts_five(bytes_dot_fn *dot, const two_blocks *t, size_t qs)
{
    const __m256i bytes = two_loads(t->b + qs, t->b_next);
    int32_t first, second;

    memcpy(&first, t->b + qs - 4, sizeof first);
    memcpy(&second, t->b + t->b_next + qs - 4, sizeof second);
    const __m256i bits =
        _mm256_blend_epi32(_mm256_set1_epi32(first), _mm256_set1_epi32(second), 0xf0);
    return no_minimums(dot(_mm256_or_si256(low_nibbles(bytes), two_fifths(bits, 0)),
                           _mm256_or_si256(high_nibbles(bytes), two_fifths(bits, 2)), t->v));
}

/* Parts of two block pairs, eight of each:  f f' | s s'  ->  f + f' | s + s' */
static inline __m256i halves_sum(__m256i first, __m256i second)
{
    return _mm256_add_epi32(_mm256_blend_epi32(first, second, 0xf0),
                            _mm256_permute2x128_si256(first, second, 0x21));
}

/* The scales and minimums of q4_k and q5_k of two blocks, as bytes, each block's in its half:
 *   s[0..3] m[0..3] s[4..7] m[4..7]
 * of 12 bytes b (gemm_nt_q_bytes.h), read with the four that follow:
 *   word 0  b[0..3] & 63      word 2  b[8..11] & 15 | b[0..3] >> 2 & 48
 *   word 1  b[4..7] & 63      word 3  b[8..11] >> 4 | b[4..7] >> 2 & 48 */
static inline __m256i two_sub_scales(const unsigned char *p, size_t next)
{
    const __m256i x = two_loads(p, next);
    const __m256i low = _mm256_and_si256(
        _mm256_srlv_epi32(_mm256_shuffle_epi32(x, 0xa4), _mm256_setr_epi32(0, 0, 0, 4, 0, 0, 0, 4)),
        _mm256_setr_epi32(0x3f3f3f3f, 0x3f3f3f3f, 0x0f0f0f0f, 0x0f0f0f0f, 0x3f3f3f3f, 0x3f3f3f3f,
                          0x0f0f0f0f, 0x0f0f0f0f));
    const __m256i high = _mm256_and_si256(
        _mm256_srli_epi32(_mm256_shuffle_epi32(x, 0x40), 2),
        _mm256_setr_epi32(0, 0, 0x30303030, 0x30303030, 0, 0, 0x30303030, 0x30303030));

    return _mm256_or_si256(low, high);
}

/* Byte j of either half as a number of 16 bits in all lanes of that half. */
static inline __m256i spread_byte(__m256i x, int j)
{
    return _mm256_shuffle_epi8(x, _mm256_set1_epi16((short)(j - 0x8000)));
}

/* The sums of two products each, of unsigned codes below 64 and signed ones: at most 2 * 63 * 128 = 16,128,
 * so that none saturates. */
static inline __m256i pair_sums(__m256i q, __m256i a) { return _mm256_maddubs_epi16(q, a); }

/* Sub-block j: nibbles j mod 2 of 32 bytes j / 2; fifth bits, if there are any, bit j of each of qh.
 * scales: of two_sub_scales, the block's own in both halves. */
LANES_INLINE __m256i sub_block_q45_k(const unsigned char *a, const unsigned char *qh,
                                     const unsigned char *qs, __m256i scales, int j)
{
    const __m256i bytes = load_bytes(qs + j / 2 * 32);
    __m256i q = j % 2 ? high_nibbles(bytes) : low_nibbles(bytes);

    if (qh) {
        const __m256i high = load_bytes(qh);
        const __m256i fifth = j < 4    ? _mm256_slli_epi16(high, 4 - j)
                              : j == 4 ? high
                                       : _mm256_srli_epi16(high, j - 4);
        q = _mm256_or_si256(q, _mm256_and_si256(fifth, _mm256_set1_epi8(16)));
    }
    const __m256i pairs = pair_sums(q, load_bytes(a + A_CODES_K + 32 * j));
    return _mm256_madd_epi16(pairs, spread_byte(scales, j < 4 ? j : j + 4));
}

/* Written out, as loops would be left as they are by some compilers. */
LANES_INLINE __m256i block_q45_k(const unsigned char *a, const unsigned char *qh,
                                 const unsigned char *qs, __m256i s)
{
    const __m256i s0 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 0), sub_block_q45_k(a, qh, qs, s, 1));
    const __m256i s1 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 2), sub_block_q45_k(a, qh, qs, s, 3));
    const __m256i s2 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 4), sub_block_q45_k(a, qh, qs, s, 5));
    const __m256i s3 =
        _mm256_add_epi32(sub_block_q45_k(a, qh, qs, s, 6), sub_block_q45_k(a, qh, qs, s, 7));

    return _mm256_add_epi32(_mm256_add_epi32(s0, s1), _mm256_add_epi32(s2, s3));
}

/* bsums of two blocks: the first eight of each, those of sub-blocks 0 to 3, in v[0], the others in v[1]. */
static inline void open_bsums(__m256i *v, const unsigned char *a, size_t next)
{
    v[0] = two_loads(a + A_BSUMS_K, next);
    v[1] = two_loads(a + A_BSUMS_K + 16, next);
}

/* m[j] (bsums[2j] + bsums[2j+1]), any 16 bits being stored in bsums. */
static inline __m256i minimums_q45_k(const __m256i *bsums, __m256i scales)
{
    const __m256i first =
        _mm256_setr_epi64x((long long)0x8005800580048004, (long long)0x8007800780068006,
                           (long long)0x8005800580048004, (long long)0x8007800780068006);
    const __m256i last = _mm256_or_si256(first, _mm256_set1_epi16(8));

    return _mm256_add_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(scales, first), bsums[0]),
                            _mm256_madd_epi16(_mm256_shuffle_epi8(scales, last), bsums[1]));
}

LANES_INLINE k_parts parts_q45_k(const two_blocks *t, size_t qh, size_t qs)
{
    const unsigned char *const b = t->b, *const next = t->b + t->b_next;
    const __m256i s = two_sub_scales(b + 4, t->b_next);
    const __m256i first =
        block_q45_k(t->a, qh ? b + qh : NULL, b + qs, _mm256_permute2x128_si256(s, s, 0x00));
    const __m256i second = block_q45_k(t->a + t->a_next, qh ? next + qh : NULL, next + qs,
                                       _mm256_permute2x128_si256(s, s, 0x11));

    return (k_parts){ halves_sum(first, second), minimums_q45_k(t->v, s) };
}

LANES_INLINE k_parts parts_q4_k(const two_blocks *t) { return parts_q45_k(t, 0, 16); }
LANES_INLINE k_parts parts_q5_k(const two_blocks *t) { return parts_q45_k(t, 16, 48); }

/* The sums of each two codes of run n, of 32. */
static inline __m256i run_sums(const unsigned char *a, int n)
{
    return _mm256_maddubs_epi16(_mm256_set1_epi8(1), load_bytes(a + A_CODES_K + 32 * n));
}

/* The sums of 16 codes each, those of sub-blocks 0, 2, .. in the lower half and of 1, 3, .. in the upper. */
static inline __m256i sums_of_16(const unsigned char *a)
{
    const __m256i s0 = _mm256_hadd_epi16(run_sums(a, 0), run_sums(a, 1));
    const __m256i s1 = _mm256_hadd_epi16(run_sums(a, 2), run_sums(a, 3));
    const __m256i s2 = _mm256_hadd_epi16(run_sums(a, 4), run_sums(a, 5));
    const __m256i s3 = _mm256_hadd_epi16(run_sums(a, 6), run_sums(a, 7));

    return _mm256_hadd_epi16(_mm256_hadd_epi16(s0, s1), _mm256_hadd_epi16(s2, s3));
}

static inline void open_q6_k(__m256i *v, const unsigned char *a, size_t next)
{
    v[0] = sums_of_16(a);
    v[1] = sums_of_16(a + next);
}

/* Lane j of 16 bits, of either half of x, in all lanes of that half. */
static inline __m256i spread(__m256i x, int j)
{
    return _mm256_shuffle_epi8(x, _mm256_set1_epi16((short)(0x0100 + 0x0202 * j)));
}

/* Run n, of 32 elements; it is run r = n mod 4 of half n / 4, with nibbles r / 2 of the bytes 32 (r % 2)
 * on of the half's ql, and bits 2r, 2r + 1 of its qh. Its sub-blocks 2n and 2n + 1 are its halves. */
LANES_INLINE __m256i run_q6_k(const unsigned char *a, const unsigned char *b, __m256i scales, int n)
{
    const int h = n / 4, r = n % 4;
    const __m256i ql = load_bytes(b + 64 * h + 32 * (r % 2)), qh = load_bytes(b + 128 + 32 * h);
    const __m256i low = r < 2 ? low_nibbles(ql) : high_nibbles(ql);
    const __m256i upper = r < 2    ? _mm256_slli_epi16(qh, 4 - 2 * r)
                          : r == 2 ? qh
                                   : _mm256_srli_epi16(qh, 2);
    const __m256i q = _mm256_or_si256(low, _mm256_and_si256(upper, _mm256_set1_epi8(0x30)));

    return _mm256_madd_epi16(pair_sums(q, load_bytes(a + A_CODES_K + 32 * n)), spread(scales, n));
}

/* Scales: s[0] s[2] .. in the lower half, s[1] s[3] .. in the upper one. 32 stands for 0 and is taken off
 * as often as of_16, the sums_of_16 of a, say. Neither sum of products is above 2^28. */
LANES_INLINE __m256i block_q6_k(const unsigned char *a, const unsigned char *b, __m256i of_16)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(b + 192));
    const __m128i even_odd = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m256i s = _mm256_cvtepi8_epi16(_mm_shuffle_epi8(bytes, even_odd));
    const __m256i s0 = _mm256_add_epi32(run_q6_k(a, b, s, 0), run_q6_k(a, b, s, 1));
    const __m256i s1 = _mm256_add_epi32(run_q6_k(a, b, s, 2), run_q6_k(a, b, s, 3));
    const __m256i s2 = _mm256_add_epi32(run_q6_k(a, b, s, 4), run_q6_k(a, b, s, 5));
    const __m256i s3 = _mm256_add_epi32(run_q6_k(a, b, s, 6), run_q6_k(a, b, s, 7));
    const __m256i zeros = _mm256_slli_epi32(_mm256_madd_epi16(s, of_16), 5);

    return _mm256_sub_epi32(_mm256_add_epi32(_mm256_add_epi32(s0, s1), _mm256_add_epi32(s2, s3)),
                            zeros);
}

LANES_INLINE k_parts parts_q6_k(const two_blocks *t)
{
    return no_minimums(halves_sum(block_q6_k(t->a, t->b, t->v[0]),
                                  block_q6_k(t->a + t->a_next, t->b + t->b_next, t->v[1])));
}

#endif
