/* SPDX-License-Identifier: MIT */
/* pack_q4_k_q4_kx8, AVX-512. */
#include <immintrin.h>

#include "pack/pack_q4_kx8.h"

const ck_numspec ck_pack_q4_k_q4_kx8_avx512_spec = CK_PACK_SPEC(CK_K_BLOCK);

/* 64 bytes of eight rows as eight times eight of each: neighbours are joined, then pairs, then fours, whose
 * quarters lie in the order of the elements:
 *   a0 b0 | a2 b2 | a4 b4 | a6 b6  ->  a0 b0 | a4 b4 | c0 d0 | c4 d4  ->  a0 b0 | c0 d0 | e0 f0 | g0 h0 */
static inline void turn_eight(unsigned char *y, const unsigned char *const *at, int e)
{
    __m512i two[2][4];

    for (int p = 0; p < 4; p++) {
        const __m512i a = _mm512_loadu_si512(at[2 * p] + e),
                      b = _mm512_loadu_si512(at[2 * p + 1] + e);
        two[0][p] = _mm512_unpacklo_epi64(a, b);
        two[1][p] = _mm512_unpackhi_epi64(a, b);
    }
    for (int odd = 0; odd < 2; odd++) {
        const __m512i *const t = two[odd];
        const __m512i abcd04 = _mm512_shuffle_i64x2(t[0], t[1], 0x88);
        const __m512i abcd26 = _mm512_shuffle_i64x2(t[0], t[1], 0xdd);
        const __m512i efgh04 = _mm512_shuffle_i64x2(t[2], t[3], 0x88);
        const __m512i efgh26 = _mm512_shuffle_i64x2(t[2], t[3], 0xdd);
        _mm512_storeu_si512(y + 64 * odd, _mm512_shuffle_i64x2(abcd04, efgh04, 0x88));
        _mm512_storeu_si512(y + 64 * (odd + 2), _mm512_shuffle_i64x2(abcd26, efgh26, 0x88));
        _mm512_storeu_si512(y + 64 * (odd + 4), _mm512_shuffle_i64x2(abcd04, efgh04, 0xdd));
        _mm512_storeu_si512(y + 64 * (odd + 6), _mm512_shuffle_i64x2(abcd26, efgh26, 0xdd));
    }
}

static inline void turn_codes(unsigned char *y, const unsigned char *const *at)
{
    for (int e = 0; e < CODES; e += 64, y += 512) turn_eight(y, at, e);
}

void ck_pack_q4_k_q4_kx8_avx512(const void *args) { pack_q4_kx8(args); }

void ck_pack_q4_k_q4_kx8_avx512_strict(const void *args) { ck_strict_run(pack_q4_kx8, args); }
