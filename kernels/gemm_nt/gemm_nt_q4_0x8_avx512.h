/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_0x8 by q8_0 in 512 bits. The including file brings `dot`. */
#ifndef CK_GEMM_NT_Q4_0X8_AVX512_H
#define CK_GEMM_NT_Q4_0X8_AVX512_H

#include <immintrin.h>

#include "gemm_nt_q4_0x8.h"

/* [eight elements] */
typedef struct unpacked {
    __m512i codes[4];
} unpacked;

#include "gemm_nt_x8_avx512.h"

/* The products of codes with 32 of a row of a: two sums of each row of weights. */
ROWS_INLINE __m512i dot(const unpacked *w, const unsigned char *a);

/* What is stored in two's complement gets the 8 that formats has as `zero`. */
static inline void unpack(unpacked *w, const unsigned char *b)
{
    split_chunks(w->codes, w->codes + 2, b + B_CODES, 2, _mm512_set1_epi8((char)0x88));
}

ROWS_INLINE void integers_of_rows(sums_of_rows *s, const unpacked *w, const unsigned char *a,
                                  size_t ld, int count)
{
    for (int r = 0; r < count; r++) s->codes[r] = pairs_sum(dot(w, a + (size_t)r * ld + A_CODES));
}

#endif
