/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, AVX-512: four blocks of 32 elements in a register, or 64 elements of a block of
 * 256. Weights are loaded by 16 or 32 bytes: loads of 64 nearly all cross lines, and on Zen 5 took twice the time
 * where these came from memory. */
#ifndef CK_GEMM_NT_Q_AVX512_H
#define CK_GEMM_NT_Q_AVX512_H

#include "gemm_nt_q_sixteen.h"

/* The sums of each two lanes of 32 bits, one of x and one of y:
 *   x0 x1 x2 x3, y0 y1 y2 y3  ->  x0+x2 y0+y2 x1+x3 y1+y3, in each quarter of the registers */
static inline __m512i fold(__m512i x, __m512i y)
{
    return _mm512_add_epi32(_mm512_unpacklo_epi32(x, y), _mm512_unpackhi_epi32(x, y));
}

/* In quarter q the sums of quarter q of s[0] .. s[3]. */
static inline __m512i sums_of_quarters(const __m512i *s)
{
    const __m512i x = fold(s[0], s[1]), y = fold(s[2], s[3]);

    return _mm512_add_epi32(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y));
}

/* The sum of each quarter of s[0], of s[1] and so on. */
static inline __m512i quarters_in_order(const __m512i *s)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

    return _mm512_permutexvar_epi32(order, sums_of_quarters(s));
}

/* The sums of the upper and the lower halves of x and y:  x01 x23 y01 y23  of quarters x0 .. y3. */
static inline __m512i halves_sums(__m512i x, __m512i y)
{
    return _mm512_add_epi32(_mm512_shuffle_i32x4(x, y, 0x88), _mm512_shuffle_i32x4(x, y, 0xdd));
}

/* The sums of s[0] .. s[room - 1], room being 4, 8 or 16; q has the sums_of_quarters of each four of them. */
LANES_INLINE __m512i sums_of_fours(const __m512i *q, size_t room)
{
    const __m512i first = halves_sums(q[0], room > 4 ? q[1] : q[0]);

    return halves_sums(first, room > LANES ? halves_sums(q[2], q[3]) : first);
}

LANES_INLINE __m512i sums_of_all(const __m512i *s, size_t room)
{
    __m512i q[4];

    for (size_t i = 0; i < room / 4; i++) q[i] = sums_of_quarters(s + 4 * i);
    return sums_of_fours(q, room);
}

/* The products of unsigned codes q0 and q1, of 64 elements each, with those of v[0] and v[1], in sixteen
 * sums. */
typedef __m512i bytes_dot_fn(__m512i q0, __m512i q1, const __m512i *v);

/* Codes below 32: sums of four products are at most 4 * 31 * 128 = 15,872, and none saturates. */
LANES_INLINE __m512i maddubs_dot(__m512i q0, __m512i q1, const __m512i *v)
{
    const __m512i fours =
        _mm512_add_epi16(_mm512_maddubs_epi16(q0, v[0]), _mm512_maddubs_epi16(q1, v[1]));

    return _mm512_madd_epi16(fours, _mm512_set1_epi16(1));
}

static inline __m512i low_nibbles(__m512i bytes)
{
    return _mm512_and_si512(bytes, _mm512_set1_epi8(15));
}
static inline __m512i high_nibbles(__m512i bytes)
{
    return low_nibbles(_mm512_srli_epi16(bytes, 4));
}

/* Of `count` of four blocks, `bytes` apart, 16 bytes each from p on; 0 for the others. */
static inline __m512i four_loads(const unsigned char *p, size_t bytes, size_t count)
{
    __m128i q[4];

    for (size_t l = 0; l < 4; l++)
        q[l] = l < count ? _mm_loadu_si128((const __m128i *)(p + l * bytes)) : _mm_setzero_si128();
    return join(_mm256_set_m128i(q[1], q[0]), _mm256_set_m128i(q[3], q[2]));
}

/* Blocks of 32, by fours: the first halves of their codes, then the second. */
LANES_INLINE void open_codes(__m512i *v, const unsigned char *codes, size_t bytes, size_t count)
{
    for (size_t i = 0; i < 2; i++, codes += 4 * bytes) {
        v[2 * i] = four_loads(codes, bytes, beyond(4 * i, count));
        v[2 * i + 1] = four_loads(codes + 16, bytes, beyond(4 * i, count));
    }
}
LANES_INLINE void open_q8_0(__m512i *v, const unsigned char *a, size_t count)
{
    open_codes(v, a + 2, CK_Q8_0_BYTES, count);
}
LANES_INLINE void open_q8_1(__m512i *v, const unsigned char *a, size_t count)
{
    open_codes(v, a + 4, CK_Q8_1_BYTES, count);
}

