/* SPDX-License-Identifier: MIT */
/* Rows of a table by token ids. */
#ifndef CK_EMBEDDING_H
#define CK_EMBEDDING_H

#include <stddef.h>
#include <stdint.h>

#include "ck.h"

/* y[i,:] = W[ids[i],:], or W[ids[i],:] + pos[pos0 + i,:] if pos is not NULL: learned positions. W is in the
 * format that the op is named after; an element is worth what dequant_row makes of it (quant.h), f32 itself.
 * Shapes: y [t][ldy], d of each row written, then +0 up to cols; ids [t]; w [vocab][ldw], ldw in elements or
 *   blocks; pos [pos0 + t][ldp], rows below pos0 not read.
 * Requires: d a multiple of the block; 0 <= ids[i] < vocab; cols >= d, ld >= its row; ids, f32 operands
 *   4-byte aligned, others at any address; no overlap.
 * Error: none without pos: bits, those of a NaN too (f32), or those of dequant_row. With pos one sum of
 *   floats.
 * Strict: the same without pos; with it the element, rounded to f32, and the position are added in double,
 *   one rounding. */
typedef struct ck_embedding_args {
    float *y;
    const int32_t *ids;
    const void *w;
    const float *pos;
    size_t t, vocab, d, cols;
    size_t ldy, ldw, ldp, pos0;
} ck_embedding_args;

#endif
