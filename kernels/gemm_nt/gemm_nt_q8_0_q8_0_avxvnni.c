/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2 and AVX-VNNI. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avxvnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* vpdpbusd multiplies unsigned by signed: b ^ 0x80 is b + 128 without sign, of which 128 stands for 0. No
 * sum can overflow. */
static const formats from_minus_128 = { 32, CK_Q8_0_BYTES, CK_Q8_0_BYTES, 0, false, 128 };

LANES_INLINE k_parts parts(const two_blocks *t)
{
    const __m256i offset = _mm256_set1_epi8(-128), none = _mm256_setzero_si256();
    const __m256i first = _mm256_xor_si256(two_loads(t->b + 2, t->b_next), offset);
    const __m256i last = _mm256_xor_si256(two_loads(t->b + 18, t->b_next), offset);

    return no_minimums(
        _mm256_dpbusd_epi32(_mm256_dpbusd_epi32(none, first, t->v[0]), last, t->v[1]));
}

static const dots q8_0 = { &from_minus_128, open_q8_0, parts, 2 };

void ck_gemm_nt_q8_0_q8_0_avxvnni(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avxvnni_strict(const void *args) { ck_strict_run(strict, args); }
