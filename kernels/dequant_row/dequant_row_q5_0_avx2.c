/* SPDX-License-Identifier: MIT */
/* dequant_row_q5_0, AVX2. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_block.h"

const ck_numspec ck_dequant_row_q5_0_avx2_spec = CK_DEQUANT_BLOCK_SPEC;

void ck_dequant_row_q5_0_avx2(const void *args) { dequant_row_q5_0(args); }

void ck_dequant_row_q5_0_avx2_strict(const void *args) { ck_strict_run(dequant_row_q5_0, args); }
