/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, AVX2: one block pair after the other. */
#ifndef CK_GEMM_NT_Q_AVX2_H
#define CK_GEMM_NT_Q_AVX2_H

#include "gemm_nt_q_bytes.h"

typedef __m256i parts_fn(const unsigned char *a, const unsigned char *b);

typedef struct dots {
    const formats *f;
    parts_fn *codes, *minimums; /* minimums of blocks of 256 */
} dots;

#include "gemm_nt_q_lanes.h"

static inline __m256i code_parts(const dots *d, const unsigned char *a, const unsigned char *b)
{
    return d->codes(a, b);
}

static inline __m256i minimum_parts(const dots *d, const unsigned char *a, const unsigned char *b)
{
    return d->minimums(a, b);
}

static inline void eight_code_parts(__m256i *s, const dots *d, const unsigned char *a,
                                    const unsigned char *b, size_t count)
{
    for (size_t l = 0; l < LANES; l++)
        s[l] = l < count ? d->codes(a + l * d->f->a_bytes, b + l * d->f->b_bytes)
                         : _mm256_setzero_si256();
}

#endif
