/* SPDX-License-Identifier: MIT */
/* gemm_nt of eight interleaved rows of weights, plain C. */
#ifndef CK_GEMM_NT_X8_SCALAR_H
#define CK_GEMM_NT_X8_SCALAR_H

#include "gemm_nt_x8.h"

static inline void add_block(float *codes, float *minimums, const unsigned char *a,
                             const unsigned char *b)
{
    const integers8 x = block_integers(a, b);
    const float scale = a_scale(&packed, a);

    for (size_t c = 0; c < EIGHT; c++) {
        codes[c] += scale * half_at(b + B_D + 2 * c) * (float)x.codes[c];
        if (packed.has_min)
            minimums[c] += scale * half_at(b + B_DMIN + 2 * c) * (float)x.minimums[c];
    }
}

static inline void gemm_p_fast(const ck_gemm_p_args *g)
{
    const size_t blocks = g->k / packed.elements;

    gemm_p_check(g);
    for (size_t j = 0; j < g->n; j += EIGHT)
        for (size_t i = 0; i < g->m; i++) {
            const unsigned char *a = a_row(g, i), *b = b_rows(g, j);
            float codes[EIGHT] = { 0 }, minimums[EIGHT] = { 0 };
            for (size_t l = blocks; l > 0; l--, a += packed.a_bytes, b += packed.b_bytes)
                add_block(codes, minimums, a, b);
            for (size_t c = 0; c < columns_at(g, j); c++) {
                const float y = packed.has_min ? codes[c] - minimums[c] : codes[c];
                g->y[i * g->ldy + j + c] = g->bias ? y + g->bias[j + c] : y;
            }
        }
}

#endif
