/* SPDX-License-Identifier: MIT */
/* Rows to blocks and back. The bits are the same on every ISA; formats in docs/formats.md. */
#ifndef CK_QUANT_H
#define CK_QUANT_H

#include <stddef.h>

#include "ck.h"

/* Blocks of a row, by the one formula of docs/formats.md. q8_0: with amax = max |x| of the block,
 *   d = f16(RN(amax / 127)), q = RNE(RN(x * RN(127 / amax))).
 * Shapes: x [n] f32; y n/32 blocks at any byte address.   Requires: n a multiple of 32; no overlap.
 * Error: none, bit-exact. Where RN(127 / amax) is not finite (amax = 0 too) d = +0, q = 0; a NaN or
 *   infinity in the block gives d = NaN (0x7e00), q = 0; a d beyond f16 is +inf, below it +0, the
 *   codes unaffected. */
typedef struct ck_quantize_args {
    void *y;
    const float *x;
    size_t n;
} ck_quantize_args;

/* Values of a row of blocks. q8_0: y = d * q, exact in f32; the sign of zero follows IEEE.
 * Shapes: x n/32 blocks at any byte address; y [n] f32.   Requires: n a multiple of 32; no overlap. */
typedef struct ck_dequant_args {
    float *y;
    const void *x;
    size_t n;
} ck_dequant_args;

#endif
