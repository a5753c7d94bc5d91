/* SPDX-License-Identifier: MIT */
/* dequant_row_q5_0, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_block.h"

const ck_numspec ck_dequant_row_q5_0_scalar_spec = CK_DEQUANT_BLOCK_SPEC;

void ck_dequant_row_q5_0_scalar(const void *args) { dequant_row_q5_0(args); }

void ck_dequant_row_q5_0_scalar_strict(const void *args) { ck_strict_run(dequant_row_q5_0, args); }
