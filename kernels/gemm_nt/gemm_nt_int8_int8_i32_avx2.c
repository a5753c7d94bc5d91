/* SPDX-License-Identifier: MIT */
/* gemm_nt_int8_int8_i32, AVX2. */
#include "gemm_nt/gemm_nt_int8_avx2.h"

const ck_numspec ck_gemm_nt_int8_int8_i32_avx2_spec = CK_GEMM_INT8_SPEC;

void ck_gemm_nt_int8_int8_i32_avx2(const void *args) { gemm_int8(args, true); }

void ck_gemm_nt_int8_int8_i32_avx2_strict(const void *args) { gemm_int8(args, true); }
