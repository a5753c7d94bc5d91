/* SPDX-License-Identifier: MIT */
/* gemm_nt_f16_f16_f32, AVX-512. */
#include "simd/avx512.h"

#include "gemm_nt/gemm_nt_16.h"

const ck_numspec ck_gemm_nt_f16_f16_f32_avx512_spec = CK_GEMM_16_SPEC;

static const sixteen how = { &element_f16, &element_f16, &element_f32 };

void ck_gemm_nt_f16_f16_f32_avx512(const void *args)
{
    const rows_16 g = gemm_16_halves(args, &how);
    gemm_16(&g, &how);
}

static void strict(const void *args)
{
    const rows_16 g = gemm_16_halves(args, &how);
    gemm_16_strict(&g, &how);
}

void ck_gemm_nt_f16_f16_f32_avx512_strict(const void *args) { ck_strict_run(strict, args); }
