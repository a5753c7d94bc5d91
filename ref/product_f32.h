/* SPDX-License-Identifier: MIT */
/* Products of f32 matrices, however they lie. */
#ifndef REF_PRODUCT_F32_H
#define REF_PRODUCT_F32_H

#include "product.h"

/* Operands of one f32 output: term l is a[l * a_step] b[l * b_step]. */
typedef struct rows_f32 {
    const float *a, *b;
    size_t a_step, b_step;
} rows_f32;

static inline void get_f32(void *at, size_t i, size_t m, double *t)
{
    const rows_f32 *r = at;
    const float *a = r->a + i * r->a_step, *b = r->b + i * r->b_step;
    for (size_t j = 0; j < m; j++, a += r->a_step, b += r->b_step) t[j] = (double)*a * (double)*b;
}

static inline double lost_f32(const rows_f32 *r, size_t k)
{
    double lost = 0;
    for (size_t l = 0; l < k; l++) {
        const float a = r->a[l * r->a_step], b = r->b[l * r->b_step];
        if (subnormal(a) || subnormal(b)) lost += fabs((double)a * (double)b);
    }
    return isfinite(lost) ? lost : 0;
}

/* c and bias of one output, NULL: none. beta = 0: c may be anything, unread. */
static inline epilogue epilogue_f32(float alpha, float beta, const float *c, const float *bias)
{
    const int adds = beta != 0 && c != NULL;
    return (epilogue){ .alpha = alpha,
                       .beta = adds ? beta : 0,
                       .c = adds ? *c : 0,
                       .bias = bias ? *bias : 0,
                       .low = isfinite(alpha) ? ref_low_bit(alpha) : 0 };
}

/* An f32 product: where term l of row i of A is, a[i * a_row + l * a_term], of column j of B,
 * b[j * b_column + l * b_term], and what is added to y[i,j]. */
typedef struct product {
    const float *a, *b, *c, *bias;
    size_t k, a_row, a_term, b_column, b_term, c_row, bias_row, bias_column;
    float alpha, beta;
    ref_act act;
} product;

static inline const float *element(const float *p, size_t offset) { return p ? p + offset : NULL; }

/* y[i,j] = act(RN(RN(alpha sum_l A[i,l] B[l,j]) + beta c[i,j]) + bias), c unread if beta = 0.
 * Radius: least of any order, height and running for the sum (ref_sum_error), then the epilogue in
 * ball arithmetic; strict 0.5 ulp and double errors; 0 where all sums are exact.
 * Source: gemm.h; docs/oracle.md, "dot". */
static inline void evaluate(const product *g, const ref_tile *tile, const ref_spec *specs,
                            size_t nspecs, ref_out *out)
{
    rows_f32 rows = { NULL, NULL, g->a_term, g->b_term };
    cell c;
    nothing_lost(&c);
    c.terms = (source){ .n = g->k, .fine = g->k, .parts = 1, .at = &rows, .get = get_f32 };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        const int daz = wants_daz(p, count);
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            rows.a = g->k ? g->a + row * g->a_row : NULL;
            rows.b = g->k ? g->b + col * g->b_column : NULL;
            c.ep = epilogue_f32(g->alpha, g->beta, element(g->c, row * g->c_row + col),
                                element(g->bias, row * g->bias_row + col * g->bias_column));
            c.ep.act = g->act;
            c.lost = daz ? lost_f32(&rows, g->k) : 0;
            emit(&c, &k, i);
        }
    }
}

#endif
