/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, AVX-512. */
#include "gemm_nt_q8_0_q8_0_avx512.h"

const ck_numspec ck_gemm_nt_q8_0_q8_0_avx512_spec = {
    .lanes = LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = LANES,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

/* 16 codes from p and 16 from q, in 16 bits each: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m512i widen(const unsigned char *p, const unsigned char *q)
{
    const __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p));

    return _mm512_cvtepi8_epi16(
        _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)q), 1));
}

static inline __m512i pair_sums(const unsigned char *a, const unsigned char *b, size_t next)
{
    const unsigned char *const pa = a + QS, *const pb = b + QS;
    const __m512i first = _mm512_madd_epi16(widen(pa, pa + next), widen(pb, pb + next));
    const __m512i second =
        _mm512_madd_epi16(widen(pa + 16, pa + next + 16), widen(pb + 16, pb + next + 16));

    return _mm512_add_epi32(first, second);
}

void ck_gemm_nt_q8_0_q8_0_avx512(const void *args) { gemm_fast(args, row_dot); }

static void strict_body(const void *args) { gemm_strict(args, block_dot); }

void ck_gemm_nt_q8_0_q8_0_avx512_strict(const void *args) { ck_strict_run(strict_body, args); }
