/* SPDX-License-Identifier: MIT */
/* embedding_f32, AVX-512. */
#include "simd/avx512.h"

#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_f32_avx512_spec = CK_EMBEDDING_SPEC(1);

CK_EMBEDDING(f32, avx512, sizeof(float), embedding_row_f32)
