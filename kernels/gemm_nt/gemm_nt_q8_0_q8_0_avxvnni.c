/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2 and AVX-VNNI. */
#include "gemm_nt_q8_0_q8_0_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avxvnni_spec = {
    .lanes = LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = LANES,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

/* vpdpbusd multiplies unsigned by signed, and a ^ 0x80 is a + 128 without sign:
 * sum a b = sum (a + 128) b - sum 128 b. Neither sum can overflow. */
static inline __m256i block_sums(const unsigned char *a, const unsigned char *b)
{
    const __m256i offset = _mm256_set1_epi8(-128), zero = _mm256_setzero_si256();
    const __m256i qa = _mm256_loadu_si256((const __m256i *)(a + QS));
    const __m256i qb = _mm256_loadu_si256((const __m256i *)(b + QS));

    return _mm256_sub_epi32(_mm256_dpbusd_epi32(zero, _mm256_xor_si256(qa, offset), qb),
                            _mm256_dpbusd_epi32(zero, offset, qb));
}

void ck_gemm_nt_q8_0_q8_0_avxvnni(const void *args) { gemm_fast(args, row_dot); }

static void strict_body(const void *args) { gemm_strict(args, block_dot); }

void ck_gemm_nt_q8_0_q8_0_avxvnni_strict(const void *args) { ck_strict_run(strict_body, args); }
