/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx2_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* Codes go to 16 bits first: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m256i words(const unsigned char *p)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

static inline void open_words(__m256i *v, const unsigned char *a, size_t next)
{
    v[0] = words(a + 2);
    v[1] = words(a + 18);
    v[2] = words(a + next + 2);
    v[3] = words(a + next + 18);
}

static inline __m256i block(const __m256i *v, const unsigned char *b)
{
    return _mm256_add_epi32(_mm256_madd_epi16(words(b + 2), v[0]),
                            _mm256_madd_epi16(words(b + 18), v[1]));
}

LANES_INLINE k_parts parts(const two_blocks *t)
{
    return no_minimums(halves_sum(block(t->v, t->b), block(t->v + 2, t->b + t->b_next)));
}

static const dots q8_0 = { &q8_0_q8_0, open_words, parts, 4 };

void ck_gemm_nt_q8_0_q8_0_avx2(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avx2_strict(const void *args) { ck_strict_run(strict, args); }
