/* SPDX-License-Identifier: MIT */
/* The text of sigmoid_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_SIGMOID_F32_H
#define CK_SIGMOID_F32_H

#include "simd/activation.h"

#define CK_UNARY_FAST(x)   ck_vf_gate(ck_vf_set1(1.0f), x)
#define CK_UNARY_STRICT(x) ck_vd_gate(ck_vd_set1(1.0), x)
#include "unary_f32.h"

#endif
