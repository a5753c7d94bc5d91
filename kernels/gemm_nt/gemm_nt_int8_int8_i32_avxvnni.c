/* SPDX-License-Identifier: MIT */
/* gemm_nt_int8_int8_i32, AVX-VNNI. */
#include "gemm_nt/gemm_nt_int8_avxvnni.h"

const ck_numspec ck_gemm_nt_int8_int8_i32_avxvnni_spec = CK_GEMM_INT8_SPEC;

void ck_gemm_nt_int8_int8_i32_avxvnni(const void *args) { gemm_int8(args, true); }

void ck_gemm_nt_int8_int8_i32_avxvnni_strict(const void *args) { gemm_int8(args, true); }
