/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX-512 and VNNI. */
#include "gemm_nt_q8_0_q8_0_avx512.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx512vnni_spec = {
    .lanes = LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = LANES,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static inline __m512i codes(const unsigned char *p, size_t next)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(p + QS));
    const __m256i high = _mm256_loadu_si256((const __m256i *)(p + next + QS));

    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* vpdpbusd multiplies unsigned by signed, and a ^ 0x80 is a + 128 without sign:
 * sum a b = sum (a + 128) b - sum 128 b. Neither sum can overflow. */
static inline __m512i pair_sums(const unsigned char *a, const unsigned char *b, size_t next)
{
    const __m512i offset = _mm512_set1_epi8(-128), zero = _mm512_setzero_si512();
    const __m512i qa = codes(a, next), qb = codes(b, next);

    return _mm512_sub_epi32(_mm512_dpbusd_epi32(zero, _mm512_xor_si512(qa, offset), qb),
                            _mm512_dpbusd_epi32(zero, offset, qb));
}

void ck_gemm_nt_q8_0_q8_0_avx512vnni(const void *args) { gemm_fast(args, row_dot); }

static void strict_body(const void *args) { gemm_strict(args, block_dot); }

void ck_gemm_nt_q8_0_q8_0_avx512vnni_strict(const void *args) { ck_strict_run(strict_body, args); }
