/* SPDX-License-Identifier: MIT */
/* embedding_f32, plain C. */
#include "simd/scalar.h"

#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_f32_scalar_spec = CK_EMBEDDING_SPEC(1);

CK_EMBEDDING(f32, scalar, sizeof(float), embedding_row_f32)
