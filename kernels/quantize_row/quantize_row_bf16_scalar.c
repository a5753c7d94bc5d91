/* SPDX-License-Identifier: MIT */
/* quantize_row_bf16, plain C. */
#include "simd/scalar.h"

#include "quantize_row/quantize_row_element.h"

const ck_numspec ck_quantize_row_bf16_scalar_spec = CK_QUANTIZE_ELEMENT_SPEC(1);

void ck_quantize_row_bf16_scalar(const void *args) { quantize_row_bf16(args); }

void ck_quantize_row_bf16_scalar_strict(const void *args)
{
    ck_strict_run(quantize_row_bf16, args);
}
