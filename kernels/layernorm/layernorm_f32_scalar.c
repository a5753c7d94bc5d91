/* SPDX-License-Identifier: MIT */
/* layernorm_f32 for the scalar bundle. */
#include "simd/scalar.h"

#include "kernel.h"
#include "layernorm/layernorm.h"
#include "strict.h"

void ck_layernorm_f32_scalar(const void *args) { layernorm(args, &element_f32); }

static void strict(const void *args) { layernorm_strict(args, &element_f32); }

void ck_layernorm_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_layernorm_f32_scalar_spec = {
    NORM_SUM(CK_NUM_MULADD), .alias = 1u << 1, /* x */
};
