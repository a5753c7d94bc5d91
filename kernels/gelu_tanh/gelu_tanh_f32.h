/* SPDX-License-Identifier: MIT */
/* The text of gelu_tanh_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_GELU_TANH_F32_H
#define CK_GELU_TANH_F32_H

#include "simd/activation.h"

#define CK_UNARY_FAST(x)   ck_vf_gelu(x)
#define CK_UNARY_STRICT(x) ck_vd_gelu(x)
#include "unary_f32.h"

#endif
