/* SPDX-License-Identifier: MIT */
/* embedding_f32, AVX2. */
#include "simd/avx2.h"

#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_f32_avx2_spec = CK_EMBEDDING_SPEC(1);

CK_EMBEDDING(f32, avx2, sizeof(float), embedding_row_f32)
