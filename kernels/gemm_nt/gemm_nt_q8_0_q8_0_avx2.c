/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2 and FMA. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx2_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* Codes go to 16 bits first: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m256i half_dot(const unsigned char *a, const unsigned char *b)
{
    const __m256i qa = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)a));
    const __m256i qb = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)b));

    return _mm256_madd_epi16(qa, qb);
}

static inline __m256i parts(const unsigned char *a, const unsigned char *b)
{
    return _mm256_add_epi32(half_dot(a + 2, b + 2), half_dot(a + 18, b + 18));
}

static const dots q8_0 = { &q8_0_q8_0, parts, NULL };

void ck_gemm_nt_q8_0_q8_0_avx2(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avx2_strict(const void *args) { ck_strict_run(strict, args); }
