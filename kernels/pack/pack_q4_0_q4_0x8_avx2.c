/* SPDX-License-Identifier: MIT */
/* pack_q4_0_q4_0x8, AVX2. */
#include <immintrin.h>

#include "pack/pack_q4_0x8.h"

const ck_numspec ck_pack_q4_0_q4_0x8_avx2_spec = CK_PACK_SPEC(CK_Q4_0_BLOCK);

static inline __m256i two_rows(const unsigned char *low, const unsigned char *high)
{
    const __m128i first = _mm_loadu_si128((const __m128i *)low);

    return _mm256_inserti128_si256(_mm256_castsi128_si256(first),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}

/* Halves of four rows a b c d:   a0 a1 | c0 c1   and   b0 b1 | d0 d1   ->   a0 b0 | c0 d0,  a1 b1 | c1 d1 */
static inline void turn_four(unsigned char *y, const unsigned char *const *at)
{
    const __m256i flip = _mm256_set1_epi8((char)0x88);
    const __m256i even = _mm256_xor_si256(two_rows(at[0], at[2]), flip);
    const __m256i odd = _mm256_xor_si256(two_rows(at[1], at[3]), flip);

    _mm256_storeu_si256((__m256i *)y, _mm256_unpacklo_epi64(even, odd));
    _mm256_storeu_si256((__m256i *)(y + CHUNK), _mm256_unpackhi_epi64(even, odd));
}

static inline void turn_codes(unsigned char *y, const unsigned char *const *at)
{
    turn_four(y, at);
    turn_four(y + 32, at + 4);
}

void ck_pack_q4_0_q4_0x8_avx2(const void *args) { pack_q4_0x8(args); }

void ck_pack_q4_0_q4_0x8_avx2_strict(const void *args) { ck_strict_run(pack_q4_0x8, args); }
