/* SPDX-License-Identifier: MIT */
/* quantize_row_q8_0, SSE4.1. */
#include <smmintrin.h>

#include "quantize_row_q8_0.h"

const ck_numspec ck_quantize_row_q8_0_sse41_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static inline int32_t largest(const float *x)
{
    const __m128i magnitude = _mm_set1_epi32(0x7fffffff);
    __m128i m = _mm_setzero_si128();

    for (int e = 0; e < CK_Q8_0_BLOCK; e += 4) {
        const __m128i bits = _mm_castps_si128(_mm_loadu_ps(x + e));
        m = _mm_max_epi32(m, _mm_and_si128(bits, magnitude));
    }
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1)));
}

static inline __m128i four_codes(const float *x, __m128 inverse)
{
    const __m128 t = _mm_mul_ps(_mm_loadu_ps(x), inverse);

    return _mm_cvtps_epi32(_mm_round_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static void block(unsigned char *y, const float *x)
{
    const float scalar = block_begin(y, largest(x));
    const __m128 inverse = _mm_set1_ps(scalar);

    if (scalar == 0) return;
    for (int e = 0; e < CK_Q8_0_BLOCK; e += 16) {
        const __m128i low = _mm_packs_epi32(four_codes(x + e, inverse), //
                                            four_codes(x + e + 4, inverse));
        const __m128i high =
            _mm_packs_epi32(four_codes(x + e + 8, inverse), four_codes(x + e + 12, inverse));
        _mm_storeu_si128((__m128i *)(y + QS + e), _mm_packs_epi16(low, high));
    }
}

void ck_quantize_row_q8_0_sse41(const void *args) { quantize_row(args, block); }

void ck_quantize_row_q8_0_sse41_strict(const void *args)
{
    ck_strict_run(ck_quantize_row_q8_0_sse41, args);
}
