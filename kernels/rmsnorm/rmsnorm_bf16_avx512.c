/* SPDX-License-Identifier: MIT */
/* rmsnorm_bf16 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "rmsnorm/rmsnorm.h"
#include "simd/element_16.h"
#include "strict.h"

void ck_rmsnorm_bf16_avx512(const void *args) { rmsnorm(args, &element_bf16); }

static void strict(const void *args) { rmsnorm_strict(args, &element_bf16); }

void ck_rmsnorm_bf16_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_rmsnorm_bf16_avx512_spec = {
    NORM_SUM(0), .alias = 1u << 1, /* x */
};
