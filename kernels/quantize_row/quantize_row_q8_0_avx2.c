/* SPDX-License-Identifier: MIT */
/* quantize_row_q8_0, AVX2. */
#include <immintrin.h>

#include "quantize_row_q8_0.h"

const ck_numspec ck_quantize_row_q8_0_avx2_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static inline int32_t largest(const float *x)
{
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    __m256i eight = _mm256_setzero_si256();

    for (int e = 0; e < CK_Q8_0_BLOCK; e += 8) {
        const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(x + e));
        eight = _mm256_max_epi32(eight, _mm256_and_si256(bits, magnitude));
    }
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1)));
}

static inline __m256i eight_codes(const float *x, __m256 inverse)
{
    const __m256 t = _mm256_mul_ps(_mm256_loadu_ps(x), inverse);

    return _mm256_cvtps_epi32(_mm256_round_ps(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* Packing works within 128 bits, so that fours of codes come out as 0 2 4 6 | 1 3 5 7. */
static void block(unsigned char *y, const float *x)
{
    const float scalar = block_begin(y, largest(x));
    const __m256 inverse = _mm256_set1_ps(scalar);

    if (scalar == 0) return;
    const __m256i low = _mm256_packs_epi32(eight_codes(x, inverse), eight_codes(x + 8, inverse));
    const __m256i high =
        _mm256_packs_epi32(eight_codes(x + 16, inverse), eight_codes(x + 24, inverse));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i packed = _mm256_packs_epi16(low, high);
    _mm256_storeu_si256((__m256i *)(y + QS), _mm256_permutevar8x32_epi32(packed, order));
}

void ck_quantize_row_q8_0_avx2(const void *args) { quantize_row(args, block); }

void ck_quantize_row_q8_0_avx2_strict(const void *args)
{
    ck_strict_run(ck_quantize_row_q8_0_avx2, args);
}
