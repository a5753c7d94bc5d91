/* SPDX-License-Identifier: MIT */
/* kv_write_f32, scalar. */
#include "simd/scalar.h"

#include "kv_write/kv_write.h"

const ck_numspec ck_kv_write_f32_scalar_spec = CK_KV_WRITE_SPEC;

void ck_kv_write_f32_scalar(const void *args) { kv_write_f32(args); }

void ck_kv_write_f32_scalar_strict(const void *args) { ck_strict_run(kv_write_f32, args); }
