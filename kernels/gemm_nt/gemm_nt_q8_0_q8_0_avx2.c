/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx2_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* Codes go to 16 bits first: (-128)^2 * 2 fits no 16-bit pair sum. Those of weights are left in the upper
 * byte, which makes sums 256 times as great, at most 2^8 * 2^14 * 32 = 2^27. */
static inline __m256i words_low(__m256i x)
{
    return _mm256_unpacklo_epi8(_mm256_setzero_si256(), x);
}
static inline __m256i words_high(__m256i x)
{
    return _mm256_unpackhi_epi8(_mm256_setzero_si256(), x);
}

static inline void open_words(__m256i *v, const unsigned char *a, size_t next)
{
    const __m256i x = two_loads(a + 2, next), y = two_loads(a + 18, next);

    v[0] = _mm256_srai_epi16(words_low(x), 8);
    v[1] = _mm256_srai_epi16(words_high(x), 8);
    v[2] = _mm256_srai_epi16(words_low(y), 8);
    v[3] = _mm256_srai_epi16(words_high(y), 8);
}

static inline k_parts parts(const two_blocks *t)
{
    const __m256i x = two_loads(t->b + 2, t->b_next), y = two_loads(t->b + 18, t->b_next);
    const __m256i first = _mm256_add_epi32(_mm256_madd_epi16(words_low(x), t->v[0]),
                                           _mm256_madd_epi16(words_high(x), t->v[1]));
    const __m256i last = _mm256_add_epi32(_mm256_madd_epi16(words_low(y), t->v[2]),
                                          _mm256_madd_epi16(words_high(y), t->v[3]));

    return no_minimums(_mm256_srai_epi32(_mm256_add_epi32(first, last), 8));
}

static const dots q8_0 = { &q8_0_q8_0, open_words, parts, 4 };

void ck_gemm_nt_q8_0_q8_0_avx2(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avx2_strict(const void *args) { ck_strict_run(strict, args); }
