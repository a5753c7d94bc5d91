/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks of eight interleaved rows of weights by blocks: what the variants share. The including
 * file defines `packed`, the two formats; each variant brings the fast sums and the exact integers of a
 * block of a with one of b. */
#ifndef CK_GEMM_NT_X8_H
#define CK_GEMM_NT_X8_H

#include "gemm_nt_q.h"

/* One chain over the blocks for the codes, one for the minimums if there are any; `rows` of a at a time. */
#define CK_GEMM_X8_SPEC(rows, block, more)                                                     \
    {                                                                                          \
        .lanes = 1, .accs = 1, .mr = (rows), .nr = CK_X8_ROWS, .ku = 1, .k_multiple = (block), \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT | (more),                    \
    }

/* A block of b begins with d[8] and, if it has minimums, dmin[8]. A_CODES: of q8_0. */
enum { EIGHT = CK_X8_ROWS, B_D = 0, B_DMIN = 16, A_CODES = 2 };

/* Of one block of a with each of eight rows of weights: as `integers`. */
typedef struct integers8 {
    int32_t codes[EIGHT], minimums[EIGHT];
} integers8;

/* Brought by the variant. */
static inline integers8 block_integers(const unsigned char *a, const unsigned char *b);

static inline const unsigned char *a_row(const ck_gemm_p_args *g, size_t i)
{
    return row_at(g->a, i * g->lda, packed.a_bytes, g->k / packed.elements);
}

/* The rows of weights from column j on. */
static inline const unsigned char *b_rows(const ck_gemm_p_args *g, size_t j)
{
    return row_at(g->b, j / EIGHT * g->ldb, packed.b_bytes, g->k / packed.elements);
}

/* Columns from j on that there are, of eight. */
static inline size_t columns_at(const ck_gemm_p_args *g, size_t j)
{
    return g->n - j < EIGHT ? g->n - j : EIGHT;
}

static inline void gemm_p_check(const ck_gemm_p_args *g)
{
    assert(g->k % packed.elements == 0 && g->ldy >= g->n);
    assert(g->lda >= g->k / packed.elements && g->ldb >= g->k / packed.elements);
    (void)g;
}

/* In blocks of 32 every product is exact, as halves have 11 bits. */
static inline void strict_block(double *sum, const unsigned char *a, const unsigned char *b)
{
    const integers8 x = block_integers(a, b);
    const double scale = (double)a_scale(&packed, a);

    for (size_t c = 0; c < EIGHT; c++) {
        const double d = (double)half_at(b + B_D + 2 * c);
        sum[c] += scale * d * (double)x.codes[c];
        if (!packed.has_min) continue;
        const double dmin = (double)half_at(b + B_DMIN + 2 * c);
        sum[c] -= scale * dmin * (double)x.minimums[c];
    }
}

static inline void gemm_p_strict(const ck_gemm_p_args *g)
{
    const size_t blocks = g->k / packed.elements;

    gemm_p_check(g);
    for (size_t j = 0; j < g->n; j += EIGHT)
        for (size_t i = 0; i < g->m; i++) {
            const unsigned char *a = a_row(g, i), *b = b_rows(g, j);
            double sum[EIGHT] = { 0 };
            for (size_t l = blocks; l > 0; l--, a += packed.a_bytes, b += packed.b_bytes)
                strict_block(sum, a, b);
            for (size_t c = 0; c < columns_at(g, j); c++) {
                const double y = g->bias ? sum[c] + (double)g->bias[j + c] : sum[c];
                g->y[i * g->ldy + j + c] = ck_strict_f32(y);
            }
        }
}

#endif
