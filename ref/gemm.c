/* SPDX-License-Identifier: MIT */
/* References of the f32 products and gemm_nt_q8_0_q8_0. */
#include "f16.h"
#include "product_f32.h"

ref_fn ref_gemm_nt_f32, ref_gemm_nn_f32, ref_gemm_tn_f32, ref_gemv_f32, ref_gemm_nt_q8_0_q8_0;

enum { BLOCK = 32, BYTES = 34 };

static product product_of(const ref_gemm_args *g)
{
    return (product){ .a = g->a,
                      .b = g->b,
                      .c = g->c,
                      .bias = g->bias,
                      .k = g->k,
                      .c_row = g->ldc,
                      .bias_column = 1,
                      .alpha = g->alpha,
                      .beta = g->beta };
}

/* A = a [m][k], B = b^T, b [n][k] */
void ref_gemm_nt_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    product p = product_of(g);
    p.a_row = g->lda, p.a_term = 1;
    p.b_column = g->ldb, p.b_term = 1;
    evaluate(&p, tile, specs, nspecs, out);
}

/* A = a [m][k], B = b [k][n] */
void ref_gemm_nn_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    product p = product_of(g);
    p.a_row = g->lda, p.a_term = 1;
    p.b_column = 1, p.b_term = g->ldb;
    evaluate(&p, tile, specs, nspecs, out);
}

/* A = a^T, a [k][m], B = b [k][n] */
void ref_gemm_tn_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    product p = product_of(g);
    p.a_row = 1, p.a_term = g->lda;
    p.b_column = 1, p.b_term = g->ldb;
    evaluate(&p, tile, specs, nspecs, out);
}

/* A = b [n][k], B = x, one column, to which c and bias are parallel. */
void ref_gemv_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                  ref_out *out)
{
    const ref_gemv_args *g = args;
    const product p = { .a = g->b,
                        .b = g->x,
                        .c = g->c,
                        .bias = g->bias,
                        .k = g->k,
                        .a_row = g->ldb,
                        .a_term = 1,
                        .b_term = 1,
                        .c_row = 1,
                        .bias_row = 1,
                        .alpha = g->alpha,
                        .beta = g->beta };
    evaluate(&p, tile, specs, nspecs, out);
}

/* Operands of one block product. */
typedef struct rows_q8_0 {
    const unsigned char *a, *b;
} rows_q8_0;

/* d_a d_b, exact: 22 bits. */
static double scales(const rows_q8_0 *r, size_t l)
{
    const unsigned char *a = r->a + l * BYTES, *b = r->b + l * BYTES;
    return ref_f16_value((uint16_t)(a[0] | a[1] << 8)) *
           ref_f16_value((uint16_t)(b[0] | b[1] << 8));
}

static int code(const unsigned char *block, size_t e)
{
    const int q = block[2 + e];
    return q < 128 ? q : q - 256;
}

/* The sum of the code products of block l, and of their magnitudes: below 2^20. */
static int code_sums(const rows_q8_0 *r, size_t l, int *magnitude)
{
    const unsigned char *a = r->a + l * BYTES, *b = r->b + l * BYTES;
    int sum = 0;
    *magnitude = 0;
    for (size_t e = 0; e < BLOCK; e++) {
        const int q = code(a, e) * code(b, e);
        sum += q;
        *magnitude += q < 0 ? -q : q;
    }
    return sum;
}

/* d_a d_b I, exact: 22 + 20 bits. */
static void get_q8_0(void *at, size_t i, size_t m, double *t)
{
    for (size_t l = 0; l < m; l++) {
        int magnitude;
        const int sum = code_sums(at, i + l, &magnitude);
        t[l] = scales(at, i + l) * sum;
    }
}

static double fine_sum_q8_0(void *at, size_t n)
{
    double s = 0;
    for (size_t l = 0; l < n; l++) {
        int magnitude;
        code_sums(at, l, &magnitude);
        if (magnitude > 0) s += fabs(scales(at, l)) * magnitude;
    }
    return s;
}

/* Products of codes are integers; those of a block of zeros are 0, whatever its scale. */
static int fine_multiples_q8_0(void *at, size_t n, double unit)
{
    for (size_t l = 0; l < n; l++) {
        int magnitude;
        const double d = scales(at, l);
        code_sums(at, l, &magnitude);
        if (magnitude > 0 && !ref_multiples(&d, 1, unit)) return 0;
    }
    return 1;
}

/* y[i,j] = sum_l d_a d_b I_l + bias[j], I_l the exact integer sum of block l. With a declared order
 * the terms are whole blocks. A kernel of unknown order may keep partial integers of a block in up
 * to 32 float lanes and add those up by a tree, or in 8 and one by one: 8 roundings more than one
 * for each block, and one if d_a d_b I is rounded before it is added; magnitudes are then those of
 * the element products. Source: gemm.h; docs/oracle.md, "block dot". */
void ref_gemm_nt_q8_0_q8_0(const void *args, const ref_tile *tile, const ref_spec *specs,
                           size_t nspecs, ref_out *out)
{
    const ref_gemm_q_args *g = args;
    rows_q8_0 rows = { NULL, NULL };
    cell c;
    c.lost = c.lost_apart = c.raw = c.under = c.inexact = 0; /* halves are normal floats */
    c.terms = (source){ .n = g->k / BLOCK,
                        .fine = g->k,
                        .more = 9,
                        .parts = 1,
                        .at = &rows,
                        .get = get_q8_0,
                        .fine_sum = fine_sum_q8_0,
                        .fine_multiples = fine_multiples_q8_0 };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            rows.a = g->k ? g->a + row * g->lda * BYTES : NULL;
            rows.b = g->k ? g->b + col * g->ldb * BYTES : NULL;
            c.ep = (epilogue){ .alpha = 1, .bias = g->bias ? g->bias[col] : 0, .low = 1 };
            emit(&c, &k, i);
        }
    }
}
