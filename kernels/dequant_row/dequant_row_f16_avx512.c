/* SPDX-License-Identifier: MIT */
/* dequant_row_f16, AVX-512. */
#include "simd/avx512.h"

#include "dequant_row/dequant_row_element.h"

const ck_numspec ck_dequant_row_f16_avx512_spec = CK_DEQUANT_ELEMENT_SPEC(1);

void ck_dequant_row_f16_avx512(const void *args) { dequant_row_f16(args); }

void ck_dequant_row_f16_avx512_strict(const void *args) { ck_strict_run(dequant_row_f16, args); }
