/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2 and AVX-VNNI. */
#include "gemm_nt/gemm_nt_q_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avxvnni_spec = CK_GEMM_Q_SPEC(LANES, CK_Q8_0_BLOCK, 0);

/* vpdpbusd multiplies unsigned by signed, and a ^ 0x80 is a + 128 without sign:
 * sum a b = sum (a + 128) b - sum 128 b. Neither sum can overflow. */
static inline __m256i parts(const unsigned char *a, const unsigned char *b)
{
    const __m256i offset = _mm256_set1_epi8(-128), none = _mm256_setzero_si256();
    const __m256i qa = load_bytes(a + 2), qb = load_bytes(b + 2);

    return _mm256_sub_epi32(_mm256_dpbusd_epi32(none, _mm256_xor_si256(qa, offset), qb),
                            _mm256_dpbusd_epi32(none, offset, qb));
}

static const dots q8_0 = { &q8_0_q8_0, parts, NULL };

void ck_gemm_nt_q8_0_q8_0_avxvnni(const void *args) { gemm_fast(args, &q8_0); }

static void strict(const void *args) { gemm_strict(args, &q8_0); }

void ck_gemm_nt_q8_0_q8_0_avxvnni_strict(const void *args) { ck_strict_run(strict, args); }
