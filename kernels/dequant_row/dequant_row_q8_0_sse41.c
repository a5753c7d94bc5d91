/* SPDX-License-Identifier: MIT */
/* dequant_row_q8_0, SSE4.1. */
#include <smmintrin.h>

#include "dequant_row_q8_0.h"

const ck_numspec ck_dequant_row_q8_0_sse41_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static inline __m128i load_four(const unsigned char *p)
{
    int32_t word;

    memcpy(&word, p, sizeof word);
    return _mm_cvtepi8_epi32(_mm_cvtsi32_si128(word));
}

static void block(float *y, const unsigned char *x)
{
    const __m128 nan = _mm_castsi128_ps(_mm_set1_epi32(NAN_BITS));
    const __m128 d = _mm_set1_ps(f16_to_f32(f16_load(x)));

    for (int e = 0; e < CK_Q8_0_BLOCK; e += 4) {
        const __m128 v = _mm_mul_ps(d, _mm_cvtepi32_ps(load_four(x + QS + e)));
        _mm_storeu_ps(y + e, _mm_blendv_ps(v, nan, _mm_cmpunord_ps(v, v)));
    }
}

void ck_dequant_row_q8_0_sse41(const void *args) { dequant_row(args, block); }

void ck_dequant_row_q8_0_sse41_strict(const void *args) { dequant_row(args, block); }
