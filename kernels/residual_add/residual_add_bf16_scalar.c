/* SPDX-License-Identifier: MIT */
/* residual_add_bf16 for the scalar bundle. */
#include "simd/scalar.h"

#include "kernel.h"
#include "residual_add/residual_add.h"
#include "simd/element_16.h"
#include "strict.h"

void ck_residual_add_bf16_scalar(const void *args) { binary(args, &element_bf16); }

static void strict(const void *args) { binary_strict(args, &element_bf16); }

void ck_residual_add_bf16_scalar_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_residual_add_bf16_scalar_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 1 | 1u << 2, /* a, b */
};
