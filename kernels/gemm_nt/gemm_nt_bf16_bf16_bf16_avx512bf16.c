/* SPDX-License-Identifier: MIT */
/* gemm_nt_bf16_bf16_bf16, AVX-512 and BF16. */
#include "simd/avx512.h"

#include "gemm_nt/gemm_nt_16.h"

#include "gemm_nt/gemm_nt_bf16_dot.h"

const ck_numspec ck_gemm_nt_bf16_bf16_bf16_avx512bf16_spec = CK_GEMM_BF16_DOT_SPEC;

static const sixteen how = { &element_bf16, &element_bf16, &element_bf16 };

void ck_gemm_nt_bf16_bf16_bf16_avx512bf16(const void *args)
{
    const rows_16 g = gemm_16_halves(args, &how);
    bf16_dot(&g, &how);
}

static void strict(const void *args)
{
    const rows_16 g = gemm_16_halves(args, &how);
    gemm_16_strict(&g, &how);
}

void ck_gemm_nt_bf16_bf16_bf16_avx512bf16_strict(const void *args) { ck_strict_run(strict, args); }
