/* SPDX-License-Identifier: MIT */
/* dequant_row_q8_0, AVX-512. */
#include <immintrin.h>

#include "dequant_row_q8_0.h"

const ck_numspec ck_dequant_row_q8_0_avx512_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static void block(float *y, const unsigned char *x)
{
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(NAN_BITS));
    const __m512 d = _mm512_cvtph_ps(_mm256_set1_epi16((short)f16_load(x)));

    for (int e = 0; e < CK_Q8_0_BLOCK; e += 16) {
        const __m128i codes = _mm_loadu_si128((const __m128i *)(x + QS + e));
        const __m512 v = _mm512_mul_ps(d, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes)));
        const __mmask16 unordered = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
        _mm512_storeu_ps(y + e, _mm512_mask_mov_ps(v, unordered, nan));
    }
}

void ck_dequant_row_q8_0_avx512(const void *args) { dequant_row(args, block); }

void ck_dequant_row_q8_0_avx512_strict(const void *args) { dequant_row(args, block); }
