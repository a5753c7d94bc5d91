/* SPDX-License-Identifier: MIT */
/* gemm_nt_uint8_int8_i32, plain C. */
#include "gemm_nt/gemm_nt_int8_scalar.h"

const ck_numspec ck_gemm_nt_uint8_int8_i32_scalar_spec = CK_GEMM_INT8_SPEC;

void ck_gemm_nt_uint8_int8_i32_scalar(const void *args) { gemm_int8(args, false); }

void ck_gemm_nt_uint8_int8_i32_scalar_strict(const void *args) { gemm_int8(args, false); }
