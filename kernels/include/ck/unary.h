/* SPDX-License-Identifier: MIT */
/* Elementwise functions of one vector. */
#ifndef CK_UNARY_H
#define CK_UNARY_H

#include <stddef.h>

#include "ck.h"

/* y[i] = exp(x[i]).
 * Shapes: x, y [n].   Requires: 4-byte aligned; y is x itself or does not overlap it.
 * Error: relative error <= rexp u; exactly 0 below exp_zero_below, 1 at 0, +inf where the result
 *   rounds beyond FLT_MAX; NaN gives NaN. This is the exponential that softmax uses.
 * Strict: the project's own double exponential, one rounding. */
typedef struct ck_unary_args {
    float *y;
    const float *x;
    size_t n;
} ck_unary_args;
CK_API ck_status ck_exp_f32(const ck_unary_args *args);

#endif
