/* SPDX-License-Identifier: MIT */
/* embedding_bf16, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_element.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_bf16_scalar_spec = CK_EMBEDDING_SPEC(1);

CK_EMBEDDING(bf16, scalar, CK_BF16_BYTES, dequant_row_bf16)
