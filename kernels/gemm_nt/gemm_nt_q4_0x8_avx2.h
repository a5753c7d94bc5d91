/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_0x8 by q8_0 in 256 bits. The including file brings `dot`. */
#ifndef CK_GEMM_NT_Q4_0X8_AVX2_H
#define CK_GEMM_NT_Q4_0X8_AVX2_H

#include <immintrin.h>

#include "gemm_nt_q4_0x8.h"

/* [eight elements][half of the rows] */
typedef struct unpacked {
    __m256i codes[4][2];
} unpacked;

#include "gemm_nt_x8_avx2.h"

/* The products of codes with those of a row of a, a having eight of them in each of four: in the order
 * 0 1 4 5 | 2 3 6 7. */
ROWS_INLINE __m256i dot(const unpacked *w, const __m256i *a);

/* What is stored in two's complement gets the 8 that formats has as `zero`. */
static inline void unpack(unpacked *w, const unsigned char *b)
{
    split_chunks(w->codes, w->codes + 2, b + B_CODES, 2, _mm256_set1_epi8((char)0x88));
}

ROWS_INLINE void integers_of_rows(sums_of_rows *s, const unpacked *w, const unsigned char *a,
                                  size_t ld, int count)
{
    for (int r = 0; r < count; r++) {
        const unsigned char *const codes = a + (size_t)r * ld + A_CODES;
        const __m256i x[] = { spread8(codes), spread8(codes + 8), spread8(codes + 16),
                              spread8(codes + 24) };
        s->codes[r] = dot(w, x);
    }
}

#endif
