/* SPDX-License-Identifier: MIT */
/* dequant_row_q8_0, AVX2. */
#include <immintrin.h>

#include "dequant_row_q8_0.h"

const ck_numspec ck_dequant_row_q8_0_avx2_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static void block(float *y, const unsigned char *x)
{
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(NAN_BITS));
    const __m256 d = _mm256_cvtph_ps(_mm_set1_epi16((short)f16_load(x)));

    for (int e = 0; e < CK_Q8_0_BLOCK; e += 8) {
        const __m128i codes = _mm_loadl_epi64((const __m128i *)(x + QS + e));
        const __m256 v = _mm256_mul_ps(d, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes)));
        _mm256_storeu_ps(y + e, _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
    }
}

void ck_dequant_row_q8_0_avx2(const void *args) { dequant_row(args, block); }

void ck_dequant_row_q8_0_avx2_strict(const void *args) { dequant_row(args, block); }
