/* SPDX-License-Identifier: MIT */
/* kv_write_bf16, AVX2. */
#include "simd/avx2.h"

#include "kv_write/kv_write.h"

const ck_numspec ck_kv_write_bf16_avx2_spec = CK_KV_WRITE_SPEC;

void ck_kv_write_bf16_avx2(const void *args) { kv_write_bf16(args); }

void ck_kv_write_bf16_avx2_strict(const void *args) { ck_strict_run(kv_write_bf16, args); }
