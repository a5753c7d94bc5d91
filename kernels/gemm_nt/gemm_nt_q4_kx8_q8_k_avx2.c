/* SPDX-License-Identifier: MIT */
/* gemm_nt_q4_kx8_q8_k, AVX2 and FMA: rows 0..3 in one register and 4..7 in another. */
#include <immintrin.h>

#include "gemm_nt/gemm_nt_q4_kx8.h"

/* codes: [sub-block][eight elements][half of the rows]; scales, of 16 bits, four times for each row, and
 * minimums twice, in the order of the sums: rows 0 1 4 5 | 2 3 6 7. */
typedef struct weights {
    __m256i codes[8][4][2], scales[8][2], minimums[8];
    __m256 d, dmin;
} weights;

#include "gemm_nt/gemm_nt_q4_kx8_rows.h"

const ck_numspec ck_gemm_nt_q4_kx8_q8_k_avx2_spec = CK_GEMM_Q4_KX8_SPEC(AT_A_TIME, 0);

/* 0 1 4 5 | 2 3 6 7 from and to 0 1 2 3 | 4 5 6 7. */
static inline __m256i in_order(__m256i x) { return _mm256_permute4x64_epi64(x, 0xd8); }

static inline __m256 halves_apart(__m256 x)
{
    return _mm256_castsi256_ps(in_order(_mm256_castps_si256(x)));
}

static inline void open_scales(weights *w, const unsigned char *b)
{
    const __m256i four = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, //
                                          4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 6, 7);
    const __m256i two = _mm256_setr_epi8(0, 1, 0, 1, 2, 3, 2, 3, 8, 9, 8, 9, 10, 11, 10, 11, //
                                         4, 5, 4, 5, 6, 7, 6, 7, 12, 13, 12, 13, 14, 15, 14, 15);

    for (int j = 0; j < 8; j++) {
        const __m256i both = sub_scales(b + B_SCALES + SUB_SCALES * j);
        const __m256i s = _mm256_permute2x128_si256(both, both, 0x00);
        const __m256i m = _mm256_permute2x128_si256(both, both, 0x11);
        w->scales[j][0] = _mm256_shuffle_epi8(s, four);
        w->scales[j][1] = _mm256_shuffle_epi8(s, _mm256_add_epi8(four, _mm256_set1_epi8(8)));
        w->minimums[j] = _mm256_shuffle_epi8(m, two);
    }
}

static inline void open_weights(weights *w, const unsigned char *b)
{
    const __m256i nibble = _mm256_set1_epi8(15);

    for (int g = 0; g < 4; g++)
        for (int e = 0; e < 4; e++)
            for (int h = 0; h < 2; h++) {
                const __m256i bytes = load_bytes(b + B_CODES + 64 * (4 * g + e) + 32 * h);
                w->codes[2 * g][e][h] = _mm256_and_si256(bytes, nibble);
                w->codes[2 * g + 1][e][h] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
            }
    open_scales(w, b);
    w->d = halves_apart(eight_f16(b + B_D));
    w->dmin = halves_apart(eight_f16(b + B_DMIN));
}

/* Sub-block j. A sum of 16 bits has eight products of codes, at most 8 * 15 * 128 = 15,360. */
ROWS_INLINE void add_sub_block(__m256i (*sum)[2], const weights *w, const unsigned char *a,
                               size_t ld, int count, int j)
{
    __m256i eight[AT_A_TIME][2];

    for (int e = 0; e < 4; e++)
        for (int r = 0; r < count; r++) {
            const __m256i x = spread8(a + (size_t)r * ld + A_CODES_K + 32 * j + 8 * e);
            for (int h = 0; h < 2; h++) {
                const __m256i pairs = _mm256_maddubs_epi16(w->codes[j][e][h], x);
                eight[r][h] = e ? _mm256_add_epi16(eight[r][h], pairs) : pairs;
            }
        }
    for (int r = 0; r < count; r++)
        for (int h = 0; h < 2; h++) {
            const __m256i scaled = _mm256_madd_epi16(eight[r][h], w->scales[j][h]);
            sum[r][h] = _mm256_add_epi32(sum[r][h], scaled);
        }
}

ROWS_INLINE void integers_of_rows(sums_of_rows *s, const weights *w, const unsigned char *a,
                                  size_t ld, int count)
{
    __m256i sum[AT_A_TIME][2];

    for (int r = 0; r < count; r++) sum[r][0] = sum[r][1] = s->minimums[r] = _mm256_setzero_si256();
    for (int j = 0; j < 8; j++) {
        add_sub_block(sum, w, a, ld, count, j);
        for (int r = 0; r < count; r++) {
            const __m256i m = minimums_of(w->minimums[j], a + (size_t)r * ld, j);
            s->minimums[r] = _mm256_add_epi32(s->minimums[r], m);
        }
    }
    for (int r = 0; r < count; r++) s->codes[r] = _mm256_hadd_epi32(sum[r][0], sum[r][1]);
}

void ck_gemm_nt_q4_kx8_q8_k_avx2(const void *args) { gemm_p_fast(args); }

static void strict(const void *args) { gemm_p_strict(args); }

void ck_gemm_nt_q4_kx8_q8_k_avx2_strict(const void *args) { ck_strict_run(strict, args); }
