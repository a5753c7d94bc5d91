/* SPDX-License-Identifier: MIT */
/* rope_pair_f32 for the scalar bundle. */
#include "simd/scalar.h"

#include "kernel.h"
#include "rope_pair/rope_pair_f32.h"
#include "strict.h"

void ck_rope_pair_f32_scalar(const void *args) { rope_pair_f32(args); }

void ck_rope_pair_f32_scalar_strict(const void *args) { ck_strict_run(rope_pair_f32_strict, args); }

const ck_numspec ck_rope_pair_f32_scalar_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_MULADD,
    .alias = 1u << 1, /* x */
};
