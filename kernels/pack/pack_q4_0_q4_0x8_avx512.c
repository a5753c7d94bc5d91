/* SPDX-License-Identifier: MIT */
/* pack_q4_0_q4_0x8, AVX-512. */
#include <immintrin.h>

#include "pack/pack_q4_0x8.h"

const ck_numspec ck_pack_q4_0_q4_0x8_avx512_spec = CK_PACK_SPEC(CK_Q4_0_BLOCK);

/* Rows 0, 2, 4, 6 from at[0] on. */
static inline __m512i every_other(const unsigned char *const *at)
{
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)at[0]));

    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)at[2]), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)at[4]), 2);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)at[6]), 3);
    return _mm512_xor_si512(x, _mm512_set1_epi8((char)0x88));
}

/* Halves of eight rows:
 *   a0 a1 | c0 c1 | e0 e1 | g0 g1      ->      a0 b0 | c0 d0 | e0 f0 | g0 h0
 *   b0 b1 | d0 d1 | f0 f1 | h0 h1              a1 b1 | c1 d1 | e1 f1 | g1 h1 */
static inline void turn_codes(unsigned char *y, const unsigned char *const *at)
{
    const __m512i even = every_other(at), odd = every_other(at + 1);

    _mm512_storeu_si512(y, _mm512_unpacklo_epi64(even, odd));
    _mm512_storeu_si512(y + CHUNK, _mm512_unpackhi_epi64(even, odd));
}

void ck_pack_q4_0_q4_0x8_avx512(const void *args) { pack_q4_0x8(args); }

void ck_pack_q4_0_q4_0x8_avx512_strict(const void *args) { ck_strict_run(pack_q4_0x8, args); }
