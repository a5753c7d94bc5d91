/* SPDX-License-Identifier: MIT */
/* The text of silu_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_SILU_F32_H
#define CK_SILU_F32_H

#include "simd/activation.h"

#define CK_UNARY_FAST(x)   ck_vf_silu(x)
#define CK_UNARY_STRICT(x) ck_vd_silu(x)
#include "unary_f32.h"

#endif
