/* SPDX-License-Identifier: MIT */
/* The text of swiglu, compiled once per format and ISA, after simd/<isa>.h. */
#ifndef CK_SWIGLU_H
#define CK_SWIGLU_H

#include "simd/activation.h"

#define CK_BINARY_FAST(a, b)   ck_vf_mul(ck_vf_silu(a), b)
#define CK_BINARY_STRICT(a, b) ck_vd_mul(ck_vd_silu(a), b)
#include "binary_row.h"

#endif
