/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX-512 and VNNI. */
#include "gemm_nt/gemm_nt_q_avx512.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx512vnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* vpdpbusd multiplies unsigned by signed: b ^ 0x80 is b + 128 without sign, of which 128 stands for 0. No
 * sum can overflow. */
static const formats from_minus_128 = { 32, CK_Q8_0_BYTES, CK_Q8_0_BYTES, 0, false, 128 };

LANES_INLINE __m512i dpbusd_dot(__m512i q, const __m512i *v)
{
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_xor_si512(q, _mm512_set1_epi8(-128)),
                               v[0]);
}

LANES_INLINE products multiply(const __m512i *v, const weights *w)
{
    return multiply_q8_0(dpbusd_dot, 1, v, w);
}

static const dots q8_0 = { &from_minus_128, open_q8_0_by_two, multiply, 4 };

void ck_gemm_nt_q8_0_q8_0_avx512vnni(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avx512vnni_strict(const void *args) { ck_strict_run(strict, args); }
