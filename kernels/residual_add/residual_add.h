/* SPDX-License-Identifier: MIT */
/* The text of residual_add, compiled once per format and ISA, after simd/<isa>.h. */
#ifndef CK_RESIDUAL_ADD_H
#define CK_RESIDUAL_ADD_H

#define CK_BINARY_FAST(a, b)   ck_vf_add(a, b)
#define CK_BINARY_STRICT(a, b) ck_vd_add(a, b)
#include "binary_row.h"

#endif
