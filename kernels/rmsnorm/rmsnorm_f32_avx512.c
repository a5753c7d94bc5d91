/* SPDX-License-Identifier: MIT */
/* rmsnorm_f32 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "rmsnorm/rmsnorm.h"
#include "strict.h"

void ck_rmsnorm_f32_avx512(const void *args) { rmsnorm(args, &element_f32); }

static void strict(const void *args) { rmsnorm_strict(args, &element_f32); }

void ck_rmsnorm_f32_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_rmsnorm_f32_avx512_spec = {
    NORM_SUM(0), .alias = 1u << 1, /* x */
};
