/* SPDX-License-Identifier: MIT */
/* References of gemm_nt_f32 and gemm_nt_q8_0_q8_0. */
#include "f16.h"
#include "product.h"

ref_fn ref_gemm_nt_f32, ref_gemm_nt_q8_0_q8_0;

enum { BLOCK = 32, BYTES = 34 };

/* Operands of one f32 output. */
typedef struct rows_f32 {
    const float *a, *b;
} rows_f32;

static void get_f32(void *at, size_t i, size_t m, double *t)
{
    const rows_f32 *r = at;
    const float *a = r->a + i, *b = r->b + i;
    for (size_t j = 0; j < m; j++) t[j] = (double)a[j] * (double)b[j];
}

static double lost_f32(const rows_f32 *r, size_t k)
{
    double lost = 0;
    for (size_t l = 0; l < k; l++)
        if (subnormal(r->a[l]) || subnormal(r->b[l]))
            lost += fabs((double)r->a[l] * (double)r->b[l]);
    return isfinite(lost) ? lost : 0;
}

static epilogue epilogue_f32(const ref_gemm_args *g, size_t i, size_t j)
{
    const int adds = g->beta != 0 && g->c != NULL; /* beta = 0: c may be anything, unread */
    return (epilogue){ .alpha = g->alpha,
                       .beta = adds ? g->beta : 0,
                       .c = adds ? g->c[i * g->ldc + j] : 0,
                       .bias = g->bias ? g->bias[j] : 0,
                       .low = isfinite(g->alpha) ? ref_low_bit(g->alpha) : 0 };
}

/* y[i,j] = RN(RN(alpha sum_l a[i,l] b[j,l]) + beta c[i,j]) + bias[j], c unread if beta = 0.
 * Radius: least of any order, height and running for the sum (ref_sum_error), then the epilogue in
 * ball arithmetic; strict 0.5 ulp and double errors; 0 where all sums are exact.
 * Source: gemm.h; docs/oracle.md, "dot". */
void ref_gemm_nt_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    rows_f32 rows = { NULL, NULL };
    cell c;
    c.lost_apart = c.raw = c.under = c.inexact = 0;
    c.terms = (source){ .n = g->k, .fine = g->k, .parts = 1, .at = &rows, .get = get_f32 };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        const int daz = wants_daz(p, count);
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            rows.a = g->k ? g->a + row * g->lda : NULL;
            rows.b = g->k ? g->b + col * g->ldb : NULL;
            c.ep = epilogue_f32(g, row, col);
            c.lost = daz ? lost_f32(&rows, g->k) : 0;
            emit(&c, &k, i);
        }
    }
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
            c.ep = (epilogue){ 1, 0, 0, g->bias ? g->bias[col] : 0, 1 };
            emit(&c, &k, i);
        }
    }
}
