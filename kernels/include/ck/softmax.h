/* SPDX-License-Identifier: MIT */
/* Causal softmax over attention scores. */
#ifndef CK_SOFTMAX_H
#define CK_SOFTMAX_H

#include <stddef.h>

#include "ck.h"

/* y[h,i,j] = exp(x[h,i,j] - m) / sum_{l<=i} exp(x[h,i,l] - m) for j <= i, m the row's maximum over
 * l <= i; +0 for i < j < cols.
 * Shapes: x [heads][t][ldx], y [heads][t][ldy]; of row i of x only j <= i is read; of a row of y the
 *   first cols elements are written, what lies beyond is not touched.
 * Requires: cols >= t, ldx >= t, ldy >= cols; 4-byte aligned; y overlaps x only if it is x itself
 *   with ldy = ldx.
 * Error: docs/oracle.md, "softmax". A row with a NaN or +inf (j <= i) is all NaN for j <= i; a row
 *   of nothing but -inf is all +0; exp below exp_zero_below is exactly 0, exp(0) exactly 1.
 * Strict: all in double, the sum in 16 lanes, one division and one rounding an element. */
typedef struct ck_softmax_args {
    float *y;
    const float *x;
    size_t heads, t, cols;
    size_t ldy, ldx;
} ck_softmax_args;

#endif
