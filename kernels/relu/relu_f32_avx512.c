/* SPDX-License-Identifier: MIT */
/* relu_f32 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "relu/relu_f32.h"
#include "strict.h"

void ck_relu_f32_avx512(const void *args) { unary_f32(args); }

void ck_relu_f32_avx512_strict(const void *args) { ck_strict_run(unary_f32_strict, args); }

const ck_numspec ck_relu_f32_avx512_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .flags = CK_NUM_BATCH_INVARIANT,
    .alias = 1u << 1, /* x */
};
