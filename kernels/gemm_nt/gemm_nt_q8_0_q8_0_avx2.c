/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX2. */
#include "gemm_nt_q8_0_q8_0_avx2.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx2_spec = {
    .lanes = LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = LANES,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

/* Codes go to 16 bits first: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m256i half_dot(const unsigned char *a, const unsigned char *b)
{
    const __m256i qa = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)a));
    const __m256i qb = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)b));

    return _mm256_madd_epi16(qa, qb);
}

static inline __m256i block_sums(const unsigned char *a, const unsigned char *b)
{
    return _mm256_add_epi32(half_dot(a + QS, b + QS), half_dot(a + QS + 16, b + QS + 16));
}

void ck_gemm_nt_q8_0_q8_0_avx2(const void *args) { gemm_fast(args, row_dot); }

static void strict_body(const void *args) { gemm_strict(args, block_dot); }

void ck_gemm_nt_q8_0_q8_0_avx2_strict(const void *args) { ck_strict_run(strict_body, args); }
