/* SPDX-License-Identifier: MIT */
/* kv_write_f16, AVX-512. */
#include "simd/avx512.h"

#include "kv_write/kv_write.h"

const ck_numspec ck_kv_write_f16_avx512_spec = CK_KV_WRITE_SPEC;

void ck_kv_write_f16_avx512(const void *args) { kv_write_f16(args); }

void ck_kv_write_f16_avx512_strict(const void *args) { ck_strict_run(kv_write_f16, args); }