/* 16 in each byte whose bit is set. */
static inline __m512i sixteens(long long bits)
{
    return _mm512_maskz_mov_epi8((__mmask64)bits, _mm512_set1_epi8(16));
}

/* Of `count` of four blocks the fifth bits, 32 of each from p on: of the first halves, then of the second. */
LANES_INLINE __m128i four_fifths(const unsigned char *p, size_t bytes, size_t count)
{
    const __m128i halves = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    int32_t bits[4] = { 0, 0, 0, 0 };

    for (size_t l = 0; l < 4; l++)
        if (l < count) memcpy(&bits[l], p + l * bytes, sizeof bits[l]);
    return _mm_shuffle_epi8(_mm_setr_epi32(bits[0], bits[1], bits[2], bits[3]), halves);
}

/* Four blocks, whose nibbles are at p, their fifth bits, if there are any, four bytes before. */
LANES_INLINE __m512i multiply_four(bytes_dot_fn *dot, const __m512i *v, const unsigned char *p,
                                   size_t bytes, size_t count, bool five)
{
    const __m512i nibbles = four_loads(p, bytes, count);
    __m512i low = low_nibbles(nibbles), high = high_nibbles(nibbles);

    if (five) {
        const __m128i bits = four_fifths(p - 4, bytes, count);
        low = _mm512_or_si512(low, sixteens(_mm_extract_epi64(bits, 0)));
        high = _mm512_or_si512(high, sixteens(_mm_extract_epi64(bits, 1)));
    }
    return dot(low, high, v);
}

static inline void prefetch_some(const weights *w, size_t at, size_t bytes)
{
    if (w->ahead) prefetch(w->b + at + w->ahead, bytes);
}

/* Blocks of 32 elements of four or five bits, the nibbles from byte `at` on. */
LANES_INLINE products multiply_nibbles(bytes_dot_fn *dot, const __m512i *v, const weights *w,
                                       const formats *f, size_t at, bool five)
{
    const size_t bytes = f->b_bytes;
    __m512i s[4];

    s[2] = s[3] = _mm512_setzero_si512();
    for (size_t i = 0; i < w->room / 4; i++) {
        prefetch_some(w, 4 * i * bytes, 4 * bytes);
        s[i] = multiply_four(dot, v + 2 * i, w->b + 4 * i * bytes + at, bytes,
                             beyond(4 * i, w->count), five);
    }
    return (products){ halves_of(w, 0, bytes),
                       f->has_min ? halves_of(w, MIN, bytes) : _mm512_setzero_ps(),
                       quarters_in_order(s), _mm512_setzero_si512() };
}

/* The codes of the first of two blocks, `bytes` apart, and if `two` of the second; else 0. */
LANES_INLINE __m512i two_loads(const unsigned char *p, size_t bytes, bool two)
{
    return join(load_bytes(p), two ? load_bytes(p + bytes) : _mm256_setzero_si256());
}

/* The products of 64 codes q with those of v[0] and, if it wants more, of what follows, in sixteen sums. */
typedef __m512i codes_dot_fn(__m512i q, const __m512i *v);

/* The sums of halves of s[0] .. s[7] in their order. */
static inline __m512i halves_in_order(const __m512i *s)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);

    return _mm512_permutexvar_epi32(order,
                                    halves_sums(sums_of_quarters(s), sums_of_quarters(s + 4)));
}

/* Blocks of q8_0, of each two of which v has `vectors`. */
LANES_INLINE products multiply_q8_0(codes_dot_fn *dot, size_t vectors, const __m512i *v,
                                    const weights *w)
{
    const size_t bytes = CK_Q8_0_BYTES;
    __m512i s[8];

    for (size_t i = 0; i < 8; i++) {
        const unsigned char *const b = w->b + 2 * i * bytes;
        s[i] = _mm512_setzero_si512();
        if (2 * i >= w->count) continue;
        prefetch_some(w, 2 * i * bytes, 2 * bytes);
        s[i] = dot(two_loads(b + 2, bytes, 2 * i + 1 < w->count), v + vectors * i);
    }
    return (products){ halves_of(w, 0, bytes), _mm512_setzero_ps(), halves_in_order(s),
                       _mm512_setzero_si512() };
}

