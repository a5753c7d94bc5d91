/* SPDX-License-Identifier: MIT */
/* quantize_row_q5_1, AVX2. */
#include "simd/avx2.h"

#include "quantize_row/quantize_row_block.h"

const ck_numspec ck_quantize_row_q5_1_avx2_spec = CK_QUANTIZE_BLOCK_SPEC;

void ck_quantize_row_q5_1_avx2(const void *args) { quantize_row_q5_1(args); }

void ck_quantize_row_q5_1_avx2_strict(const void *args) { ck_strict_run(quantize_row_q5_1, args); }
