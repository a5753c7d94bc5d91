/* SPDX-License-Identifier: MIT */
/* quantize_row_int4, AVX-512. */
#include "simd/avx512.h"

#include "quantize_row/quantize_row_element.h"

const ck_numspec ck_quantize_row_int4_avx512_spec = CK_QUANTIZE_ELEMENT_SPEC(CK_INT4_BLOCK);

void ck_quantize_row_int4_avx512(const void *args) { quantize_row_int4(args); }

void ck_quantize_row_int4_avx512_strict(const void *args)
{
    ck_strict_run(quantize_row_int4, args);
}
