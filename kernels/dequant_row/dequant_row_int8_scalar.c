/* SPDX-License-Identifier: MIT */
/* dequant_row_int8, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_element.h"

const ck_numspec ck_dequant_row_int8_scalar_spec = CK_DEQUANT_ELEMENT_SPEC(1);

void ck_dequant_row_int8_scalar(const void *args) { dequant_row_int8(args); }

void ck_dequant_row_int8_scalar_strict(const void *args) { ck_strict_run(dequant_row_int8, args); }
