/* SPDX-License-Identifier: MIT */
/* gemm_nt_uint8_int8_i32, SSE4.1. */
#include "gemm_nt/gemm_nt_int8_sse41.h"

const ck_numspec ck_gemm_nt_uint8_int8_i32_sse41_spec = CK_GEMM_INT8_SPEC;

void ck_gemm_nt_uint8_int8_i32_sse41(const void *args) { gemm_int8(args, false); }

void ck_gemm_nt_uint8_int8_i32_sse41_strict(const void *args) { gemm_int8(args, false); }
