/* SPDX-License-Identifier: MIT */
/* residual_add_f32 for SSE4.1. */
#include "simd/sse41.h"

#include "kernel.h"
#include "residual_add/residual_add.h"
#include "strict.h"

void ck_residual_add_f32_sse41(const void *args) { binary(args, &element_f32); }

static void strict(const void *args) { binary_strict(args, &element_f32); }

void ck_residual_add_f32_sse41_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_residual_add_f32_sse41_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 1 | 1u << 2, /* a, b */
};
