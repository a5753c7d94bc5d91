/* SPDX-License-Identifier: MIT */
/* dequant_row_q8_0: what the variants share. A product of 11 and 8 bits, at least 2^-24, is exact
 * in f32 and no subnormal, so no mode of the caller matters and the strict kernel is the fast one.
 * Every NaN is made 0x7fc00000: inf * 0 has another sign on x86 and NaN payloads would follow the
 * scale. */
#ifndef CK_DEQUANT_ROW_Q8_0_H
#define CK_DEQUANT_ROW_Q8_0_H

#include <assert.h>

#include "ck_dtype.h"
#include "f16.h"
#include "kernel.h"
#include "quant.h"

enum { QS = 2 }; /* offset of the codes in a block */

enum { NAN_BITS = 0x7fc00000 };

typedef void block_fn(float *y, const unsigned char *x);

static inline void dequant_row(const ck_dequant_args *d, block_fn *block)
{
    const unsigned char *x = d->x;

    assert(d->n % CK_Q8_0_BLOCK == 0);
    for (size_t i = 0; i < d->n; i += CK_Q8_0_BLOCK, x += CK_Q8_0_BYTES) block(d->y + i, x);
}

#endif
