/* SPDX-License-Identifier: MIT */
/* The text of residual_add_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_RESIDUAL_ADD_F32_H
#define CK_RESIDUAL_ADD_F32_H

#define CK_BINARY_FAST(a, b)   ck_vf_add(a, b)
#define CK_BINARY_STRICT(a, b) ck_vd_add(a, b)
#include "binary_f32.h"

#endif
