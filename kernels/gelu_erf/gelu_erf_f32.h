/* SPDX-License-Identifier: MIT */
/* The text of gelu_erf_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_GELU_ERF_F32_H
#define CK_GELU_ERF_F32_H

#include "simd/normal.h"

#define CK_UNARY_FAST(x)   ck_vf_gelu_erf(x)
#define CK_UNARY_STRICT(x) ck_vd_gelu_erf(x)
#include "unary_f32.h"

#endif
