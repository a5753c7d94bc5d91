/* SPDX-License-Identifier: MIT */
/* The text of relu_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_RELU_F32_H
#define CK_RELU_F32_H

#include "simd/activation.h"

#define CK_UNARY_FAST(x)   ck_vf_relu(x)
#define CK_UNARY_STRICT(x) ck_vd_relu(x)
#include "unary_f32.h"

#endif
