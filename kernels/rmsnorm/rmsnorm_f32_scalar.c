/* SPDX-License-Identifier: MIT */
/* rmsnorm_f32 for the scalar bundle. */
#include "simd/scalar.h"

#include "kernel.h"
#include "rmsnorm/rmsnorm.h"
#include "strict.h"

void ck_rmsnorm_f32_scalar(const void *args) { rmsnorm(args, &element_f32); }

static void strict(const void *args) { rmsnorm_strict(args, &element_f32); }

void ck_rmsnorm_f32_scalar_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_rmsnorm_f32_scalar_spec = {
    NORM_SUM(CK_NUM_MULADD), .alias = 1u << 1, /* x */
};
