/* SPDX-License-Identifier: MIT */
/* layernorm_bf16 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "layernorm/layernorm.h"
#include "simd/element_16.h"
#include "strict.h"

void ck_layernorm_bf16_avx512(const void *args) { layernorm(args, &element_bf16); }

static void strict(const void *args) { layernorm_strict(args, &element_bf16); }

void ck_layernorm_bf16_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_layernorm_bf16_avx512_spec = {
    NORM_SUM(0), .alias = 1u << 1, /* x */
};
