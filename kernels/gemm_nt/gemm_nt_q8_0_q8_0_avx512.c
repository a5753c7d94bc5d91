/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX-512. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx512_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* 16 codes from p and 16 from `next` bytes on, in 16 bits each: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m512i widen(const unsigned char *p, size_t next)
{
    const __m128i first = _mm_loadu_si128((const __m128i *)p);

    return _mm512_cvtepi8_epi16(
        _mm256_set_m128i(_mm_loadu_si128((const __m128i *)(p + next)), first));
}

static inline __m512i pair(const unsigned char *a, const unsigned char *b, size_t a_next,
                           size_t b_next)
{
    return _mm512_add_epi32(_mm512_madd_epi16(widen(a + 2, a_next), widen(b + 2, b_next)),
                            _mm512_madd_epi16(widen(a + 18, a_next), widen(b + 18, b_next)));
}

static const dots q8_0 = { &q8_0_q8_0, pair, NULL };

void ck_gemm_nt_q8_0_q8_0_avx512(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avx512_strict(const void *args) { ck_strict_run(strict, args); }
