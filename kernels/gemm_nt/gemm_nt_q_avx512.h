/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, AVX-512: two block pairs of 32 elements at a time, or 64 elements of one
 * of 256. */
#ifndef CK_GEMM_NT_Q_AVX512_H
#define CK_GEMM_NT_Q_AVX512_H

#include "gemm_nt_q_bytes.h"

/* The sums of block pair a, b in eight parts in the lower half, those of the pair that is a_next and
 * b_next bytes on in the upper half. */
typedef __m512i pair_fn(const unsigned char *a, const unsigned char *b, size_t a_next,
                        size_t b_next);
typedef k_parts k_parts_fn(const unsigned char *a, const unsigned char *b);

/* pair of blocks of 32, k of blocks of 256; the other is NULL. */
typedef struct dots {
    const formats *f;
    pair_fn *pair;
    k_parts_fn *k;
} dots;

/* Eight blocks of a are read where they are. */
typedef struct opened {
    const unsigned char *a;
} opened;

#include "gemm_nt_q_lanes.h"

static inline void open_blocks(opened *to, const dots *d, const unsigned char *a, size_t count)
{
    to->a = a;
    (void)d;
    (void)count;
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

/* m[j] (bsums[2j] + bsums[2j+1]) in lane j: any 16 bits may be stored. */
static inline __m256i minimums_k(const unsigned char *a, __m256i scales)
{
    const __m256i m = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(scales, 1));
    const __m256i twice = _mm256_or_si256(m, _mm256_slli_epi32(m, 16));

    return _mm256_madd_epi16(load_bytes(a + A_BSUMS_K), twice);
}

static inline __m512i join(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static inline __m256i upper_half(__m512i x) { return _mm512_extracti64x4_epi64(x, 1); }

static inline __m256i halves_sum(__m512i x)
{
    return _mm256_add_epi32(_mm512_castsi512_si256(x), upper_half(x));
}

/* Of an odd last pair both halves are read from it. */
static inline void two_blocks(__m256i *s, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count)
{
    const size_t next = count > 1;
    const __m512i both = d->pair(a, b, next * d->f->a_bytes, next * d->f->b_bytes);

    s[0] = _mm512_castsi512_si256(both);
    s[1] = next ? upper_half(both) : _mm256_setzero_si256();
}

LANES_INLINE eight_sums sums_of_eight(const dots *d, const opened *x, const unsigned char *b,
                                      size_t count, size_t ahead)
{
    const formats *const f = d->f;
    const unsigned char *const a = x->a;
    __m256i codes[LANES], minimums[LANES];

    for (size_t l = 0; l < LANES; l++) codes[l] = minimums[l] = _mm256_setzero_si256();
    for (size_t l = 0; l < count && d->pair; l += 2) {
        if (ahead) prefetch(b + l * f->b_bytes + ahead, 2 * f->b_bytes);
        two_blocks(codes + l, d, a + l * f->a_bytes, b + l * f->b_bytes, count - l);
    }
    for (size_t l = 0; l < count && d->k; l++) {
        if (ahead) prefetch(b + l * f->b_bytes + ahead, f->b_bytes);
        const k_parts s = d->k(a + l * f->a_bytes, b + l * f->b_bytes);
        codes[l] = s.codes;
        minimums[l] = s.minimums;
    }
    return (eight_sums){ add_up_eight(codes),
                         has_integer_min(f) ? add_up_eight(minimums) : _mm256_setzero_si256() };
}

/* The products of 64 pairs of unsigned codes and signed ones, in sixteen sums. */
typedef __m512i bytes_dot_fn_512(__m512i q, __m512i a);

/* Codes are below 64 and zero is at most 32: pairs of products, of codes with zero taken off or not,
 * are at most 2 * 63 * 128 = 16,128 and no sum of 16 bits saturates. */
static inline __m512i pair_sums_512(__m512i q, int zero, __m512i a)
{
    const __m512i pairs = _mm512_maddubs_epi16(q, a);

    if (zero == 0) return pairs;
    return _mm512_sub_epi16(pairs, _mm512_maddubs_epi16(_mm512_set1_epi8((char)zero), a));
}

static inline __m512i maddubs_dot_512(__m512i q, __m512i a)
{
    return _mm512_madd_epi16(pair_sums_512(q, 0, a), _mm512_set1_epi16(1));
}

static inline __m512i two_loads(const unsigned char *p, size_t next)
{
    return join(load_bytes(p), load_bytes(p + next));
}

static inline __m512i two_nibbles(const unsigned char *p, size_t next)
{
    return join(nibbles(p), nibbles(p + next));
}

static inline __m512i two_fifths(const unsigned char *p, size_t next)
{
    return join(fifths(p), fifths(p + next));
}

static inline __m512i pair_q4_0(bytes_dot_fn_512 *dot, const unsigned char *a,
                                const unsigned char *b, size_t a_next, size_t b_next)
{
    return dot(two_nibbles(b + 2, b_next), two_loads(a + 2, a_next));
}

static inline __m512i pair_q5_0(bytes_dot_fn_512 *dot, const unsigned char *a,
                                const unsigned char *b, size_t a_next, size_t b_next)
{
    const __m512i q = _mm512_or_si512(two_nibbles(b + 6, b_next), two_fifths(b + 2, b_next));

    return dot(q, two_loads(a + 2, a_next));
}

static inline __m512i pair_q4_1(bytes_dot_fn_512 *dot, const unsigned char *a,
                                const unsigned char *b, size_t a_next, size_t b_next)
{
    return dot(two_nibbles(b + 4, b_next), two_loads(a + 4, a_next));
}

static inline __m512i pair_q5_1(bytes_dot_fn_512 *dot, const unsigned char *a,
                                const unsigned char *b, size_t a_next, size_t b_next)
{
    const __m512i q = _mm512_or_si512(two_nibbles(b + 8, b_next), two_fifths(b + 4, b_next));

    return dot(q, two_loads(a + 4, a_next));
}

/* Bits of each byte from `low` on in the lower half, from `high` on in the upper one; those of the byte
 * above come after its own. */
static inline __m512i shifted(__m512i x, int low, int high)
{
    return _mm512_srlv_epi32(x, join(_mm256_set1_epi32(low), _mm256_set1_epi32(high)));
}

/* Sub-blocks 2g in the lower half and 2g + 1 in the upper: low and high nibbles of 32 bytes; of qh bits
 * 2g and 2g + 1. */
static inline k_parts wide_q45_k(const unsigned char *a, const unsigned char *b,
                                 const unsigned char *qh, const unsigned char *qs)
{
    const __m256i both = sub_scales(b + 4);
    const __m512i scales = _mm512_broadcast_i32x4(_mm256_castsi256_si128(both));
    const __m512i high = qh ? two_loads(qh, 0) : _mm512_setzero_si512();
    __m512i sum = _mm512_setzero_si512();

    for (int g = 0; g < 4; g++) {
        const __m512i bytes = two_loads(qs + 32 * g, 0);
        __m512i q = _mm512_and_si512(shifted(bytes, 0, 4), _mm512_set1_epi8(15));
        if (qh) {
            const __m512i bit =
                _mm512_and_si512(shifted(high, 2 * g, 2 * g + 1), _mm512_set1_epi8(1));
            q = _mm512_or_si512(q, _mm512_slli_epi16(bit, 4));
        }
        const __m512i pairs = pair_sums_512(q, 0, two_loads(a + A_CODES_K + 64 * g, 32));
        const short even = (short)(0x0100 + 0x0404 * g), odd = (short)(even + 0x0202);
        const __m512i scale =
            _mm512_shuffle_epi8(scales, join(_mm256_set1_epi16(even), _mm256_set1_epi16(odd)));
        sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, scale));
    }
    return (k_parts){ halves_sum(sum), minimums_k(a, both) };
}