/* Two blocks of q8_0 in each of v. */
LANES_INLINE void open_q8_0_by_two(__m512i *v, const unsigned char *a, size_t count)
{
    for (size_t i = 0; 2 * i < count; i++)
        v[i] = two_loads(a + 2 * i * CK_Q8_0_BYTES + 2, CK_Q8_0_BYTES, 2 * i + 1 < count);
}

/* Bytes `first` of a quarter as 16 bits in all lanes of the lower quarters, `last` in the upper ones. */
static inline __m512i spread_bytes(__m512i x, int first, int last)
{
    return _mm512_shuffle_epi8(x, join(_mm256_set1_epi16((short)(first - 0x8000)),
                                       _mm256_set1_epi16((short)(last - 0x8000))));
}

/* Blocks of 256: how many vectors are of the codes of one, and what else is of eight. */
enum {
    CODES_K = 4,
    OTHERS_K = CODES_K * LANES,
    VECTORS_Q45_K = OTHERS_K + LANES / 2,
    VECTORS_Q6_K = OTHERS_K + LANES
};

static inline __m512i load_halves(const unsigned char *p)
{
    return join(load_bytes(p), load_bytes(p + 32));
}

/* Sub-blocks 0 and 2, 1 and 3, 4 and 6, 5 and 7: in a register with 64 bytes of nibbles. */
static inline void open_q45_k(__m512i *v, const unsigned char *a, size_t count)
{
    const size_t bytes = CK_Q8_K_BYTES;

    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < CODES_K; i++) {
            const unsigned char *const p = a + l * bytes + A_CODES_K + 128 * (i / 2) + 32 * (i % 2);
            v[CODES_K * l + i] = join(load_bytes(p), load_bytes(p + 64));
        }
    for (size_t i = 0; i < 2; i++) {
        const unsigned char *const bsums = a + 4 * i * bytes + A_BSUMS_K;
        v[OTHERS_K + 2 * i] = four_loads(bsums, bytes, beyond(4 * i, count));
        v[OTHERS_K + 2 * i + 1] = four_loads(bsums + 16, bytes, beyond(4 * i, count));
    }
}

/* The scales and minimums of q4_k and q5_k of four blocks, as bytes:  s[0..3] m[0..3] s[4..7] m[4..7]
 * of 16 bytes each, the last 12 being the b of gemm_nt_q_bytes.h:
 *   word 0  b[0..3] & 63      word 2  b[8..11] & 15 | b[0..3] >> 2 & 48
 *   word 1  b[4..7] & 63      word 3  b[8..11] >> 4 | b[4..7] >> 2 & 48 */
static inline __m512i four_sub_scales(__m512i x)
{
    const __m512i shifts = _mm512_set4_epi32(4, 0, 0, 0);
    const __m512i low =
        _mm512_and_si512(_mm512_srlv_epi32(_mm512_shuffle_epi32(x, 0xf9), shifts),
                         _mm512_set4_epi32(0x0f0f0f0f, 0x0f0f0f0f, 0x3f3f3f3f, 0x3f3f3f3f));
    const __m512i high = _mm512_and_si512(_mm512_srli_epi32(_mm512_shuffle_epi32(x, 0x90), 2),
                                          _mm512_set4_epi32(0x30303030, 0x30303030, 0, 0));

    return _mm512_or_si512(low, high);
}

/* m[j] (bsums[2j] + bsums[2j+1]), any 16 bits being stored in bsums. */
static inline __m512i minimums_q45_k(const __m512i *bsums, __m512i scales)
{
    const __m512i first = _mm512_broadcast_i64x4(
        _mm256_setr_epi64x((long long)0x8005800580048004, (long long)0x8007800780068006,
                           (long long)0x8005800580048004, (long long)0x8007800780068006));
    const __m512i last = _mm512_or_si512(first, _mm512_set1_epi16(8));

    return _mm512_add_epi32(_mm512_madd_epi16(_mm512_shuffle_epi8(scales, first), bsums[0]),
                            _mm512_madd_epi16(_mm512_shuffle_epi8(scales, last), bsums[1]));
}

