/* SPDX-License-Identifier: MIT */
/* dequant_row_q4_1, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_block.h"

const ck_numspec ck_dequant_row_q4_1_avx512_spec = CK_DEQUANT_BLOCK_SPEC;

void ck_dequant_row_q4_1_avx512(const void *args) { dequant_row_q4_1(args); }

void ck_dequant_row_q4_1_avx512_strict(const void *args) { ck_strict_run(dequant_row_q4_1, args); }
