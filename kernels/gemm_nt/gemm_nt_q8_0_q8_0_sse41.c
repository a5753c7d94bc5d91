/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, SSE4.1. */
#include "gemm_nt/gemm_nt_q_sse41.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_sse41_spec =
    CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, CK_NUM_MULADD);

/* 16 products in four sums. Codes go to 16 bits first: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m128i half_dot(const unsigned char *a, const unsigned char *b)
{
    const __m128i qa = load_bytes(a), qb = load_bytes(b);
    const __m128i low = _mm_madd_epi16(_mm_cvtepi8_epi16(qa), _mm_cvtepi8_epi16(qb));
    const __m128i high = _mm_madd_epi16(_mm_cvtepi8_epi16(_mm_srli_si128(qa, 8)),
                                        _mm_cvtepi8_epi16(_mm_srli_si128(qb, 8)));

    return _mm_add_epi32(low, high);
}

static inline __m128i parts(const unsigned char *a, const unsigned char *b)
{
    return _mm_add_epi32(half_dot(a + 2, b + 2), half_dot(a + 18, b + 18));
}

static const dots q8_0 = { &q8_0_q8_0, parts, NULL };

void ck_gemm_nt_q8_0_q8_0_sse41(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_sse41_strict(const void *args) { ck_strict_run(strict, args); }
