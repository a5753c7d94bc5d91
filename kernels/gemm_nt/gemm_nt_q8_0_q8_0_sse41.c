/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0, SSE4.1: four blocks a step, one to each lane. */
#include <smmintrin.h>

#include "gemm_nt_q8_0_q8_0.h"

enum { LANES = 4 };

const ck_numspec ck_gemm_nt_q8_0_q8_0_sse41_spec = {
    .lanes = LANES,
    .accs = 1,
    .tail = CK_TAIL_LANE,
    .tree = CK_TREE_HALVING,
    .ku = LANES,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

/* 16 products in four sums. Codes go to 16 bits first: (-128)^2 * 2 fits no 16-bit pair sum. */
static inline __m128i half_dot(const unsigned char *a, const unsigned char *b)
{
    const __m128i qa = _mm_loadu_si128((const __m128i *)a);
    const __m128i qb = _mm_loadu_si128((const __m128i *)b);
    const __m128i low = _mm_madd_epi16(_mm_cvtepi8_epi16(qa), _mm_cvtepi8_epi16(qb));
    const __m128i high = _mm_madd_epi16(_mm_cvtepi8_epi16(_mm_srli_si128(qa, 8)),
                                        _mm_cvtepi8_epi16(_mm_srli_si128(qb, 8)));

    return _mm_add_epi32(low, high);
}

static inline __m128i block_sums(const unsigned char *a, const unsigned char *b)
{
    return _mm_add_epi32(half_dot(a + QS, b + QS), half_dot(a + QS + 16, b + QS + 16));
}

static int32_t block_dot(const unsigned char *a, const unsigned char *b)
{
    const __m128i s = block_sums(a, b);
    const __m128i two = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));

    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

/* The integer dots of four blocks, each in its lane. */
static inline __m128i four_dots(const unsigned char *a, const unsigned char *b)
{
    __m128i s[LANES];

    for (int l = 0; l < LANES; l++) s[l] = block_sums(a + l * CK_Q8_0_BYTES, b + l * CK_Q8_0_BYTES);
    return _mm_hadd_epi32(_mm_hadd_epi32(s[0], s[1]), _mm_hadd_epi32(s[2], s[3]));
}

static inline float scale_at(const unsigned char *p, int l)
{
    return f16_to_f32(f16_load(p + l * CK_Q8_0_BYTES));
}

static inline __m128 four_scales(const unsigned char *p)
{
    return _mm_setr_ps(scale_at(p, 0), scale_at(p, 1), scale_at(p, 2), scale_at(p, 3));
}

static inline __m128 step(__m128 sum, const unsigned char *a, const unsigned char *b)
{
    const __m128 scale = _mm_mul_ps(four_scales(a), four_scales(b)); /* exact */

    return _mm_add_ps(sum, _mm_mul_ps(scale, _mm_cvtepi32_ps(four_dots(a, b))));
}

static float row_dot(const unsigned char *a, const unsigned char *b, size_t blocks)
{
    enum { STEP = LANES * CK_Q8_0_BYTES };
    __m128 sum = _mm_setzero_ps();

    for (; blocks >= LANES; blocks -= LANES, a += STEP, b += STEP) sum = step(sum, a, b);
    if (blocks) {
        unsigned char ta[STEP], tb[STEP];
        copy_tail(ta, a, blocks, LANES);
        copy_tail(tb, b, blocks, LANES);
        sum = step(sum, ta, tb);
    }
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}

void ck_gemm_nt_q8_0_q8_0_sse41(const void *args) { gemm_fast(args, row_dot); }

static void strict_body(const void *args) { gemm_strict(args, block_dot); }

void ck_gemm_nt_q8_0_q8_0_sse41_strict(const void *args) { ck_strict_run(strict_body, args); }
