/* SPDX-License-Identifier: MIT */
/* gemm_nt_uint8_int8_i32, AVX-512 and VNNI. */
#include "gemm_nt/gemm_nt_int8_avx512vnni.h"

const ck_numspec ck_gemm_nt_uint8_int8_i32_avx512vnni_spec = CK_GEMM_INT8_SPEC;

void ck_gemm_nt_uint8_int8_i32_avx512vnni(const void *args) { gemm_int8(args, false); }

void ck_gemm_nt_uint8_int8_i32_avx512vnni_strict(const void *args) { gemm_int8(args, false); }