static inline k_parts wide_q4_k(const unsigned char *a, const unsigned char *b)
{
    return wide_q45_k(a, b, NULL, b + 16);
}
static inline k_parts wide_q5_k(const unsigned char *a, const unsigned char *b)
{
    return wide_q45_k(a, b, b + 16, b + 48);
}

/* Runs 2p and 2p + 1 of a half have nibbles p of its 64 bytes of ql, and of qh bits from 4p and 4p + 2
 * on; each 128 bits are a sub-block, whose scale is copied to its lanes of 16 bits, twice, and shifted
 * down with its sign. */
static inline k_parts wide_q6_k(const unsigned char *a, const unsigned char *b)
{
    const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(b + 192)));
    const __m512i own = join(_mm256_set_m128i(_mm_set1_epi8(1), _mm_set1_epi8(0)),
                             _mm256_set_m128i(_mm_set1_epi8(3), _mm_set1_epi8(2)));
    __m512i sum = _mm512_setzero_si512();

    for (int h = 0; h < 2; h++) {
        const __m512i ql = two_loads(b + 64 * h, 32), qh = two_loads(b + 128 + 32 * h, 0);
        for (int p = 0; p < 2; p++) {
            const int first = 8 * h + 4 * p; /* sub-block */
            const __m512i low = _mm512_and_si512(shifted(ql, 4 * p, 4 * p), _mm512_set1_epi8(15));
            const __m512i upper =
                _mm512_and_si512(shifted(qh, 4 * p, 4 * p + 2), _mm512_set1_epi8(3));
            const __m512i q = _mm512_or_si512(low, _mm512_slli_epi16(upper, 4));
            const __m512i pairs = pair_sums_512(q, 32, two_loads(a + A_CODES_K + 16 * first, 32));
            const __m512i at = _mm512_add_epi8(own, _mm512_set1_epi8((char)first));
            const __m512i scale = _mm512_srai_epi16(_mm512_shuffle_epi8(bytes, at), 8);
            sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, scale));
        }
    }
    return (k_parts){ halves_sum(sum), _mm256_setzero_si256() };
}

#endif
