/* SPDX-License-Identifier: MIT */
/* quantize_row_q4_0, AVX-512. */
#include "simd/avx512.h"

#include "quantize_row/quantize_row_block.h"

const ck_numspec ck_quantize_row_q4_0_avx512_spec = CK_QUANTIZE_BLOCK_SPEC;

void ck_quantize_row_q4_0_avx512(const void *args) { quantize_row_q4_0(args); }

void ck_quantize_row_q4_0_avx512_strict(const void *args)
{
    ck_strict_run(quantize_row_q4_0, args);
}
