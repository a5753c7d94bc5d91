/* SPDX-License-Identifier: MIT */
/* Causal attention with grouped heads over a cache of keys and values. */
#ifndef CK_ATTENTION_H
#define CK_ATTENTION_H

#include <stddef.h>

#include "ck.h"

/* y[h,i,:] = sum_j p_j v[g,j,:], p = softmax_j(s_j), s_j = scale sum_l q[h,i,l] k[g,j,l], over the keys
 * that query i sees: j <= tk - tq + i and, if window > 0, j > tk - tq + i - window. g = h / (heads /
 * kv_heads) is the key head of query head h. The queries are the last tq of tk tokens:
 * tq = tk is a whole prompt, tq = 1 a decoding step. k and v have the op's format, q and y are f32.
 * Shapes: element l of row i of head h of y is y[h head_y + i ldy + l]; the others likewise; q and y
 *   have `heads` heads of tq rows, k and v `kv_heads` heads of tk rows of d elements. Of a row of y the
 *   first cols elements are written, those from d on +0. Head-major, token-major and caches with
 *   room for more tokens are strides.
 * Requires: kv_heads >= 1 divides heads, tq <= tk, cols >= d, ld >= the row, scale finite; rows of y apart
 *   from each other: head_y >= (tq - 1) ldy + cols, or ldy >= (heads - 1) head_y + cols; no overlap.
 * Error: docs/oracle.md, "attention". A row whose visible scores hold a NaN or +inf is all NaN; where
 *   they are all -inf, +0; a weight below exp_zero_below is exactly 0. Infinite or NaN values v count
 *   with weight 0, too. d = 0: nothing but the +0 of cols.
 *   Elements of 16 bits count as the floats that they stand for.
 * Strict: all in double; each score's sum in 16 lanes, the weights' and the values' each one ascending
 *   chain over the keys; one division and one rounding an element. */
typedef struct ck_attention_args {
    float *y;
    const float *q;
    const void *k, *v;
    size_t heads, kv_heads, tq, tk, d, cols, window;
    size_t ldy, ldq, ldk, ldv;
    size_t head_y, head_q, head_k, head_v;
    float scale;
} ck_attention_args;

#endif
