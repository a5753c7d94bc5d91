/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX-512. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx512_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* Bytes of even places, and of odd ones, as 16 bits: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m512i evens(__m512i x) { return _mm512_srai_epi16(_mm512_slli_epi16(x, 8), 8); }
static inline __m512i odds(__m512i x) { return _mm512_srai_epi16(x, 8); }

LANES_INLINE void open(__m512i *v, const unsigned char *a, size_t count)
{
    __m512i codes[4];

    open_q8_0_by_two(codes, a, count);
    for (size_t i = 0; 2 * i < count; i++) {
        v[2 * i] = evens(codes[i]);
        v[2 * i + 1] = odds(codes[i]);
    }
}

LANES_INLINE __m512i madd_dot(__m512i q, const __m512i *v)
{
    return _mm512_add_epi32(_mm512_madd_epi16(evens(q), v[0]), _mm512_madd_epi16(odds(q), v[1]));
}

LANES_INLINE products multiply(const __m512i *v, const weights *w)
{
    return multiply_q8_0(madd_dot, 2, v, w);
}

static const dots q8_0 = { &q8_0_q8_0, open, multiply, 8 };

void ck_gemm_nt_q8_0_q8_0_avx512(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avx512_strict(const void *args) { ck_strict_run(strict, args); }
