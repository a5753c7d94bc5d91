/* SPDX-License-Identifier: MIT */
/* embedding_q8_0, plain C. */
#include "simd/scalar.h"

#include "dequant_row/dequant_row_block.h"
#include "embedding/embedding_rows.h"

const ck_numspec ck_embedding_q8_0_scalar_spec = CK_EMBEDDING_SPEC(CK_Q8_0_BLOCK);

CK_EMBEDDING(q8_0, scalar, CK_Q8_0_BYTES, dequant_row_q8_0)
