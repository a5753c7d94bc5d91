/* SPDX-License-Identifier: MIT */
/* pack_q4_k_q4_kx8, AVX2. */
#include <immintrin.h>

#include "pack/pack_q4_kx8.h"

const ck_numspec ck_pack_q4_k_q4_kx8_avx2_spec = CK_PACK_SPEC(CK_K_BLOCK);

static inline __m256i load(const unsigned char *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

/* 32 bytes of four rows a b c d as four times eight of each:
 *   a0 a1 | a2 a3          low  a0 b0 | a2 b2     c0 d0 | c2 d2          a0 b0 | c0 d0
 *   b0 b1 | b2 b3   ->     high a1 b1 | a3 b3     c1 d1 | c3 d3   ->     a1 b1 | c1 d1   ... */
static inline void turn_four(unsigned char *y, const unsigned char *const *at, int e)
{
    const __m256i a = load(at[0] + e), b = load(at[1] + e), c = load(at[2] + e),
                  d = load(at[3] + e);
    const __m256i low = _mm256_unpacklo_epi64(a, b), low_next = _mm256_unpacklo_epi64(c, d);
    const __m256i high = _mm256_unpackhi_epi64(a, b), high_next = _mm256_unpackhi_epi64(c, d);
    const __m256i turned[] = { _mm256_permute2x128_si256(low, low_next, 0x20),
                               _mm256_permute2x128_si256(high, high_next, 0x20),
                               _mm256_permute2x128_si256(low, low_next, 0x31),
                               _mm256_permute2x128_si256(high, high_next, 0x31) };

    for (int i = 0; i < 4; i++) _mm256_storeu_si256((__m256i *)(y + 64 * i), turned[i]);
}

static inline void turn_codes(unsigned char *y, const unsigned char *const *at)
{
    for (int e = 0; e < CODES; e += 32, y += 256) {
        turn_four(y, at, e);
        turn_four(y + 32, at + 4, e);
    }
}

void ck_pack_q4_k_q4_kx8_avx2(const void *args) { pack_q4_kx8(args); }

void ck_pack_q4_k_q4_kx8_avx2_strict(const void *args) { ck_strict_run(pack_q4_kx8, args); }
