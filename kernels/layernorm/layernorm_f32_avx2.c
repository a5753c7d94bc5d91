/* SPDX-License-Identifier: MIT */
/* layernorm_f32 for AVX2 and FMA. */
#include "simd/avx2.h"

#include "kernel.h"
#include "layernorm/layernorm.h"
#include "strict.h"

void ck_layernorm_f32_avx2(const void *args) { layernorm(args, &element_f32); }

static void strict(const void *args) { layernorm_strict(args, &element_f32); }

void ck_layernorm_f32_avx2_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_layernorm_f32_avx2_spec = {
    NORM_SUM(0), .alias = 1u << 1, /* x */
};
