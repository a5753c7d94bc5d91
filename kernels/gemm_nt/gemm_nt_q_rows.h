/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks: all outputs. The including file defines `dots`, which has the formats
 * f, and what these two declare. */
#ifndef CK_GEMM_NT_Q_ROWS_H
#define CK_GEMM_NT_Q_ROWS_H

#include "gemm_nt_q.h"

/* The sum over `blocks` block pairs, by the variant's numspec. The next row of b is `ahead` bytes on. */
static inline float row_dot(const dots *d, const unsigned char *a, const unsigned char *b,
                            size_t blocks, size_t ahead);

static inline integers block_dot(const dots *d, const unsigned char *a, const unsigned char *b);

/* Columns outside: weights are read once. */
static inline void gemm_fast(const ck_gemm_q_args *g, const dots *d)
{
    const size_t blocks = g->k / d->f->elements;

    gemm_check(g, d->f);
    for (size_t j = 0; j < g->n; j++) {
        const unsigned char *const b = row_at(g->b, j * g->ldb, d->f->b_bytes, blocks);
        for (size_t i = 0; i < g->m; i++) {
            const unsigned char *const a = row_at(g->a, i * g->lda, d->f->a_bytes, blocks);
            const float sum = row_dot(d, a, b, blocks, g->ldb * d->f->b_bytes);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
    }
}

static inline void gemm_strict(const ck_gemm_q_args *g, const dots *d)
{
    const formats *const f = d->f;
    const size_t blocks = g->k / f->elements;

    gemm_check(g, f);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *a = row_at(g->a, i * g->lda, f->a_bytes, blocks);
            const unsigned char *b = row_at(g->b, j * g->ldb, f->b_bytes, blocks);
            double sum = 0;
            for (size_t l = 0; l < blocks; l++, a += f->a_bytes, b += f->b_bytes)
                sum = strict_term(sum, f, a, b, block_dot(d, a, b));
            g->y[i * g->ldy + j] = ck_strict_f32(g->bias ? sum + (double)g->bias[j] : sum);
        }
}

#endif
