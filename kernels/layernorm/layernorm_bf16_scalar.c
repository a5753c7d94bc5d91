/* SPDX-License-Identifier: MIT */
/* layernorm_bf16 for the scalar bundle. */
#include "simd/scalar.h"

#include "kernel.h"
#include "layernorm/layernorm.h"
#include "simd/element_16.h"
#include "strict.h"

void ck_layernorm_bf16_scalar(const void *args) { layernorm(args, &element_bf16); }

static void strict(const void *args) { layernorm_strict(args, &element_bf16); }

void ck_layernorm_bf16_scalar_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_layernorm_bf16_scalar_spec = {
    NORM_SUM(CK_NUM_MULADD), .alias = 1u << 1, /* x */
};