/* q with the `bits` of each byte of what was turned. */
static inline __m512i with_bits(__m512i q, __m512i turned, int bits)
{
    return _mm512_or_si512(q, _mm512_and_si512(turned, _mm512_set1_epi8((char)bits)));
}

/* Bits of the lower half turned left by `low`, of the upper one by `high`, within 32. */
static inline __m512i turned(__m512i x, int low, int high)
{
    return _mm512_rolv_epi32(x, join(_mm256_set1_epi32(low), _mm256_set1_epi32(high)));
}

/* The sums of two products each, of unsigned codes below 64 and signed ones: at most 2 * 63 * 128 = 16,128,
 * so that none saturates; times scales. */
static inline __m512i scaled_sums(__m512i q, __m512i a, __m512i scales)
{
    return _mm512_madd_epi16(_mm512_maddubs_epi16(q, a), scales);
}

/* Sub-block j: nibbles j mod 2 of 32 bytes j / 2; fifth bits, if there are any, bit j of each of qh.
 * scales: of four_sub_scales, the block's own in every quarter. */
LANES_INLINE __m512i block_q45_k(const __m512i *v, const unsigned char *qh, const unsigned char *qs,
                                 __m512i s)
{
    const __m512i first = load_halves(qs), second = load_halves(qs + 64);
    __m512i q[] = { low_nibbles(first), high_nibbles(first), low_nibbles(second),
                    high_nibbles(second) };

    if (qh) {
        const __m512i bits = _mm512_broadcast_i64x4(load_bytes(qh));
        q[0] = with_bits(q[0], turned(bits, 4, 2), 16);
        q[1] = with_bits(q[1], turned(bits, 3, 1), 16);
        q[2] = with_bits(q[2], turned(bits, 0, 30), 16);
        q[3] = with_bits(q[3], turned(bits, 31, 29), 16);
    }
    return _mm512_add_epi32(_mm512_add_epi32(scaled_sums(q[0], v[0], spread_bytes(s, 0, 2)),
                                             scaled_sums(q[1], v[1], spread_bytes(s, 1, 3))),
                            _mm512_add_epi32(scaled_sums(q[2], v[2], spread_bytes(s, 8, 10)),
                                             scaled_sums(q[3], v[3], spread_bytes(s, 9, 11))));
}

/* The first 32 bits of each quarter of h[0] .. h[3]. */
static inline __m512i first_of_quarters(const __m512i *h)
{
    const __m512i at = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const __m512i low = _mm512_permutex2var_epi32(h[0], at, h[1]);
    const __m512i high = _mm512_permutex2var_epi32(h[2], at, h[3]);

    return _mm512_shuffle_i64x2(low, high, 0x44);
}

LANES_INLINE products multiply_q45_k(const __m512i *v, const weights *w, size_t bytes, size_t qh,
                                     size_t qs)
{
    __m512i s[PAIRS], heads[4], minimums[4];

    for (size_t i = 1; i < 4; i++) heads[i] = minimums[i] = _mm512_setzero_si512();
    for (size_t i = 0; i < w->room / 4; i++) {
        const unsigned char *p = w->b + 4 * i * bytes;
        const size_t count = beyond(4 * i, w->count);
        const __m512i *const eight = v + i / 2 * VECTORS_Q45_K, *codes = eight + i % 2 * 16;
        __m128i scales[4];
        heads[i] = four_loads(p, bytes, count);
        const __m512i four = four_sub_scales(heads[i]);
        minimums[i] = minimums_q45_k(eight + OTHERS_K + i % 2 * 2, four);
        _mm512_storeu_si512(scales, four);
        for (size_t l = 0; l < 4; l++, p += bytes, codes += CODES_K) {
            const __m512i own = _mm512_broadcast_i32x4(scales[l]);
            s[4 * i + l] = _mm512_setzero_si512();
            if (l >= count) continue;
            prefetch_some(w, (4 * i + l) * bytes, bytes);
            s[4 * i + l] = block_q45_k(codes, qh ? p + qh : NULL, p + qs, own);
        }
    }
    const __m512i two = first_of_quarters(heads);
    return (products){ _mm512_cvtph_ps(_mm512_cvtepi32_epi16(two)),
                       _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(two, 16))),
                       sums_of_all(s, w->room), quarters_in_order(minimums) };
}

