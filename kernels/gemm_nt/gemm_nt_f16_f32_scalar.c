/* SPDX-License-Identifier: MIT */
/* gemm_nt_f16_f32, scalar bundle. */
#include "simd/scalar.h"

#include "gemm_nt/gemm_nt_16.h"

const ck_numspec ck_gemm_nt_f16_f32_scalar_spec = CK_GEMM_16_SPEC;

static const sixteen how = { &element_f32, &element_f16, &element_f32 };

void ck_gemm_nt_f16_f32_scalar(const void *args)
{
    const rows_16 g = gemm_16_weights(args);
    gemm_16(&g, &how);
}

static void strict(const void *args)
{
    const rows_16 g = gemm_16_weights(args);
    gemm_16_strict(&g, &how);
}

void ck_gemm_nt_f16_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }
