/* SPDX-License-Identifier: MIT */
/* gemm_nt of blocks by blocks: all outputs. The including file defines `dots`, which has the formats
 * f, and what these two declare. */
#ifndef CK_GEMM_NT_Q_ROWS_H
#define CK_GEMM_NT_Q_ROWS_H

#include "gemm_nt_q.h"

/* Rows of b, `ld` bytes apart. */
typedef struct columns {
    const unsigned char *b;
    size_t ld, count;
    bool prefetch; /* what follows */
} columns;
enum {
    COLUMNS = 64, /* at most, at a time: what is made of a row of a is made once for them */
    SHARED = 16,  /* likewise, by several rows of a, between which they stay in a cache */
    INTEGERS = 8  /* likewise, block pairs */
};

/* The sums of one row of a with each of the columns over `blocks` block pairs, by the variant's numspec. */
static inline void row_dots(float *sum, const dots *d, const unsigned char *a, const columns *c,
                            size_t blocks);

/* The integers of `count` block pairs. */
static inline void block_dots(integers *to, const dots *d, const unsigned char *a,
                              const unsigned char *b, size_t count);

/* Columns outside: weights are read once. */
static inline void gemm_fast(const ck_gemm_q_args *g, const dots *d)
{
    const formats *const f = d->f;
    const size_t blocks = g->k / f->elements, most = g->m == 1 ? COLUMNS : SHARED;

    gemm_check(g, f);
    for (size_t j = 0; j < g->n; j += most) {
        columns c = { row_at(g->b, j * g->ldb, f->b_bytes, blocks), g->ldb * f->b_bytes,
                      g->n - j < most ? g->n - j : most, true };
        for (size_t i = 0; i < g->m; i++, c.prefetch = false) {
            float sum[COLUMNS];
            row_dots(sum, d, row_at(g->a, i * g->lda, f->a_bytes, blocks), &c, blocks);
            for (size_t k = 0; k < c.count; k++)
                g->y[i * g->ldy + j + k] = g->bias ? sum[k] + g->bias[j + k] : sum[k];
        }
    }
}

static inline double strict_sum(const dots *d, const unsigned char *a, const unsigned char *b,
                                size_t blocks)
{
    const formats *const f = d->f;
    double sum = 0;

    for (size_t first = 0; first < blocks; first += INTEGERS) {
        const size_t count = blocks - first < INTEGERS ? blocks - first : INTEGERS;
        integers i[INTEGERS];
        block_dots(i, d, a, b, count);
        for (size_t l = 0; l < count; l++, a += f->a_bytes, b += f->b_bytes)
            sum = strict_term(sum, f, a, b, i[l]);
    }
    return sum;
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
            const double sum = strict_sum(d, a, b, blocks);
            g->y[i * g->ldy + j] = ck_strict_f32(g->bias ? sum + (double)g->bias[j] : sum);
        }
}

#endif