LANES_INLINE products multiply_q4_k(const __m512i *v, const weights *w)
{
    return multiply_q45_k(v, w, CK_Q4_K_BYTES, 0, 16);
}
LANES_INLINE products multiply_q5_k(const __m512i *v, const weights *w)
{
    return multiply_q45_k(v, w, CK_Q5_K_BYTES, 16, 48);
}

/* The sums of each 16 of 256 codes, times 16, from -16 * 16 * 128 = -2^15 to 16 * 16 * 127; twice. */
static inline __m512i sums_of_16(const __m512i *codes)
{
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i s[4];

    for (int i = 0; i < 4; i++)
        s[i] = _mm512_madd_epi16(_mm512_maddubs_epi16(ones, codes[i]), _mm512_set1_epi16(16));
    return _mm512_broadcast_i64x4(_mm512_cvtepi32_epi16(quarters_in_order(s)));
}

static inline void open_q6_k(__m512i *v, const unsigned char *a, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        for (size_t i = 0; i < CODES_K; i++)
            v[CODES_K * l + i] = _mm512_loadu_si512(a + l * CK_Q8_K_BYTES + A_CODES_K + 64 * i);
        v[OTHERS_K + l] = sums_of_16(v + CODES_K * l);
    }
}

/* Scale n of 16 bits in all lanes of quarter n - `first`. */
static inline __m512i spread_four(__m512i scales, int first)
{
    const long long one = 0x0001000100010001;

    return _mm512_permutexvar_epi16(_mm512_setr_epi64(first * one, first * one, (first + 1) * one,
                                                      (first + 1) * one, (first + 2) * one,
                                                      (first + 2) * one, (first + 3) * one,
                                                      (first + 3) * one),
                                    scales);
}

/* Half h of a block, 128 elements: nibbles of the 64 bytes h of ql, first the low ones, and of the 32 bytes h
 * of qh for each 32 elements two bits. Each 16 elements have a scale. */
LANES_INLINE __m512i half_q6_k(const __m512i *v, const unsigned char *b, __m512i scales, int h)
{
    const __m512i ql = load_halves(b + 64 * h);
    const __m512i qh = _mm512_broadcast_i64x4(load_bytes(b + 128 + 32 * h));
    const __m512i low = with_bits(low_nibbles(ql), turned(qh, 4, 2), 0x30);
    const __m512i high = with_bits(high_nibbles(ql), turned(qh, 0, 30), 0x30);

    return _mm512_add_epi32(scaled_sums(low, v[2 * h], spread_four(scales, 8 * h)),
                            scaled_sums(high, v[2 * h + 1], spread_four(scales, 8 * h + 4)));
}

/* 32 stands for 0 and is taken off as often as of_16, the sums_of_16 of a, say. Neither sum of products is
 * above 2^28. */
LANES_INLINE __m512i block_q6_k(const __m512i *v, const unsigned char *b, __m512i of_16)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(b + 192));
    const __m512i s = _mm512_cvtepi8_epi16(_mm256_broadcastsi128_si256(bytes));

    return _mm512_sub_epi32(_mm512_add_epi32(half_q6_k(v, b, s, 0), half_q6_k(v, b, s, 1)),
                            _mm512_madd_epi16(s, of_16));
}

LANES_INLINE products multiply_q6_k(const __m512i *v, const weights *w)
{
    const size_t bytes = CK_Q6_K_BYTES;
    __m512i fours[4];

    for (size_t i = 0; i < w->room / 4; i++) {
        const __m512i *const eight = v + i / 2 * VECTORS_Q6_K, *const codes = eight + i % 2 * 16;
        __m512i s[4];
        for (size_t l = 0; l < 4; l++) {
            s[l] = _mm512_setzero_si512();
            if (4 * i + l >= w->count) continue;
            prefetch_some(w, (4 * i + l) * bytes, bytes);
            s[l] = block_q6_k(codes + CODES_K * l, w->b + (4 * i + l) * bytes,
                              eight[OTHERS_K + i % 2 * 4 + l]);
        }
        fours[i] = sums_of_quarters(s);
    }
    return (products){ halves_of(w, q6_k_q8_k.b_scale, bytes), _mm512_setzero_ps(),
                       sums_of_fours(fours, w->room), _mm512_setzero_si512() };
}

#endif
