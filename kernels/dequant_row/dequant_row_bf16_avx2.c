/* SPDX-License-Identifier: MIT */
/* dequant_row_bf16, AVX2. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_element.h"

const ck_numspec ck_dequant_row_bf16_avx2_spec = CK_DEQUANT_ELEMENT_SPEC(1);

void ck_dequant_row_bf16_avx2(const void *args) { dequant_row_bf16(args); }

void ck_dequant_row_bf16_avx2_strict(const void *args) { ck_strict_run(dequant_row_bf16, args); }
