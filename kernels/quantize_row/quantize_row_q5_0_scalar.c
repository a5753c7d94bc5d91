/* SPDX-License-Identifier: MIT */
/* quantize_row_q5_0, plain C. */
#include "simd/scalar.h"

#include "quantize_row/quantize_row_block.h"

const ck_numspec ck_quantize_row_q5_0_scalar_spec = CK_QUANTIZE_BLOCK_SPEC;

void ck_quantize_row_q5_0_scalar(const void *args) { quantize_row_q5_0(args); }

void ck_quantize_row_q5_0_scalar_strict(const void *args)
{
    ck_strict_run(quantize_row_q5_0, args);
}
