/* SPDX-License-Identifier: MIT */
/* gemm_nt_q8_0_q8_0: what the variants share. Each brings the sum of one output, fast, and the
 * integer dot of one block pair; no output's order of summation depends on m or n. */
#ifndef CK_GEMM_NT_Q8_0_Q8_0_H
#define CK_GEMM_NT_Q8_0_Q8_0_H

#include <assert.h>
#include <string.h>

#include "ck_dtype.h"
#include "f16.h"
#include "gemm.h"
#include "strict.h"
#include "table.h"

enum { QS = 2 }; /* offset of the codes in a block */

/* sum_l da_l db_l I_l over `blocks` block pairs, by the variant's numspec. */
typedef float row_dot_fn(const unsigned char *a, const unsigned char *b, size_t blocks);

/* I = sum of the 32 products of one block pair's codes, exact: |I| <= 2^19. */
typedef int32_t block_dot_fn(const unsigned char *a, const unsigned char *b);

/* The row that starts `first` blocks from base, which may be NULL if rows are empty. */
static inline const unsigned char *row_at(const void *base, size_t first, size_t blocks)
{
    return blocks ? (const unsigned char *)base + first * CK_Q8_0_BYTES : NULL;
}

static inline void gemm_fast(const ck_gemm_q_args *g, row_dot_fn *dot)
{
    const size_t blocks = g->k / CK_Q8_0_BLOCK;

    assert(g->k % CK_Q8_0_BLOCK == 0 && g->ldy >= g->n && g->lda >= blocks && g->ldb >= blocks);
    for (size_t i = 0; i < g->m; i++) {
        const unsigned char *const a = row_at(g->a, i * g->lda, blocks);
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *const b = row_at(g->b, j * g->ldb, blocks);
            const float sum = dot(a, b, blocks);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
    }
}

/* Products of two half scales (22 bits) and of that with I (42 bits) are exact in double. */
static inline double strict_dot(const unsigned char *a, const unsigned char *b, size_t blocks,
                                block_dot_fn *dot)
{
    double sum = 0;

    for (size_t l = 0; l < blocks; l++, a += CK_Q8_0_BYTES, b += CK_Q8_0_BYTES) {
        const double scale = (double)f16_to_f32(f16_load(a)) * (double)f16_to_f32(f16_load(b));
        sum += scale * (double)dot(a, b);
    }
    return sum;
}

static inline void gemm_strict(const ck_gemm_q_args *g, block_dot_fn *dot)
{
    const size_t blocks = g->k / CK_Q8_0_BLOCK;

    assert(g->k % CK_Q8_0_BLOCK == 0 && g->ldy >= g->n && g->lda >= blocks && g->ldb >= blocks);
    for (size_t i = 0; i < g->m; i++) {
        const unsigned char *const a = row_at(g->a, i * g->lda, blocks);
        for (size_t j = 0; j < g->n; j++) {
            const unsigned char *const b = row_at(g->b, j * g->ldb, blocks);
            const double sum = strict_dot(a, b, blocks, dot);
            g->y[i * g->ldy + j] = ck_strict_f32(g->bias ? sum + (double)g->bias[j] : sum);
        }
    }
}

/* The last `count` blocks of a row, followed by zero blocks, whose terms are 0 * 0 = +0. */
static inline void copy_tail(unsigned char *to, const unsigned char *from, size_t count, size_t of)
{
    memset(to, 0, of * CK_Q8_0_BYTES);
    memcpy(to, from, count * CK_Q8_0_BYTES);
}

#endif
