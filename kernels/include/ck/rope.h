/* SPDX-License-Identifier: MIT */
/* Rotary position embedding: the table of angles, and the rotation in two pairings. */
#ifndef CK_ROPE_H
#define CK_ROPE_H

#include <stddef.h>

#include "ck.h"

/* cos[i,l] = cos(a), sin[i,l] = sin(a), a = (pos0 + i) f_l, f_l = theta^(-2l/d), l < d / 2, d the rotary
 * elements of a head: in double, rounded once. With factor > 0 frequencies are scaled as Llama 3 does:
 * f_l ((1 - s) / factor + s), s = (context f_l / (2 pi) - low) / (high - low) cut to [0, 1]: what turns
 * more than `high` times within the original context stays, what turns less than `low` times slows down.
 * Shapes: cos [t][ldc], sin [t][lds], d / 2 of each row written.
 * Requires: d even, 2 <= d <= 2^20; pos0 + t <= 2^24; 1 <= theta, finite; ldc, lds >= d / 2; 4-byte
 *   aligned; cos and sin do not overlap. factor 0, when low, high and context are not looked at, or
 *   factor >= 1, 0 <= low < high, all finite, and context <= 2^24.
 * Error: docs/oracle.md, "rope". Strict: the same bits; the fast kernels keep to strict mode's rounding,
 *   too.
 * Source: Su et al. 2021, RoFormer, arXiv:2104.09864; the scaling: Grattafiori et al. 2024, The Llama 3
 *   Herd of Models, arXiv:2407.21783, and its reference code's apply_scaling. */
typedef struct ck_rope_cache_args {
    float *cos, *sin;
    size_t t, d, ldc, lds, pos0;
    float theta;
    float factor, low, high;
    size_t context;
} ck_rope_cache_args;

/* Of row i of head h each pair (a, b) of the first `rotary` elements becomes (a c - b s, b c + a s),
 * c = cos[pos0 + i, l], s = sin[pos0 + i, l] of its number l < rotary / 2. Which elements are a pair is
 * said above the op's row of kernels.def. Elements rotary to d are copied, their bits, in both modes; +0
 * from d on to cols.
 * Shapes: element l of row i of head h of y is y[h head_y + i ldy + l]; x likewise, d of each row used;
 *   cos [pos0 + t][ldc], sin [pos0 + t][lds], rotary / 2 of each row used, rows below pos0 not read.
 * Requires: rotary even, rotary <= d <= cols, ld >= its row; rows of y apart from each other: head_y >=
 *   (t - 1) ldy + cols, or ldy >= (heads - 1) head_y + cols; 4-byte aligned; y overlaps x only if it is
 *   x itself with the same strides, and nothing else.
 * Error: docs/oracle.md, "rope". NaN and infinities follow IEEE arithmetic.
 * Strict: in double, (a c) - (b s) and (b c) + (a s), one rounding each.
 * Source: Su et al. 2021, RoFormer, arXiv:2104.09864. */
typedef struct ck_rope_args {
    float *y;
    const float *x, *cos, *sin;
    size_t heads, t, rotary, d, cols;
    size_t ldy, ldx, ldc, lds;
    size_t head_y, head_x, pos0;
} ck_rope_args;

#endif
