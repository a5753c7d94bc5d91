/* SPDX-License-Identifier: MIT */
/* References of the f32 products. */
#include "product_f32.h"

ref_fn ref_gemm_nt_f32, ref_gemm_nn_f32, ref_gemm_tn_f32, ref_gemv_f32;

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
