/* SPDX-License-Identifier: MIT */
/* quantize_row_q8_0: what the variants share, the scale of a block and the special blocks.
 *
 * A variant finds the largest |x| by comparing bit patterns without sign as integers. That orders
 * finite values, then infinity, then NaNs, so the result depends neither on the order of the
 * comparisons nor on how an ISA's maximum treats a NaN. */
#ifndef CK_QUANTIZE_ROW_Q8_0_H
#define CK_QUANTIZE_ROW_Q8_0_H

#include <assert.h>
#include <string.h>

#include "ck_dtype.h"
#include "f16.h"
#include "kernel.h"
#include "quant.h"
#include "strict.h"

/* Offset of the codes in a block; bits of the least amax whose 127 / amax is finite, which is the
 * number after 127 * 2^-128. Below it the formula gives no codes, and d is +0. */
enum { QS = 2, AMAX_MIN = 0x02fe0001 };

/* Writes d. Returns 0 if the block is zero or not finite, its codes then being 0 and written;
 * otherwise RN(127 / amax). The product of that with |x| <= amax is at most 127 (1 + u)^2, which
 * rounds to 127, so codes need no clamp. */
static inline float block_begin(unsigned char *y, int32_t amax_bits)
{
    const float amax = f32_of_bits((uint32_t)amax_bits);
    const int zero = amax_bits < AMAX_MIN, finite = amax_bits < 0x7f800000;
    const uint16_t d = zero ? 0 : finite ? f16_of_f32(amax / 127.0f) : 0x7e00;

    memcpy(y, &d, sizeof d);
    if (!zero && finite) return 127.0f / amax;
    memset(y + QS, 0, CK_Q8_0_BLOCK);
    return 0;
}

typedef void block_fn(unsigned char *y, const float *x);

static inline void quantize_row(const ck_quantize_args *q, block_fn *block)
{
    unsigned char *y = q->y;

    assert(q->n % CK_Q8_0_BLOCK == 0);
    for (size_t i = 0; i < q->n; i += CK_Q8_0_BLOCK, y += CK_Q8_0_BYTES) block(y, q->x + i);
}

#endif
