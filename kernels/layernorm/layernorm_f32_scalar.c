/* SPDX-License-Identifier: MIT */
/* layernorm_f32 for the scalar bundle. */
#include "simd/scalar.h"

#include "layernorm/layernorm_f32.h"
#include "strict.h"
#include "table.h"

void ck_layernorm_f32_scalar(const void *args) { layernorm_f32(args); }

void ck_layernorm_f32_scalar_strict(const void *args) { ck_strict_run(layernorm_f32_strict, args); }

const ck_numspec ck_layernorm_f32_scalar_spec = {
    NORM_SUM(CK_NUM_MULADD), .alias = 1u << 1, /* x */
};
