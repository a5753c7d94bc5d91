/* SPDX-License-Identifier: MIT */
/* The cache of keys and values. */
#ifndef CK_KV_H
#define CK_KV_H

#include <stddef.h>

#include "ck.h"

/* Appends t tokens to the caches of keys and of values, from `position` on:
 * k_cache[g,position+i,l] = k[g,i,l], v_cache likewise, for i < t, l < d; +0 for d <= l < cols.
 * Shapes: element l of token i of head g of a cache is cache[g head_y + i ldy + l], of k and v
 *   [g head_x + i ldx + l]; kv_heads heads, `room` tokens of which t are written, cols elements each.
 *   Head-major and token-major, on either side, are strides, as are tensors of all heads in one row.
 * Requires: position + t <= room, cols >= d, ldy >= cols, ldx >= d; rows of a cache apart from each other:
 *   head_y >= (room - 1) ldy + cols, or ldy >= (kv_heads - 1) head_y + cols; nothing that is written overlaps
 *   anything else. What lies beside the t tokens is not touched.
 * Error: none. f32: bits are copied, those of NaNs and of -0, too. Caches of f16 and bf16: one rounding to
 *   nearest even in every mode, NaN as quantize_row_f16 and quantize_row_bf16 have it.
 * Strict: the same. */
typedef struct ck_kv_args {
    void *k_cache, *v_cache;
    const float *k, *v;
    size_t kv_heads, t, position, room, d, cols;
    size_t ldy, ldx, head_y, head_x;
} ck_kv_args;

#endif
