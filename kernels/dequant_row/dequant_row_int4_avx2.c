/* SPDX-License-Identifier: MIT */
/* dequant_row_int4, AVX2. */
#include "simd/avx2.h"

#include "dequant_row/dequant_row_element.h"

const ck_numspec ck_dequant_row_int4_avx2_spec = CK_DEQUANT_ELEMENT_SPEC(CK_INT4_BLOCK);

void ck_dequant_row_int4_avx2(const void *args) { dequant_row_int4(args); }

void ck_dequant_row_int4_avx2_strict(const void *args) { ck_strict_run(dequant_row_int4, args); }
