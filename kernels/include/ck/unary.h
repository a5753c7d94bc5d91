/* SPDX-License-Identifier: MIT */
/* Elementwise functions of one vector. */
#ifndef CK_UNARY_H
#define CK_UNARY_H

#include <stddef.h>

#include "ck.h"

/* y[i] = f(x[i]); f, its error and its strict form above the op's row of kernels.def.
 * Shapes: x, y [n].   Requires: 4-byte aligned; y is x itself or does not overlap it. */
typedef struct ck_unary_args {
    float *y;
    const float *x;
    size_t n;
} ck_unary_args;

#endif
