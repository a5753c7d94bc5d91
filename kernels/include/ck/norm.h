/* SPDX-License-Identifier: MIT */
/* Normalisation of rows. */
#ifndef CK_NORM_H
#define CK_NORM_H

#include <stddef.h>

#include "ck.h"

/* y[i,j] = (x[i,j] rstd[i]) gamma[j], rstd[i] = 1 / sqrt(sum_j x[i,j]^2 / d + eps); +0 for d <= j < cols.
 * x and y have the op's format, all else is f32. y of bf16 is rounded to nearest even in every mode, once,
 * from what f32's y would be, NaN being 0x7fc0.
 * Shapes: x [t][ldx], d of each row used; gamma [d]; y [t][ldy], cols of each row written; rstd [t],
 *   its elements ldr apart, or NULL: not wanted.
 * Requires: 1 <= d <= 2^24, cols >= d, ldx >= d, ldy >= cols, ldr >= 1, eps >= 0; floats 4-byte aligned; y
 *   overlaps x only if it is x itself with ldy = ldx; y and rstd overlap nothing else.
 * Error: docs/oracle.md, "norms". A row with a NaN is all NaN. A fast kernel's sum of squares may overflow,
 *   from 1.8e19 on: rstd is then 0. A row of zeros with eps = 0 is NaN, by 0 * inf.
 * Strict: all in double, the sum in 16 lanes; / d, + eps, sqrt, 1 /, x *, gamma *; one rounding of
 *   each output.
 * Source: Zhang and Sennrich 2019, Root Mean Square Layer Normalization, arXiv:1910.07467. */
typedef struct ck_rmsnorm_args {
    void *y;
    float *rstd;
    const void *x;
    const float *gamma;
    size_t t, d, cols;
    size_t ldy, ldr, ldx;
    float eps;
} ck_rmsnorm_args;

/* y[i,j] = ((x[i,j] - mean[i]) rstd[i]) gamma[j] + beta[j], mean[i] = sum_j x[i,j] / d,
 * rstd[i] = 1 / sqrt(sum_j (x[i,j] - mean[i])^2 / d + eps), in two passes; +0 for d <= j < cols. Formats as
 * ck_rmsnorm_args.
 * Shapes: x [t][ldx], d of each row used; gamma, beta [d]; y [t][ldy], cols of each row written; mean,
 *   rstd [t], their elements ldr apart; either may be NULL: not wanted.
 * Requires: as ck_rmsnorm_args. With mean and rstd one apart and ldr = 2 they lie side by side.
 * Error: docs/oracle.md, "norms". A row with a NaN or an infinity is all NaN.
 * Strict: all in double, both sums in 16 lanes; / d; x - mean; / d, + eps, sqrt, 1 /, (x - mean) *,
 *   gamma *, + beta; one rounding of each output.
 * Source: Ba, Kiros and Hinton 2016, Layer Normalization, arXiv:1607.06450. */
typedef struct ck_layernorm_args {
    void *y;
    float *mean, *rstd;
    const void *x;
    const float *gamma, *beta;
    size_t t, d, cols;
    size_t ldy, ldr, ldx;
    float eps;
} ck_layernorm_args;

#endif
