/* SPDX-License-Identifier: MIT */
/* Elementwise functions of two operands, row by row. */
#ifndef CK_BINARY_H
#define CK_BINARY_H

#include <stddef.h>

#include "ck.h"

/* y[i,j] = f(a[i,j], b[i,j]); +0 for d <= j < cols; f, its error and its strict form above the op's row
 * of kernels.def. y, a and b have the op's format. What is of 16 bits is rounded to nearest even in every
 * mode, NaN being 0x7fc0 (bf16) or 0x7e00 (f16).
 * Shapes: a [t][lda], b [t][ldb], d of each row used; y [t][ldy], cols of each row written.
 * Requires: cols >= d, lda, ldb >= d, ldy >= cols; floats 4-byte aligned; y overlaps a or b only if it is
 *   that operand itself with the same leading dimension. */
typedef struct ck_binary_args {
    void *y;
    const void *a, *b;
    size_t t, d, cols;
    size_t ldy, lda, ldb;
} ck_binary_args;

#endif
