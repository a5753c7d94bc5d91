/* SPDX-License-Identifier: MIT */
/* gemm_nt of q4_kx8, blocks of eight interleaved rows of weights, by q8_k: what the variants share. Each
 * brings the fast sums and the exact integers of a block of a with one of b. */
#ifndef CK_GEMM_NT_Q4_KX8_H
#define CK_GEMM_NT_Q4_KX8_H

#include "gemm_nt_q.h"

/* One chain over the blocks for the codes, one for the minimums; `rows` of a at a time. */
#define CK_GEMM_Q4_KX8_SPEC(rows, more)                                                           \
    {                                                                                             \
        .lanes = 1, .accs = 1, .mr = (rows), .nr = CK_Q4_KX8_ROWS, .ku = 1,                       \
        .k_multiple = CK_K_BLOCK,                                                                 \
        .flags = CK_NUM_MIN_FACTORED | CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT | (more), \
    }

/* Of a block of b: d[8], dmin[8]; for each sub-block the twelve bytes of its scales and minimums, of row
 * n where q4_k has those of sub-block n; eight bytes of each row in turn. */
enum {
    EIGHT = CK_Q4_KX8_ROWS,
    B_D = 0,
    B_DMIN = 16,
    B_SCALES = 32,
    B_CODES = 128,
    SUB_SCALES = 12
};

/* Of one block of a with each of eight rows of weights: as `integers`. */
typedef struct integers8 {
    int32_t codes[EIGHT], minimums[EIGHT];
} integers8;

/* Brought by the variant. */
static inline integers8 block_integers(const unsigned char *a, const unsigned char *b);

static inline const unsigned char *a_row(const ck_gemm_p_args *g, size_t i)
{
    return row_at(g->a, i * g->lda, CK_Q8_K_BYTES, g->k / CK_K_BLOCK);
}

/* The rows of weights from column j on. */
static inline const unsigned char *b_rows(const ck_gemm_p_args *g, size_t j)
{
    return row_at(g->b, j / EIGHT * g->ldb, CK_Q4_KX8_BYTES, g->k / CK_K_BLOCK);
}

/* Columns from j on that there are, of eight. */
static inline size_t columns_at(const ck_gemm_p_args *g, size_t j)
{
    return g->n - j < EIGHT ? g->n - j : EIGHT;
}

static inline void gemm_p_check(const ck_gemm_p_args *g)
{
    assert(g->k % CK_K_BLOCK == 0 && g->ldy >= g->n);
    assert(g->lda >= g->k / CK_K_BLOCK && g->ldb >= g->k / CK_K_BLOCK);
    (void)g;
}

static inline void strict_block(double *sum, const unsigned char *a, const unsigned char *b)
{
    const integers8 x = block_integers(a, b);
    const double scale = (double)f32_load(a);

    for (size_t c = 0; c < EIGHT; c++) {
        const double d = (double)half_at(b + B_D + 2 * c);
        const double dmin = (double)half_at(b + B_DMIN + 2 * c);
        sum[c] += scale * d * (double)x.codes[c];
        sum[c] -= scale * dmin * (double)x.minimums[c];
    }
}

static inline void gemm_p_strict(const ck_gemm_p_args *g)
{
    gemm_p_check(g);
    for (size_t j = 0; j < g->n; j += EIGHT)
        for (size_t i = 0; i < g->m; i++) {
            const unsigned char *a = a_row(g, i), *b = b_rows(g, j);
            double sum[EIGHT] = { 0 };
            for (size_t l = g->k / CK_K_BLOCK; l > 0; l--, a += CK_Q8_K_BYTES, b += CK_Q4_KX8_BYTES)
                strict_block(sum, a, b);
            for (size_t c = 0; c < columns_at(g, j); c++) {
                const double y = g->bias ? sum[c] + (double)g->bias[j + c] : sum[c];
                g->y[i * g->ldy + j + c] = ck_strict_f32(y);
            }
        }
}

#endif
