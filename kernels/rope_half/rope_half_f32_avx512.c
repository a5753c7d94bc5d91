/* SPDX-License-Identifier: MIT */
/* rope_half_f32 for AVX-512. */
#include "simd/avx512.h"

#include "kernel.h"
#include "rope_half/rope_half_f32.h"
#include "strict.h"

void ck_rope_half_f32_avx512(const void *args) { rope_half_f32(args); }

void ck_rope_half_f32_avx512_strict(const void *args) { ck_strict_run(rope_half_f32_strict, args); }

const ck_numspec ck_rope_half_f32_avx512_spec = {
    .lanes = 0, /* sums nothing */
    .accs = 1,
    .ku = CK_VF_LANES,
    .alias = 1u << 1, /* x */
};
