/* SPDX-License-Identifier: MIT */
/* quantize_row_int8, AVX-512. */
#include "simd/avx512.h"

#include "quantize_row/quantize_row_element.h"

const ck_numspec ck_quantize_row_int8_avx512_spec = CK_QUANTIZE_ELEMENT_SPEC(1);

void ck_quantize_row_int8_avx512(const void *args) { quantize_row_int8(args); }

void ck_quantize_row_int8_avx512_strict(const void *args)
{
    ck_strict_run(quantize_row_int8, args);
}
