/* SPDX-License-Identifier: MIT */
/* quantize_row_q8_0, AVX-512. */
#include <immintrin.h>

#include "quantize_row_q8_0.h"

const ck_numspec ck_quantize_row_q8_0_avx512_spec = {
    .lanes = 1,
    .accs = 1,
    .k_multiple = CK_Q8_0_BLOCK,
    .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,
};

static inline int32_t largest(const float *x)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    const __m512i low = _mm512_and_si512(_mm512_castps_si512(_mm512_loadu_ps(x)), magnitude);
    const __m512i high = _mm512_and_si512(_mm512_castps_si512(_mm512_loadu_ps(x + 16)), magnitude);
    const __m512i m16 = _mm512_max_epi32(low, high);
    const __m256i m8 =
        _mm256_max_epi32(_mm512_castsi512_si256(m16), _mm512_extracti64x4_epi64(m16, 1));
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(m8), _mm256_extracti128_si256(m8, 1));

    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1)));
}

static inline __m128i sixteen_codes(const float *x, __m512 inverse)
{
    const __m512 t = _mm512_mul_ps(_mm512_loadu_ps(x), inverse);

    return _mm512_cvtsepi32_epi8(
        _mm512_cvt_roundps_epi32(t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static void block(unsigned char *y, const float *x)
{
    const float scalar = block_begin(y, largest(x));
    const __m512 inverse = _mm512_set1_ps(scalar);

    if (scalar == 0) return;
    _mm_storeu_si128((__m128i *)(y + QS), sixteen_codes(x, inverse));
    _mm_storeu_si128((__m128i *)(y + QS + 16), sixteen_codes(x + 16, inverse));
}

void ck_quantize_row_q8_0_avx512(const void *args) { quantize_row(args, block); }

void ck_quantize_row_q8_0_avx512_strict(const void *args)
{
    ck_strict_run(ck_quantize_row_q8_0_avx512, args);
}
