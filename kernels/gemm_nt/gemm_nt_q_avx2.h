/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks, AVX2: one block pair after the other. */
#ifndef CK_GEMM_NT_Q_AVX2_H
#define CK_GEMM_NT_Q_AVX2_H

#include "gemm_nt_q_bytes.h"

/* The products of a block pair in eight sums; of blocks of 256 `k` instead, NULL of others. */
typedef __m256i parts_fn(const unsigned char *a, const unsigned char *b);
typedef k_parts k_parts_fn(const unsigned char *a, const unsigned char *b);

typedef struct dots {
    const formats *f;
    parts_fn *parts;
    k_parts_fn *k;
} dots;

#include "gemm_nt_q_lanes.h"

static inline void eight_parts(__m256i *codes, __m256i *minimums, const dots *d,
                               const unsigned char *a, const unsigned char *b, size_t count)
{
    const formats *const f = d->f;

    for (size_t l = 0; l < LANES; l++, a += f->a_bytes, b += f->b_bytes) {
        k_parts s = { _mm256_setzero_si256(), _mm256_setzero_si256() };
        if (l < count && d->k) s = d->k(a, b);
        if (l < count && !d->k) s.codes = d->parts(a, b);
        codes[l] = s.codes;
        if (has_integer_min(f)) minimums[l] = s.minimums;
    }
}

#endif
