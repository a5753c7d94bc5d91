/* SPDX-License-Identifier: MIT */
/* References of products of bytes into 32-bit integers. */
#include <math.h>

#include "ref.h"

ref_fn ref_gemm_nt_int8_int8_i32, ref_gemm_nt_uint8_int8_i32;

/* A byte in two's complement. */
static double signed_value(unsigned char byte) { return (double)byte - (byte & 0x80 ? 256 : 0); }

static double unsigned_value(unsigned char byte) { return (double)byte; }

/* y[i,j] = sum_l a[i,l] b[j,l], radius 0 under every spec: what is summed are integers below 2^15, at most 2^17
 * of them, so that double is exact. Source: gemm.h. */
static void products_i(const ref_gemm_i_args *g, double (*value)(unsigned char),
                       const ref_tile *tile, size_t nspecs, ref_out *out)
{
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
        double sum = 0, magnitudes = 0;
        for (size_t l = 0; l < g->k; l++) {
            const double t = value(g->a[row * g->lda + l]) * signed_value(g->b[col * g->ldb + l]);
            sum += t;
            magnitudes += fabs(t);
        }
        out->term[i] = g->k ? magnitudes / (double)g->k : 0;
        for (size_t s = 0; s < nspecs; s++) {
            out->v[s * out->n + i] = sum;
            out->e[s * out->n + i] = 0;
        }
    }
}

void ref_gemm_nt_int8_int8_i32(const void *args, const ref_tile *tile, const ref_spec *specs,
                               size_t nspecs, ref_out *out)
{
    (void)specs;
    products_i(args, signed_value, tile, nspecs, out);
}

void ref_gemm_nt_uint8_int8_i32(const void *args, const ref_tile *tile, const ref_spec *specs,
                                size_t nspecs, ref_out *out)
{
    (void)specs;
    products_i(args, unsigned_value, tile, nspecs, out);
}
