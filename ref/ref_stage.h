/* SPDX-License-Identifier: MIT */
/* A step of a decoder that is several calls of an op: a reference like those of ref.h, on what the step
 * itself was given. */
#ifndef REF_STAGE_H
#define REF_STAGE_H

#include "ref.h"

/* y = sum_h x_h w_h^T + b: head after head onto y, each sum stored as a float.
 * Element (t, l) of head h of x is x[h head_x + t ldx + l], (n, l) of w is w[h head_w + n ldw + l]. */
typedef struct ref_merge_args {
    const float *x, *w, *bias; /* bias may be NULL */
    size_t heads, k, head_x, ldx, head_w, ldw;
} ref_merge_args;
ref_fn ref_merge;

#endif
