/* SPDX-License-Identifier: MIT */
/* Rows to blocks and back. The bits are the same on every ISA; formats in docs/formats.md. */
#ifndef CK_QUANT_H
#define CK_QUANT_H

#include <stddef.h>

#include "ck.h"
#include "ck_dtype.h"

/* Name of a format, "unknown" if there is none of that code; code of a name, CK_DTYPE_COUNT if none. */
CK_API const char *ck_dtype_name(ck_dtype dtype);
CK_API ck_dtype ck_dtype_find(const char *name);
/* Elements of a block, 1 where elements stand alone; 0 if there is no such format. */
CK_API size_t ck_dtype_block(ck_dtype dtype);
/* Bytes of the blocks that n elements take, the last of them perhaps in part; SIZE_MAX if there is no
 * such format or the bytes exceed PTRDIFF_MAX. */
CK_API size_t ck_row_bytes(ck_dtype dtype, size_t n);

/* A row to its format, by the one formula that docs/formats.md has for each.
 * Shapes: x [n] f32; y the blocks of n elements at any byte address.   Requires: n a multiple of the
 *   block; no overlap.
 * Error: none, bit-exact. What is too large, too small, infinite or no number has one result as well:
 *   docs/formats.md. */
typedef struct ck_quantize_args {
    void *y;
    const float *x;
    size_t n;
} ck_quantize_args;

/* Values of a row. y = d q and the like, as docs/formats.md says: exact in f32, or one rounding where
 * a minimum is added; the sign of zero follows IEEE, every NaN is 0x7fc00000.
 * Shapes: x the blocks of n elements at any byte address; y [n] f32.   Requires: n a multiple of the
 *   block; no overlap. */
typedef struct ck_dequant_args {
    float *y;
    const void *x;
    size_t n;
} ck_dequant_args;

/* Rows of blocks interleaved, as docs/formats.md says: what packed products read. The rows that the last
 * block has beyond m are zero bytes. From and to are the formats that the op is named after.
 * Shapes: x [m][ldx] blocks at any byte address, k elements of each row used; y [ceil(m / 8)][ldy] packed
 *   blocks at any byte address. ldx and ldy in blocks of their own.
 * Requires: k a multiple of the block; no overlap.
 * Error: none, nothing is lost. */
typedef struct ck_pack_args {
    void *y;
    const void *x;
    size_t m, k;
    size_t ldy, ldx;
} ck_pack_args;

#endif
