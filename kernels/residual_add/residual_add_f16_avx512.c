/* SPDX-License-Identifier: MIT */
/* residual_add_f16 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "residual_add/residual_add.h"
#include "simd/element_16.h"
#include "strict.h"

void ck_residual_add_f16_avx512(const void *args) { binary(args, &element_f16); }

static void strict(const void *args) { binary_strict(args, &element_f16); }

void ck_residual_add_f16_avx512_strict(const void *args) { ck_strict_run(strict, args); }

const ck_numspec ck_residual_add_f16_avx512_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 1 | 1u << 2, /* a, b */
};
